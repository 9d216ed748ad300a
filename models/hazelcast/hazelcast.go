// Package hazelcast is a lock of Hazelcast: FencedLock, which runs on the consensus of the CP
// Subsystem, or the lock of a map (IMap.lock, and ILock before version 4), which favours
// availability. The parameter kind says which.
//
// # FencedLock
//
// A lock and a registry of sessions are replicated by raft
// (cp/internal/datastructures/lock/Lock.java, cp/internal/session/RaftSessionRegistry.java in
// hazelcast/hazelcast). Lock requests are served in order of arrival; the fence is the commit
// index of the request, and one that waits keeps it. A request has an identity that its
// retries share, and a retry gets the result that is remembered for it.
//
// A client commits a heartbeat for its session every 5 s while it uses it. Each member reckons
// the end of the session when it applies that, on its own *wall clock*; the leader looks every
// second and commits the end of sessions that are over by its clock, which has no effect if a
// heartbeat came in between (session versions). In a new term every end moves by a heartbeat.
//
// A holder hears nothing. Its next heartbeat is answered by "session expired", which its
// library remembers, and its next call on the lock throws LockOwnershipLostException
// (proxy/AbstractFencedLockProxy.java). Valid is what the local part of that call would find.
//
// The setting failOnIndeterminateOperationState, by which calls fail whose outcome is unknown,
// is no parameter here: operations of the lock and of its session are repeated all the same,
// since their identity makes that harmless (operation/LockOp.java, UnlockOp.java,
// HeartbeatSessionOp.java, isRetryableOnIndeterminateOperationState).
//
// # The lock of a map
//
// The lock is at the member that owns its partition, with one synchronous backup; whoever is
// not heard of for a minute is taken for gone (spi/properties/ClusterProperty.java,
// MAX_NO_HEARTBEAT_SECONDS), an owner's backup takes its place, and the locks of a holder that
// is gone are free (internal/locksupport/LockSupportServiceImpl.java, memberRemoved). When the
// members are cut into two, both sides do so and go on: each has a lock of its own. When they
// hear of each other again the smaller side gives its state up and joins the larger
// (javadoc of com.hazelcast.core.ILock, split-brain). Jepsen has shown what that leads to
// (K. Kingsbury, Hazelcast 3.8.3, 2017). There is no fence, and the holder is told nothing. A
// lease can be given with the lock (LockResourceImpl.java); it is off by default.
//
// # Left out
//
// Reentrant and timed locking, the identities of threads (one thread of a client locks), CP
// groups and their membership, snapshots, the collection of idle sessions (they hold nothing), and
// heartbeats of operations: a client that waits asks again instead.
//
// Raft is etcd's. Its followers count the leader's silence in ticks of 5 s; Hazelcast counts the
// time since the last message on the wall clock, so a follower whose clock jumps asks for an
// election early, which the others refuse while their leader lives (RaftNodeImpl.java,
// LeaderFailureDetectionTask). A leader without a majority finds out after 30 to 60 s, where
// Hazelcast's does after 25 to 30 s (HeartbeatTask). A member whose process has died is gone with
// its memory: it stays away, unless persistence is on. One that comes back applies its log anew, and
// counts each session from then: none ends earlier for it.
//
// Of the map's lock: migration of partitions when members come and go otherwise, and the
// client's connections. Clients are members without data, known by their heartbeats.
package hazelcast

import (
	"fencepost/models"
)

// Lock is a lock of Hazelcast.
type Lock struct{}

// New returns the lock system.
func New() models.Lock { return Lock{} }

// Describe implements [models.Lock].
func (Lock) Describe() models.Description {
	return models.Description{
		Name:    "hazelcast",
		Summary: "Hazelcast's FencedLock on raft with wall-clock sessions, or the map's lock that survives a split on both sides",
		Sources: []string{
			"hazelcast/hazelcast, com.hazelcast.cp.internal: datastructures/lock/Lock.java, proxy/AbstractFencedLockProxy.java, session/RaftSessionRegistry.java, RaftSessionService.java, AbstractProxySessionManager.java",
			"hazelcast/hazelcast, com.hazelcast.config.cp: CPSubsystemConfig.java, RaftAlgorithmConfig.java",
			"hazelcast/hazelcast, com.hazelcast.internal.locksupport; javadoc of com.hazelcast.core.ILock 3.12",
			"K. Kingsbury, Jepsen: Hazelcast 3.8.3, 2017",
		},
		Promise:      "from the session's creation or last heartbeat that the leader applied, for the session TTL less 1 ms; with kind: imap from the holder's last heartbeat to the partition's owner, for no-heartbeat, or the lease if that is shorter",
		Granted:      "the first member applies what makes the request the owner; with kind: imap the partition's owner sets the lock",
		Token:        "raft commit index of the lock request, with kind: fenced",
		TokenWith:    func(p models.Params) bool { return p.Choice("kind") == fencedLock },
		Removal:      "the owner's session is closed (CPSessionManagementService.forceCloseSession); with kind: imap forceUnlock",
		Renews:       func(p models.Params) bool { return p.Choice("kind") == fencedLock || p.Duration("lease") == 0 },
		ServiceClock: "wall",
		Durable:      persistent,
		Disk:         persistent,
		Notice:       "none; the library knows after its next heartbeat, and the next call on the lock throws",
		Role:         "hazelcast",
		Servers:      3,
		Leader:       true,
		Params:       params,
		Validate:     validate,
		Steps:        steps,
		Takeover:     takeover,
	}
}

// Build implements [models.Lock].
func (Lock) Build(e *models.Env) models.System {
	if e.Params.Choice("kind") == imapLock {
		return buildIMap(e)
	}
	return buildFenced(e)
}
