package hazelcast

import (
	"time"

	"fencepost/models"
	"fencepost/models/raftkv"
)

// timing is that of RaftAlgorithmConfig.java: a heartbeat of 5 s, of which five are missed when
// the sixth tick of a follower comes, 25 to 30 s after the last. It then asks for votes at once
// or, as the draw will have it, when it tries for the first time again, 2 to 3 s later: at 25 to
// 33 s in all. Hazelcast, which looks every 2 to 3 s, does so at 25 to 28 s. Every later attempt
// is 2 to 3 s after the one before, drawn anew each time (RaftNodeImpl.java,
// getLeaderElectionTimeoutInMillis; PreVoteTask.java, LeaderElectionTask.java). The log is in
// memory, unless the CP Subsystem persists it.
var timing = raftkv.Timing{Tick: 5 * time.Second, ElectionTicks: 6, Spread: 2, RetryMin: 2 * time.Second, RetryMax: 3 * time.Second, RequestTimeout: callTimeout, Volatile: true}

// timingOf is that of members that keep their log on disk, where they do.
func timingOf(p models.Params) raftkv.Timing {
	t := timing
	t.Volatile = !persistent(p)
	return t
}

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

// electionTime is ample for an election: up to 33 s until the followers ask for votes, and four
// attempts more of up to 3 s.
const electionTime = 45 * time.Second

// quietTakeover is how long a silent holder keeps others out if all members stay.
func quietTakeover(p models.Params) time.Duration {
	if p.Choice("kind") == imapLock {
		return p.Duration("no-heartbeat") + p.Duration("heartbeat") + backupTimeout
	}
	return p.Duration("ttl") + checkInterval + raftkv.CommitTime
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
