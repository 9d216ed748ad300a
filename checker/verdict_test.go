package checker

import (
	"strings"
	"testing"

	"fencepost/sim/history"
)

func TestVerdict(t *testing.T) {
	sound := func() *run { return newRun().hold(0, 1, 10*s, 0).read(s, 1, 0).release(2*s, 1) }
	harmed := func() *run {
		x := newRun().hold(0, 1, 2*s, 0).read(s, 1, 0).hold(2*s, 2, 12*s, 0).read(3*s, 2, 0)
		x.send(3*s, 1, history.WriteEffect).write(3*s, 1, 1, 0)
		return x.send(4*s, 2, history.WriteEffect).write(4*s, 2, 2, 1).release(5*s, 2)
	}
	ok := Verdict{Grants: OK, Exclusion: OK, Resource: OK, Progress: OK, LinearLock: OK, LinearResource: OK, Tokens: NotApplicable}
	lost := Verdict{Grants: OK, Exclusion: Violated, Resource: Violated, Progress: OK, LinearLock: Violated, LinearResource: Violated, Tokens: NotApplicable}
	cut := Verdict{Unknown, Unknown, Unknown, Unknown, Unknown, Unknown, NotApplicable, BoundEvents}
	with := func(v Verdict, bound string, change func(v *Verdict)) Verdict {
		v.Bound = bound
		change(&v)
		return v
	}
	for _, c := range []struct {
		name  string
		run   *run
		audit int64
		bound string
		steps int
		skip  bool
		want  Verdict
	}{
		{name: "every property holds", run: sound(), want: ok},
		{name: "an update is lost", run: harmed(), audit: 2, want: lost},
		{name: "the run hit a bound", run: sound(), bound: BoundEvents, want: cut},
		{name: "violated outranks unknown", run: harmed(), audit: 2, bound: BoundEvents,
			want: with(lost, BoundEvents, func(v *Verdict) { v.Grants, v.Progress = Unknown, Unknown })},
		{name: "the search hit a bound", run: sound(), steps: 1, want: with(ok, BoundSteps, func(v *Verdict) { v.LinearLock, v.LinearResource = Unknown, Unknown })},
		{name: "the monitors know all the same", run: harmed(), audit: 2, steps: 1,
			want: with(lost, BoundSteps, func(v *Verdict) { v.LinearLock, v.LinearResource = Unknown, Unknown })},
		{name: "the run's bound is named first", run: sound(), bound: BoundEvents, steps: 1, want: cut},
		{name: "porcupine left out", run: harmed(), audit: 2, skip: true,
			want: with(lost, "", func(v *Verdict) { v.LinearLock, v.LinearResource = NotApplicable, NotApplicable })},
	} {
		c.run.Linear.Bound, c.run.SkipLinear = c.steps, c.skip
		v := c.run.verdict(t, c.audit, c.bound)
		if v != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, v, c.want)
		}
		for i, p := range Properties {
			if got := v.Of(p); got != []Status{v.Grants, v.Exclusion, v.Resource, v.Progress, v.Tokens, v.LinearLock, v.LinearResource}[i] {
				t.Errorf("%s: %s is %s", c.name, p, got)
			}
		}
	}
	if got := ok.Of("nonsense"); got != NotApplicable {
		t.Errorf("an unknown property is %s", got)
	}
}

// The end of the run is judged too: who waits for too long then is stuck.
func TestVerdictFinishesProgress(t *testing.T) {
	x := newRun().at(0, history.Attempt, 1)
	x.now = 12 * s
	if v := x.verdict(t, 0, ""); v.Progress != Violated || x.Kinds()[Progress] != "stuck" {
		t.Errorf("%+v, %v", v, x.Kinds())
	}
	x.Reset()
	x.r.Reset()
	if v := x.verdict(t, 0, ""); v.Progress != OK || len(x.Kinds()) != 0 {
		t.Errorf("after a reset: %+v, %v", v, x.Kinds())
	}
}

// Checkers that contradict each other are an error that says which.
func TestDisagreement(t *testing.T) {
	for _, c := range []struct {
		name string
		// unseen is what the monitors do not get to see.
		unseen func(x *run)
		audit  int64
		want   string
	}{
		{"the lock", func(x *run) { x.hold(0, 1, s, 0).hold(2*s, 2, 3*s, 0) }, 0, "beliefs overlap: false, but the lock history is not linearizable"},
		{"the resource", func(x *run) { x.read(0, 1, 0).read(0, 2, 0).write(s, 1, 1, 0).write(s, 2, 2, 1) }, 2, "updates are lost: false, but the resource history is not linearizable"},
		{"the tokens", func(x *run) { x.hold(0, 1, s, 2).release(s, 1).hold(2*s, 2, 3*s, 1).release(3*s, 2) }, 0, "tokens are out of the order of beliefs: false, but the token history is not linearizable"},
		{"the audit", func(*run) {}, 7, "updates are lost: false"},
	} {
		x := newRun()
		x.r.Observers = nil
		c.unseen(x)
		if _, err := x.Verdict(x.r, x.now, []int64{c.audit}, ""); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
		x.Linear.Bound = 1
		if _, err := x.Verdict(x.r, x.now, []int64{c.audit}, ""); err != nil && c.name != "the audit" {
			t.Errorf("%s: nothing is known, and yet: %v", c.name, err)
		}
	}
}
