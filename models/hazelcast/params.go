package hazelcast

import (
	"fmt"
	"slices"
	"time"

	"fencepost/models"
	"fencepost/models/raftkv"
	"fencepost/sim/network"
)

// Messages of FencedLock. A request has its identity in Value; Key is the session.
var (
	OpCreate         = network.NewOp("hazelcast.session.create")
	OpCreated        = network.NewOp("hazelcast.session.created")
	OpHeartbeat      = network.NewOp("hazelcast.heartbeat")
	OpHeartbeatReply = network.NewOp("hazelcast.heartbeat.reply")
	OpLock           = network.NewOp("hazelcast.lock")
	OpLockReply      = network.NewOp("hazelcast.lock.reply")
	OpUnlock         = network.NewOp("hazelcast.unlock")
	OpUnlockReply    = network.NewOp("hazelcast.unlock.reply")
	OpNotLeader      = network.NewOp("hazelcast.not-leader") // Value is the leader's place, from 1
)

// The kinds of lock, by their place among the choices.
const (
	fencedLock = iota
	imapLock
)

// timing is that of RaftAlgorithmConfig.java: a heartbeat of 5 s, of which five are missed when
// the sixth tick of a follower comes, 25 to 30 s after the last. It then asks for votes at once
// or, as the draw will have it, when it tries for the first time again, 2 to 3 s later: at 25 to
// 33 s in all. Hazelcast, which looks every 2 to 3 s, does so at 25 to 28 s. Every later attempt
// is 2 to 3 s after the one before, drawn anew each time (RaftNodeImpl.java,
// getLeaderElectionTimeoutInMillis; PreVoteTask.java, LeaderElectionTask.java). The log is in
// memory.
var timing = raftkv.Timing{Tick: 5 * time.Second, ElectionTicks: 6, Spread: 2, RetryMin: 2 * time.Second, RetryMax: 3 * time.Second, RequestTimeout: callTimeout, Volatile: true}

const (
	// callTimeout is hazelcast.operation.call.timeout.millis.
	callTimeout = time.Minute
	// retryPause is hazelcast.invocation.retry.pause.millis.
	retryPause = 500 * time.Millisecond
	// checkInterval is how often the leader looks for sessions that are over
	// (RaftSessionService.java, CHECK_EXPIRED_SESSIONS_TASK_PERIOD_IN_MILLIS).
	checkInterval = time.Second
	// granularity is that of expiration times, which are in milliseconds.
	granularity = time.Millisecond
)

var params = []models.Param{
	models.TTL(300*time.Second, time.Second, "session TTL (CPSubsystemConfig, session-time-to-live-seconds)"),
	{Name: "kind", Unit: models.Choice, Default: fencedLock, Choices: []string{"fenced", "imap"},
		Doc: "FencedLock of the CP Subsystem, or the lock of a map, which both sides of a split go on to grant"},
	{Name: "heartbeat", Unit: models.Duration, Default: int64(5 * time.Second), Min: int64(time.Millisecond),
		Doc: "between two heartbeats of a session (session-heartbeat-interval-seconds), or of members (hazelcast.heartbeat.interval.seconds)"},
	{Name: "servers", Unit: models.Count, Default: 3, Min: 1, Max: 7, Doc: "members; of FencedLock's a majority is needed"},
	{Name: "timeout", Unit: models.Duration, Default: int64(callTimeout), Min: int64(time.Millisecond),
		Doc: "how long the library waits for a silent member before it asks another (hazelcast.operation.call.timeout.millis)"},
	{Name: "no-heartbeat", Unit: models.Duration, Default: int64(time.Minute), Min: int64(time.Second),
		Doc: "with kind: imap, the silence after which a member or a holder is gone (hazelcast.max.no.heartbeat.seconds)"},
	{Name: "lease", Unit: models.Duration, Doc: "with kind: imap, the lease of the lock; 0 is none"},
	{Name: "merge-first", Unit: models.Duration, Default: int64(300 * time.Second), Min: int64(time.Second),
		Doc: "with kind: imap, when the two sides of a split first look for each other (hazelcast.merge.first.run.delay.seconds)"},
	{Name: "merge-next", Unit: models.Duration, Default: int64(120 * time.Second), Min: int64(time.Second),
		Doc: "and how often from then on (hazelcast.merge.next.run.delay.seconds)"},
}

// validate refuses sessions that end between two heartbeats, as CPSubsystemConfig does.
func validate(p models.Params) error {
	name := [...]string{"ttl", "no-heartbeat"}[p.Choice("kind")]
	if silence, beat := p.Duration(name), p.Duration("heartbeat"); silence <= beat {
		return fmt.Errorf("%s %v must be longer than heartbeat %v: raise %s or lower heartbeat", name, silence, beat, name)
	}
	return nil
}

var steps = slices.Concat(models.StepsOfAcquire, []models.Step{
	{Name: "session.create", Doc: "with kind: fenced, a new session is needed: it has not been asked for"},
	{Name: "heartbeat.send", Doc: "a heartbeat is due: nothing has been sent"},
	{Name: "heartbeat.reply", Doc: "the reply to a heartbeat is in and has not been looked at"},
})

// electionTime is ample for an election: up to 33 s until the followers ask for votes, and four
// attempts more of up to 3 s.
const electionTime = 45 * time.Second

// commitTime is ample for a commit by a healthy majority.
const commitTime = 500 * time.Millisecond

// quietTakeover is how long a silent holder keeps others out if all members stay.
func quietTakeover(p models.Params) time.Duration {
	if p.Choice("kind") == imapLock {
		return p.Duration("no-heartbeat") + p.Duration("heartbeat") + backupTimeout
	}
	return p.Duration("ttl") + checkInterval + commitTime
}

// takeover is the bound that holds if the leader, or the owner of the partition, dies
// meanwhile. FencedLock's sessions then last for a heartbeat longer, and cannot end before a
// new leader is elected. The map's new owner counts the holder's silence by itself, but first
// has to miss the old one. In both cases a waiter asks again after its timeout.
func takeover(p models.Params) time.Duration {
	if p.Choice("kind") == imapLock {
		return 2*quietTakeover(p) + p.Duration("timeout")
	}
	return quietTakeover(p) + p.Duration("heartbeat") + electionTime + p.Duration("timeout")
}
