package hazelcast

import "fencepost/sim/network"

// Messages of FencedLock. A request has its identity in Value; Key is the session.
var (
	OpCreate         = network.NewOp("hazelcast.session.create")
	OpCreated        = network.NewOp("hazelcast.session.created")
	OpHeartbeat      = network.NewUpkeep("hazelcast.heartbeat")
	OpHeartbeatReply = network.NewUpkeep("hazelcast.heartbeat.reply")
	OpLock           = network.NewOp("hazelcast.lock")
	OpLockReply      = network.NewOp("hazelcast.lock.reply")
	OpUnlock         = network.NewOp("hazelcast.unlock")
	OpUnlockReply    = network.NewOp("hazelcast.unlock.reply")
	OpNotLeader      = network.NewOp("hazelcast.not-leader") // Value is the leader's place, from 1
)

// Messages of the map's lock. Key is the client, from 1, and Value the request's identity.
var (
	OpMapLock        = network.NewOp("hazelcast.map.lock")
	OpMapLockReply   = network.NewOp("hazelcast.map.lock.reply")
	OpMapUnlock      = network.NewOp("hazelcast.map.unlock")
	OpMapUnlockReply = network.NewOp("hazelcast.map.unlock.reply")
	OpWrongTarget    = network.NewOp("hazelcast.wrong-target") // not the owner of the partition
	OpBackup         = network.NewOp("hazelcast.backup")
	OpBackupReply    = network.NewOp("hazelcast.backup.reply")
)

// Messages among members of a cluster, of which clients are some without data. View is in
// Revision, see [view.encode].
var (
	OpBeat      = network.NewOp("hazelcast.beat")
	OpBeatReply = network.NewOp("hazelcast.beat.reply")
	OpSplit     = network.NewOp("hazelcast.split") // a side of a split looks for the other
	OpJoin      = network.NewOp("hazelcast.join")  // Value is who joins, from 1
	OpLeave     = network.NewOp("hazelcast.leave") // the smaller side is to join the larger
)
