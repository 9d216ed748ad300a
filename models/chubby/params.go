package chubby

import (
	"slices"
	"time"

	"fencepost/models"
)

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
