package etcd

import (
	"time"

	"fencepost/models/raftkv"
	"fencepost/sim/clock"
)

// sweepInterval is the pause between two passes over the expired leases
// (server/lease/lessor.go, runLoop).
const sweepInterval = 500 * time.Millisecond

// revokeRetry is when a revocation that has not come about is proposed again: a
// request's timeout (server/etcdserver/server.go, NewServer,
// ExpiredLeasesRetryInterval).
const revokeRetry = raftkv.RequestTimeout

// lease is a lease as one member knows it. Only a primary's has a deadline.
type lease struct {
	id     int64
	ttl    time.Duration
	expiry clock.Mono
	revoke clock.Mono // when its revocation is to be proposed
}

// lessor is the leases of one member. The leader's is the primary: it alone lets
// leases expire and renews them (server/lease/lessor.go).
type lessor struct {
	primary bool
	leases  []lease
	blocked []renewal // of leases that have expired and are not revoked yet
}

func (l *lessor) reset() {
	l.primary, l.leases, l.blocked = false, l.leases[:0], l.blocked[:0]
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
	le.expiry = now.Add(le.ttl + extend)
	le.revoke = le.expiry
}

// grant adds a lease. A follower's never expires there; it gets its deadline when the
// follower is promoted.
func (l *lessor) grant(id int64, ttl time.Duration, now clock.Mono) {
	le := lease{id: id, ttl: ttl}
	le.refresh(now, 0)
	l.leases = append(l.leases, le)
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

// promote makes this lessor the primary: every lease gets its whole TTL anew, and an
// election timeout in which nobody could renew it.
func (l *lessor) promote(now clock.Mono) {
	l.primary = true
	for i := range l.leases {
		l.leases[i].refresh(now, raftkv.ElectionTimeout)
	}
}

// expired appends the leases whose revocation is to be proposed now.
func (l *lessor) expired(now clock.Mono, ids []int64) []int64 {
	if !l.primary {
		return ids
	}
	for i := range l.leases {
		if le := &l.leases[i]; le.revoke <= now {
			le.revoke = now.Add(revokeRetry)
			ids = append(ids, le.id)
		}
	}
	return ids
}
