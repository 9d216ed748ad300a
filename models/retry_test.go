package models

import (
	"testing"
	"time"

	"fencepost/sim/rng"
	"fencepost/sim/trace"
)

// The delays of min(Max, Base·2ⁿ) for Base 4 ms and Max 20 ms, worked out by hand, and a
// jitter of 1 ms on top.
func TestRetryDelayDoublesUpToItsMaximum(t *testing.T) {
	r := Retry{Base: 4 * time.Millisecond, Max: 20 * time.Millisecond, Jitter: time.Millisecond}
	s := rng.New(1, nil)
	for attempt, want := range []time.Duration{4, 8, 16, 20, 20, 20} {
		got := r.Delay(attempt, &s)
		if low := want * time.Millisecond; got < low || got > low+r.Jitter {
			t.Errorf("attempt %d: %v, want %v to %v", attempt, got, low, low+r.Jitter)
		}
	}
	if got := r.Delay(1_000_000, &s); got > r.Longest() || got < r.Max {
		t.Errorf("attempt 1000000: %v, want at most %v", got, r.Longest())
	}
}

// A policy without a base has its jitter alone, and one without jitter draws nothing.
func TestRetryDelayWithoutBaseOrJitter(t *testing.T) {
	digest := new(trace.Digest)
	s := rng.New(1, digest)
	before := digest.Sum()
	if got := (Retry{Base: time.Second, Max: time.Second}).Delay(7, &s); got != time.Second || digest.Sum() != before {
		t.Errorf("without jitter: %v, and a draw: %v", got, digest.Sum() != before)
	}
	for range 100 {
		if got := (Retry{Max: time.Second, Jitter: time.Millisecond}).Delay(9, &s); got > time.Millisecond {
			t.Errorf("without a base: %v", got)
		}
	}
}

func TestRetryEnds(t *testing.T) {
	three := Retry{Attempts: 3}
	if three.Over(0) || three.Over(1) || !three.Over(2) {
		t.Error("the third of three attempts is the last, and none before")
	}
	if (Retry{}).Over(1_000_000) {
		t.Error("without a number of attempts there is no last one")
	}
}

// A maximum below the base is raised to it, so that one who sets the base alone has it.
func TestRetryOfRaisesTheMaximum(t *testing.T) {
	p := Defaults(RetryParams(Retry{Base: time.Second, Max: time.Second}))
	p["retry-base"] = int64(time.Minute)
	if got := RetryOf(p); got.Max != time.Minute {
		t.Errorf("the maximum is %v, want that of the base", got.Max)
	}
}
