package linear

import (
	"slices"
	"strings"
	"testing"

	"fencepost/checker/linear/spec"
	"fencepost/sim/history"
)

// brokenRules are ways to record a lock history that look right. For each, least is a
// history without an overlap of beliefs that it calls not linearizable, and none with
// fewer records is judged wrongly.
var brokenRules = []struct {
	name  string
	check func(*Checker, *history.Recorder) Answer
	least string
}{
	{"a failed acquire says that somebody held the lock", failedMeansHeld, "a1 g1"},
	{"a crash ends no belief", crashEndsNothing, "a1 b1 x1 a2 b2"},
	{"an unlock is recorded though a deadline had ended the belief", unlockAfterDeadline, "a1 b1 d1 u1"},
	{"a release is recorded at its answer", releaseAtAnswer, "a1 b1 e1 b1"},
}

func failedMeansHeld(c *Checker, h *history.Recorder) Answer {
	c.collectLock(h)
	for i := range c.operations {
		c.operations[i].Output = spec.OK
	}
	for i := range h.Records {
		if r := &h.Records[i]; r.Kind == history.GiveUp {
			c.add(r, spec.Acquire, r.Hold, c.calls[r.Hold], int64(r.Sequence))
			c.operations[len(c.operations)-1].Output = spec.Failed
		}
	}
	return c.check(spec.StrictMutex())
}

func crashEndsNothing(c *Checker, h *history.Recorder) Answer {
	calm := *h
	calm.Records = slices.DeleteFunc(slices.Clone(h.Records), func(r history.Record) bool { return r.Kind == history.Crash })
	return c.Lock(&calm)
}

func unlockAfterDeadline(c *Checker, h *history.Recorder) Answer {
	c.collectLock(h)
	passed := map[history.HoldID]bool{}
	for i := range h.Records {
		switch r := &h.Records[i]; r.Kind {
		case history.BeliefEnd:
			passed[r.Hold] = r.Text == deadline
		case history.ReleaseBegin:
			if passed[r.Hold] {
				c.release(r, r.Hold)
			}
		}
	}
	return c.check(mutex)
}

func releaseAtAnswer(c *Checker, h *history.Recorder) Answer {
	c.collectLock(h)
	for i := range c.operations {
		if op := &c.operations[i]; op.Input.(spec.LockInput).Op == spec.Release {
			op.Call = op.Return
		}
	}
	return c.check(mutex)
}

// Each rule is needed: without it, histories are judged wrongly.
func TestBrokenRules(t *testing.T) {
	var l Checker
	for _, rule := range brokenRules {
		events := strings.Fields(rule.least)
		s := locks(2, events...)
		if beliefsOverlap(s.Records) || l.Lock(s.Recorder) != Linearizable {
			t.Errorf("%s: %s is not sound", rule.name, rule.least)
		}
		if got := rule.check(&l, s.Recorder); got != NotLinearizable {
			t.Errorf("%s: %s is %v", rule.name, rule.least, got)
		}
		small(len(events)-1, func(s script) {
			if got := rule.check(&l, s.Recorder); (got == NotLinearizable) != beliefsOverlap(s.Records) {
				t.Errorf("%s: %s is not the least history: %+v", rule.name, rule.least, s.Records)
			}
		})
	}
}

// small shows f each history of two clients with at most so many records.
func small(most int, f func(script)) {
	s := newScript(0)
	for steps := range most + 1 {
		all(func(pick chooser) {
			s.drawLock(pick, 2, steps)
			f(s)
		})
	}
}

// all calls f once for each list of choices that it can make.
func all(f func(chooser)) {
	var choices, widths []int
	for {
		made := 0
		f(func(n int) int {
			if made == len(choices) {
				choices, widths = append(choices, 0), append(widths, n)
			}
			made++
			return choices[made-1]
		})
		last := len(choices) - 1
		for ; last >= 0 && choices[last]+1 == widths[last]; last-- {
			choices, widths = choices[:last], widths[:last]
		}
		if last < 0 {
			return
		}
		choices[last]++
	}
}

// The rules hold for all histories of two clients and up to seven records.
func TestAllSmallHistories(t *testing.T) {
	var l Checker
	small(7, func(s script) {
		if overlap := beliefsOverlap(s.Records); (l.Lock(s.Recorder) == NotLinearizable) != overlap {
			t.Errorf("beliefs overlap: %t: %+v", overlap, s.Records)
		}
	})
}
