package chubby

import (
	"slices"
	"time"

	"fencepost/models"
	"fencepost/models/raftkv"
	"fencepost/sim/network"
)

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

// maxClockBound leaves a third of the margin for messages: the client loses the bound's share
// of the lease and of the time for which its KeepAlive was held, which is less than two leases.
const maxClockBound = 50_000

var params = []models.Param{
	models.TTL(12*time.Second, time.Second, "session lease: what a KeepAlive extends it to; the paper's default is 12 s"),
	{Name: "grace", Unit: models.Duration, Default: int64(45 * time.Second),
		Doc: "how long a session in jeopardy may still be saved; the paper's default is 45 s"},
	{Name: "lock-delay", Unit: models.Duration, Default: int64(time.Minute), Max: int64(time.Minute),
		Doc: "how long nobody gets a lock whose holder's session has ended; clients choose it, up to one minute"},
	{Name: "clock-bound", Unit: models.Millionths, Default: 10_000, Max: maxClockBound,
		Doc: "by how much the master's clock may be faster than the client's"},
	{Name: "servers", Unit: models.Count, Default: 5, Min: 1, Max: 9, Doc: "replicas of the cell; a majority is needed"},
	{Name: "timeout", Unit: models.Duration, Default: int64(3 * time.Second), Min: int64(time.Millisecond),
		Doc: "how long the library waits for a reply that is due before it asks again, or another replica"},
}

var steps = slices.Concat(models.StepsOfAcquire, []models.Step{
	{Name: "locate", Doc: "the master has to be found: no replica has been asked"},
	{Name: "session.create", Doc: "a new session is needed: it has not been asked for"},
	{Name: "keepalive.send", Doc: "a KeepAlive is about to be sent"},
	{Name: "keepalive.sent", Doc: "a KeepAlive has been sent, its reply is not in"},
	{Name: "keepalive.reply", Doc: "the reply to a KeepAlive is in, the local lease has not been extended"},
	{Name: "jeopardy", Doc: "the local lease is over: the session is in jeopardy"},
	{Name: "safe", Doc: "a session that was in jeopardy has survived"},
	{Name: "expired", Doc: "the session has expired, by the master's word or because the grace period is over"},
})

// electionTime is ample for an election: the longest silence, and as long again if the first
// vote splits.
const electionTime = 14 * time.Second

// commitTime is ample for the commits of an expiry and of a grant by a healthy majority.
const commitTime = 500 * time.Millisecond

// silence is how long a session lasts at most whose client falls silent right after it has sent
// a KeepAlive: the master answers that before the lease ends, and so extends it once more.
func silence(ttl time.Duration) time.Duration { return 2*ttl - margin(ttl) }

// quietTakeover is how long a silent holder keeps others out if the master stays.
func quietTakeover(p models.Params) time.Duration {
	return silence(p.Duration("ttl")) + p.Duration("lock-delay") + commitTime
}

// takeover is the bound that holds if the master changes once meanwhile. The worst instant is
// right before the lease or the lock-delay is over, which its successor begins anew. A waiter
// asks the new master once his session is safe and his call has timed out.
func takeover(p models.Params) time.Duration {
	anew := max(p.Duration("ttl"), p.Duration("lock-delay"))
	return quietTakeover(p) + electionTime + anew + p.Duration("timeout")
}
