package resource

import (
	"slices"
	"testing"

	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
	"fencepost/sim/rng"
)

// performed are the jobs that were done, in order.
func (x *heard) performed() (jobs []int64) {
	for _, r := range x.effects() {
		if r.Kind == history.Perform {
			jobs = append(jobs, r.Content)
		}
	}
	return jobs
}

// A job changes no data, and the record of it does no job.
func TestEffectAndItsRecord(t *testing.T) {
	x := newHeard(t, "none", Settings{Kind: Effect})
	if a := x.ask(t, does(1, 81, 1)); !a.OK || a.TTL != 0 || a.Content != 0 || a.Value != 0 || x.value() != 0 {
		t.Errorf("the effect: %+v, value %d", a, x.value())
	}
	if a := x.ask(t, writes(1, 82, 1)); !a.OK || a.Content != 1 {
		t.Errorf("its record: %+v", a)
	}
	want := []history.Record{
		{Kind: history.Perform, Effect: history.OutsideEffect, Hold: 1, Value: 81, Content: 1, Until: x.r.Records[1].At},
		{Kind: history.Write, Effect: write, Change: history.Completes, Hold: 1, Value: 82, Content: 1},
	}
	if got := x.effects(); !slices.Equal(got, want) {
		t.Errorf("\n got %+v\nwant %+v", got, want)
	}
}

// What lasts is over at an instant that nobody moves: neither another effect nor a crash.
func TestEffectThatLasts(t *testing.T) {
	x := newHeard(t, "none", Settings{Kind: Effect, Lasts: rng.Constant(5 * second)})
	if a := x.ask(t, does(1, 81, 1)); a.TTL != 5*second {
		t.Errorf("it takes %v", a.TTL)
	}
	began := x.r.Records[1].At
	if until := x.r.Records[1].Until; until != began.Add(5*second) {
		t.Errorf("from %v until %v", began, until)
	}
	x.host.Crash(host.LoseEverything)
	x.host.Restart(false)
	x.wait(second)
	x.ask(t, does(2, 82, 2))
	if got := x.harms(); !slices.Equal(got, []string{"doubled-effect"}) {
		t.Errorf("harms %v: the effect goes on", got)
	}
	x.wait(5 * second)
	if x.ask(t, does(1, 83, 3)); len(x.harms()) != 1 {
		t.Errorf("harms %v: both are over", x.harms())
	}
}

// A key that is the job's: each job is done once, in whatever order jobs come. A second request
// begins nothing, so that there is nothing to wait for.
func TestJobKey(t *testing.T) {
	for _, c := range []struct {
		key  bool
		want []int64
	}{{false, []int64{1, 1, 3, 2, 2}}, {true, []int64{1, 3, 2}}} {
		x := newHeard(t, "none", Settings{Kind: Effect, JobKey: c.key, Lasts: rng.Constant(second)})
		for value, job := range []int64{1, 1, 3, 2, 2} {
			done := slices.Contains(x.performed(), job)
			a := x.ask(t, does(1, int64(90+value), job))
			if begins := !c.key || !done; !a.OK || (a.TTL > 0) != begins {
				t.Errorf("key %t: job %d: %+v", c.key, job, a)
			}
		}
		if got := x.performed(); !slices.Equal(got, c.want) {
			t.Errorf("key %t: jobs %v, want %v", c.key, got, c.want)
		}
		if harmed := len(x.harms()) > 0; harmed == c.key {
			t.Errorf("key %t: harms %v", c.key, x.harms())
		}
		x.Reset(1)
		if a := x.ask(t, does(1, 99, 1)); a.TTL == 0 {
			t.Errorf("key %t: a job of the run before is known", c.key)
		}
	}
}

func marks(hold history.HoldID, token int64) network.Body {
	return network.Body{Op: OpMark, Hold: hold, Token: token}
}

// A guard stands before the data. Before the effect it stands if a resource is built so; then it
// compares the request for the effect as it does a write.
func TestGuardBeforeTheEffect(t *testing.T) {
	for _, c := range []struct {
		guard  string
		before []network.Body // by which the guard knows that hold 1 is an earlier one
		late   network.Body   // the request of hold 1
		why    string
	}{
		{"fence-writes", []network.Body{with(34, writes(2, 101, 1))}, with(33, does(1, 102, 1)), ""},
		{"fence-writes", []network.Body{with(34, does(2, 101, 1))}, with(33, writes(1, 102, 1)), ""},
		{"fence-reads-writes", []network.Body{with(34, reads(2))}, with(33, does(1, 102, 1)), ""},
		{"mark", []network.Body{marks(2, 34)}, with(33, does(1, 102, 1)), ""},
		{"random-token-cas", []network.Body{marks(1, 9000), marks(2, 7)}, with(9000, does(1, 102, 1)), history.TokenReplaced},
		{"if-match", []network.Body{writes(2, 101, 1)}, over(0, does(1, 102, 1)), history.VersionDiffers},
	} {
		for _, guarded := range []bool{false, true} {
			x := newHeard(t, c.guard, Settings{Kind: Effect, GuardsEffect: guarded})
			for _, b := range c.before {
				if a := x.ask(t, b); !a.OK {
					t.Errorf("%s: %+v", c.guard, a)
				}
			}
			done := len(x.effects())
			a, last := x.ask(t, c.late), x.r.Records[len(x.r.Records)-1]
			if a.OK == guarded || len(x.effects()) == done != guarded {
				t.Errorf("%s, guarded %t: %v of hold 1 is served: %t", c.guard, guarded, c.late.Op, a.OK)
			}
			if guarded && (last.Kind != history.Reject || last.Effect != effectOf(&network.Message{Body: c.late}) || last.Text != c.why) {
				t.Errorf("%s: %+v", c.guard, last)
			}
		}
	}
}

// The lock service is asked about an effect that is guarded, and about no other.
func TestAskingBeforeTheEffect(t *testing.T) {
	for _, guarded := range []bool{false, true} {
		x := newHeard(t, "ask-service", Settings{Kind: Effect, GuardsEffect: guarded})
		asked := 0
		x.AskWith(func(*host.Process, history.HoldID, int64) bool { asked++; return false })
		a := x.ask(t, with(33, does(1, 111, 1)))
		if a.OK == guarded || (asked == 1) != guarded || len(x.performed()) == 1 == guarded {
			t.Errorf("guarded %t: asked %d times, served: %t", guarded, asked, a.OK)
		}
	}
}
