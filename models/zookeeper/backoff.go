package zookeeper

import (
	"time"

	"fencepost/models"
	"fencepost/sim/rng"
)

// retry is the policy of Curator's examples, ExponentialBackoffRetry(1000, 3): see [backoff].
var retry = models.Retry{Base: time.Second, Max: 7 * time.Second}

// retries is how many of them there are before Curator gives an operation up, and the program
// tries again. Here it goes on, with waits as the last one.
const retries = 3

// backoff draws how long Curator waits after an attempt of a number, from 0: the base times a
// number below 2, 4, 8 and at least 1 (ExponentialBackoffRetry.java, getSleepTimeMs). These are
// 1, 1.75 and 3.625 of them in the mean.
func backoff(r models.Retry, attempt int, s *rng.Stream) time.Duration {
	n := max(1, s.Int64N(2<<min(attempt, retries-1)))
	return min(time.Duration(n)*r.Base, r.Max) + s.Between(0, r.Jitter)
}

// retryParams are the usual ones, of which two mean something else.
func retryParams() []models.Param {
	all := models.RetryParams(retry)
	for i := range all {
		switch p := &all[i]; p.Name {
		case "retry-base":
			p.Doc = "Curator's baseSleepTimeMs: a delay is 1 of them after the first attempt, 1 to 3 after the second, 1 to 7 after that"
		case "retry-max":
			p.Doc = "Curator's maxSleepMs: no delay is longer; never less than retry-base"
		}
	}
	return all
}
