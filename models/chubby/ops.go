package chubby

import "fencepost/sim/network"

// Messages between clients and replicas. Requests but [OpLocate] name the session in Key and the
// epoch in Revision.
var (
	OpLocate         = network.NewOp("chubby.locate")
	OpMaster         = network.NewOp("chubby.master") // Value is the master's place, from 1
	OpNotMaster      = network.NewOp("chubby.not-master")
	OpEpoch          = network.NewOp("chubby.epoch") // wrong epoch; Revision is the right one
	OpCreate         = network.NewOp("chubby.create")
	OpCreated        = network.NewOp("chubby.created")
	OpKeepAlive      = network.NewOp("chubby.keepalive") // OK: the client's lease is over
	OpKeepAliveReply = network.NewOp("chubby.keepalive.reply")
	OpAcquire        = network.NewOp("chubby.acquire") // TTL is the lock-delay
	OpAcquired       = network.NewOp("chubby.acquired")
	OpRelease        = network.NewOp("chubby.release")
	OpReleased       = network.NewOp("chubby.released")
	OpCheck          = network.NewOp("chubby.check") // CheckSequencer, of no session; Token is the generation
	OpChecked        = network.NewOp("chubby.checked")
)
