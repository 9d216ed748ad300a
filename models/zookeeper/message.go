package zookeeper

import "fencepost/sim/network"

// Messages between a client and its server. All that a server says on a connection answers
// the call that opened it: the Call of a message is its connection. Value is the number of
// a request (xid), Revision the last transaction that the server has applied (zxid).
var (
	OpConnect    = network.NewOp("zookeeper.connect") // Key: session to resume, 0 is none
	OpConnected  = network.NewOp("zookeeper.connected")
	OpPing       = network.NewOp("zookeeper.ping")
	OpPong       = network.NewOp("zookeeper.pong")
	OpMakeParent = network.NewOp("zookeeper.make-parent")
	OpCreate     = network.NewOp("zookeeper.create")
	OpDelete     = network.NewOp("zookeeper.delete")
	OpDone       = network.NewOp("zookeeper.done")     // the answer to the three above; not OK is NoNode
	OpChildren   = network.NewOp("zookeeper.children") // Key: the child that the client looks for
	OpListed     = network.NewOp("zookeeper.listed")   // Key: the child before it, Token: its sequence and 1
	OpExists     = network.NewOp("zookeeper.exists")
	OpWatch      = network.NewOp("zookeeper.watch") // exists, and a watch
	OpStat       = network.NewOp("zookeeper.stat")  // Key: ephemeral owner, Token: czxid
	OpEvent      = network.NewOp("zookeeper.event") // a watched node is gone
	OpClosed     = network.NewOp("zookeeper.closed")
)

// Messages between servers beside those of the replicated log.
var (
	// OpQuorumPing is the leader's, every half tick. Value numbers it, OK says that the
	// leader has a quorum, Token is its term, Revision what it has applied; Key is the
	// last answer that it has.
	OpQuorumPing = network.NewUpkeep("zookeeper.quorum-ping")
	OpQuorumPong = network.NewUpkeep("zookeeper.quorum-pong")
	// OpTouch is a part of the answer: a session that was heard from.
	OpTouch = network.NewOp("zookeeper.touch")
	// OpRevalidate asks the leader whether a session lives. Key is the session, Value the
	// request that wants to resume it; OpOver says that it does not.
	OpRevalidate = network.NewOp("zookeeper.revalidate")
	OpOver       = network.NewOp("zookeeper.over")
)
