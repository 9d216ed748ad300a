package etcd

import (
	"time"

	"fencepost/models"
	"fencepost/models/raftkv"
)

// The members' defaults: a heartbeat every 100 ms, an election timeout of 1000 ms
// (server/embed/config.go, TickMs and ElectionMs), that is one tick and ten.
const (
	tick            = 100 * time.Millisecond
	electionTicks   = 10
	electionTimeout = electionTicks * tick
)

// requestTimeout is how long a member works on a request: 5 s for the disk and twice the
// election timeout (server/config/config.go, ReqTimeout).
const requestTimeout = 5*time.Second + 2*electionTimeout

// timing has election timeouts that are uniform in [10, 20) ticks (go.etcd.io/raft/v3,
// resetRandomizedElectionTimeout).
var timing = raftkv.Timing{Tick: tick, ElectionTicks: electionTicks, Spread: electionTicks, RequestTimeout: requestTimeout}

// quietTakeover is how long a silent holder keeps others out if the leader stays: the
// lease, one sweep of the lessor and the commit of the revocation.
func quietTakeover(p models.Params) time.Duration {
	return negotiated(ttlSeconds(p)) + sweepInterval + raftkv.CommitTime
}

// electionTime is ample for an election: a silence of up to two election timeouts,
// and as long again if the first vote splits.
const electionTime = 4 * electionTimeout

// takeover is the bound that holds if the leader changes once while the holder is
// silent: at worst it is lost when the lease is about to expire, and its successor
// gives every lease its full TTL again and an election timeout on top
// (server/lease/lessor.go, Promote). Several changes add up without a bound.
func takeover(p models.Params) time.Duration {
	return negotiated(ttlSeconds(p)) + electionTime + electionTimeout + quietTakeover(p)
}
