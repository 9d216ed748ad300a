package models

import (
	"time"

	"fencepost/sim/rng"
)

// Retry is when a client that did not get the lock tries again: after its n-th attempt,
// n counted from 0, it waits for
//
//	min(Max, Base·2ⁿ) + Uniform(0, Jitter)
//
// which is exponential backoff with jitter on top. Base equal to Max is a constant delay with
// jitter.
type Retry struct {
	Base, Max, Jitter time.Duration
	// Attempts is how many there are before the client gives up; 0 is no end.
	Attempts int
}

// RetryParams declares the parameters of a policy with its defaults.
func RetryParams(r Retry) []Param {
	return []Param{
		{Name: "retry-base", Unit: Duration, Default: int64(r.Base), Doc: "delay before the second attempt; it doubles with every further one"},
		{Name: "retry-max", Unit: Duration, Default: int64(r.Max), Doc: "what the delay grows to; never less than retry-base"},
		{Name: "retry-jitter", Unit: Duration, Default: int64(r.Jitter), Doc: "a delay is longer by up to this much, drawn evenly"},
		{Name: "attempts", Unit: Count, Default: int64(r.Attempts), Doc: "attempts before the client gives up; 0 is no end"},
	}
}

// RetryOf returns the policy that parameters of [RetryParams] describe.
func RetryOf(p Params) Retry {
	base := p.Duration("retry-base")
	return Retry{
		Base:     base,
		Max:      max(base, p.Duration("retry-max")),
		Jitter:   p.Duration("retry-jitter"),
		Attempts: p.Int("attempts"),
	}
}

// Delay draws the wait after the attempt of a number, from 0.
func (r Retry) Delay(attempt int, s *rng.Stream) time.Duration {
	delay := r.Base
	for ; attempt > 0 && delay < r.Max; attempt-- {
		delay = min(2*delay, r.Max)
		if delay == 0 {
			break
		}
	}
	return s.Between(delay, delay+r.Jitter)
}

// Over reports whether the attempt of a number was the last.
func (r Retry) Over(attempt int) bool { return r.Attempts > 0 && attempt+1 >= r.Attempts }

// Longest is the longest delay.
func (r Retry) Longest() time.Duration { return r.Max + r.Jitter }
