package chubby

import (
	"time"

	"fencepost/models"
	"fencepost/models/raftkv"
)

// timing has elections that take 4 to 7 s after a master's last heartbeat, as the two that the
// paper tells of did, of 4 and 6 s (2.1). Followers refuse other candidates for eleven ticks at
// least.
var timing = raftkv.Timing{Tick: 400 * time.Millisecond, ElectionTicks: 12, Spread: 6, RequestTimeout: 10 * time.Second}

// masterLease is how long a master trusts a majority's answer ("a few seconds", 2.1). The
// followers' promise of 4.4 s is longer by 10 %, for clocks that differ.
const masterLease = 4 * time.Second

// margin is how long before its end a lease is extended.
func margin(ttl time.Duration) time.Duration { return ttl / 6 }

// electionTime is ample for an election: the longest silence, and as long again if the first
// vote splits.
const electionTime = 14 * time.Second

// silence is how long a session lasts at most whose client falls silent right after it has sent
// a KeepAlive: the master answers that before the lease ends, and so extends it once more.
func silence(ttl time.Duration) time.Duration { return 2*ttl - margin(ttl) }

// quietTakeover is how long a silent holder keeps others out if the master stays.
func quietTakeover(p models.Params) time.Duration {
	return silence(p.Duration("ttl")) + p.Duration("lock-delay") + raftkv.CommitTime
}

// takeover is the bound that holds if the master changes once meanwhile. The worst instant is
// right before the lease or the lock-delay is over, which its successor begins anew. A waiter
// asks the new master once his session is safe and his call has timed out.
func takeover(p models.Params) time.Duration {
	anew := max(p.Duration("ttl"), p.Duration("lock-delay"))
	return quietTakeover(p) + electionTime + anew + p.Duration("timeout")
}
