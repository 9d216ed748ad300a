package checker

import (
	"strings"
	"testing"

	"fencepost/sim"
	"fencepost/sim/history"
)

// A holder that stands still from 2 s to 12 s while client 2 waits, which is let in when that
// has given the lock back.
func TestWhyNobodyGotIn(t *testing.T) {
	paused := history.Record{Kind: history.Fault, Executor: 1, Struck: 1, Fault: "pause", Text: "pause client 1 for 10s", Until: 12 * s}
	stands := func(until sim.Time, renewed ...history.Record) *run {
		x := newRun().hold(0, 1, until, 1).at(s, history.Attempt, 2).add(2*s, paused)
		for _, r := range renewed {
			x.add(5*s, r)
		}
		return x.release(12*s, 1).hold(12*s, 2, 22*s, 2)
	}
	for _, c := range []struct {
		name string
		run  *run
		want string
	}{
		{"the service is slow to let the next one in", stands(9 * s),
			" The promise to client 1 (token 1) ran out 3.000 s before its hold was over, and nobody was let in meanwhile: this lock may take 20.000 s to pass from a silent holder to the next."},
		{"no lease", stands(sim.Forever), " The promise to client 1 (token 1) has no end in time, so that pause client 1 for 10s took nothing from it."},
		{"renewed by another", stands(9*s, history.Record{Kind: history.Promise, Hold: 1, Until: 15 * s}), " The promise to client 1 (token 1) was renewed during pause client 1 for 10s."},
		{"the promise was long enough", stands(20 * s), ""},
		{"nobody waited", newRun().hold(0, 1, 9*s, 1).add(2*s, paused).release(12*s, 1), ""},
	} {
		want := "Nobody: every property held." + c.want
		if got := c.run.Cause(c.run.r, Setting{Guard: "none", Takeover: 20e9}).Text; got != want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, want)
		}
	}
}

// An answer of the service can be old when the request is served.
func TestAnAnswerCanBeOld(t *testing.T) {
	x := lostTo(outlived(newRun(), 1))
	want := "The guard ask-service let it pass: the service's answer was right when it was given, and old when the request was served."
	if got := x.Cause(x.r, Setting{Guard: "ask-service", HasToken: true, Asks: true}).Text; !strings.HasSuffix(got, want) {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

// A library that takes for acquired what has expired grants itself the lock.
func TestAStillbornHoldIsTheLibrarys(t *testing.T) {
	x := newRun().hold(0, 1, 10*s, 0).at(5*s, history.BeliefEnd, 1).add(6*s, history.Record{Kind: history.Grant, Hold: 2, Until: 4 * s})
	want := "The library of client 2: it took the lock for acquired at 6.000 s, when what it had asked for had run out at 4.000 s, and 4.000 s of the promise to client 1 was left."
	if got := x.Cause(x.r, Setting{Guard: "none"}).Text; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}
