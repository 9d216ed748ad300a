package etcd

import (
	"time"

	"fencepost/sim/clock"
)

// sweepInterval is the pause between two passes over the expired leases
// (server/lease/lessor.go, runLoop).
const sweepInterval = 500 * time.Millisecond

// revokeLimit is how many leases one pass revokes: half of what a second may bring
// (server/lease/lessor.go, leaseRevokeRate).
const revokeLimit = 500

// revokeRetry is when a revocation that has not come about is proposed again: a
// request's timeout (server/etcdserver/server.go, NewServer,
// ExpiredLeasesRetryInterval).
const revokeRetry = requestTimeout

// lease is a lease as one member knows it. Only a primary's has a deadline.
type lease struct {
	id        int64
	ttl       time.Duration
	remaining time.Duration // by the last checkpoint; 0 is none
	expiry    clock.Mono
	revoke    clock.Mono // when its revocation is to be proposed
}

// lessor is the leases of one member. The leader's is the primary: it alone lets
// leases expire and renews them (server/lease/lessor.go).
type lessor struct {
	primary     bool
	checkpoints bool
	leases      []lease
	blocked     []renewal    // of leases that have expired and are not revoked yet
	planned     []checkpoint // of a primary, in the order in which they are due
}

func (l *lessor) reset(v variant) {
	l.primary, l.checkpoints = false, v.checkpoint != checkpointOff
	l.leases, l.blocked, l.planned = l.leases[:0], l.blocked[:0], l.planned[:0]
}

// find returns a lease, or nil.
func (l *lessor) find(id int64) *lease {
	for i := range l.leases {
		if l.leases[i].id == id {
			return &l.leases[i]
		}
	}
	return nil
}

// refresh gives a lease its whole time from now on.
func (le *lease) refresh(now clock.Mono, extend time.Duration) {
	le.expiry = now.Add(le.whole() + extend)
	le.revoke = le.expiry
}

// grant adds a lease. A follower's never expires there; it gets its deadline when the
// follower is promoted.
func (l *lessor) grant(id int64, ttl time.Duration, now clock.Mono) {
	le := lease{id: id, ttl: ttl}
	le.refresh(now, 0)
	l.leases = append(l.leases, le)
	l.schedule(&le, now)
}

// remove takes a lease away and reports whether it was there.
func (l *lessor) remove(id int64) bool {
	for i := range l.leases {
		if l.leases[i].id == id {
			l.leases = append(l.leases[:i], l.leases[i+1:]...)
			return true
		}
	}
	return false
}

// promote makes this lessor the primary: every lease gets its whole TTL anew, or what a
// checkpoint has left of it, and an election timeout in which nobody could renew it.
func (l *lessor) promote(now clock.Mono) {
	l.primary = true
	for i := range l.leases {
		l.leases[i].refresh(now, electionTimeout)
		l.schedule(&l.leases[i], now)
	}
}

// demote ends that: no lease expires here any more. It returns the renewals that waited
// for a revocation.
func (l *lessor) demote() (blocked []renewal) {
	blocked = l.blocked
	l.primary, l.blocked, l.planned = false, nil, l.planned[:0]
	return blocked
}

// expired appends the revocations that are to be proposed now.
func (l *lessor) expired(now clock.Mono, commands []command) []command {
	if !l.primary {
		return commands
	}
	for i := range l.leases {
		if le := &l.leases[i]; le.revoke <= now && len(commands) < revokeLimit {
			le.revoke = now.Add(revokeRetry)
			commands = append(commands, command{kind: revokeLease, lease: le.id})
		}
	}
	return commands
}
