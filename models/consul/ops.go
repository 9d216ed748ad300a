package consul

import "fencepost/sim/network"

// Messages of clients to servers, which servers forward among each other as they are, and
// of the gossip. A reply has an op of its own, so that a fault can catch one and not the
// other.
var (
	OpCreate       = network.NewOp("consul.session.create")
	OpCreateReply  = network.NewOp("consul.session.create.reply")
	OpDestroy      = network.NewOp("consul.session.destroy")
	OpDestroyReply = network.NewOp("consul.session.destroy.reply")
	OpRenew        = network.NewOp("consul.session.renew")
	OpRenewReply   = network.NewOp("consul.session.renew.reply")
	OpAcquire      = network.NewOp("consul.acquire")
	OpAcquireReply = network.NewOp("consul.acquire.reply")
	OpRelease      = network.NewOp("consul.release")
	OpReleaseReply = network.NewOp("consul.release.reply")
	OpGet          = network.NewOp("consul.get") // blocks for up to TTL if the index in Key is the key's
	OpGetReply     = network.NewOp("consul.get.reply")
	OpError        = network.NewOp("consul.error")
	OpPing         = network.NewOp("consul.ping") // is the connection of the call in Key alive?
	OpPong         = network.NewOp("consul.pong")
	OpProbe        = network.NewOp("consul.gossip.probe")
	OpAck          = network.NewOp("consul.gossip.ack")
	OpIndirect     = network.NewOp("consul.gossip.indirect") // probe the node in Key for me
	OpIndirectAck  = network.NewOp("consul.gossip.indirect.ack")
)

// What an error says, in Value.
const (
	errorOther = iota
	errorNoLeader
	errorEOF // the connection to the leader has ended
)
