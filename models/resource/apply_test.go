package resource

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
	"fencepost/sim/rng"
)

const second = time.Second

// effects are what a register did, and when.
func (x *rig) did() (did []string) {
	for _, r := range x.r.Records {
		if r.Kind == history.Read || r.Kind == history.Write || r.Kind == history.Reject {
			did = append(did, fmt.Sprintf("%v %v of %d", r.At.Duration(), r.Kind, r.Hold))
		}
	}
	return did
}

// The write of hold 1 comes in at 0 s and takes 3 s. At 1 s hold 2 reads, which is answered at
// once, and its own write comes in at 2 s. Compared as they arrive, both pass, though the first
// is stale when it takes effect; compared as they take effect, it is refused.
func TestWhenTokensAreCompared(t *testing.T) {
	for _, c := range []struct {
		guard     string
		atRequest bool
		want      []string
		why       string
	}{
		{"fence-reads-writes", true, []string{"1s read of 2", "3s write of 1", "5s write of 2"}, ""},
		{"fence-reads-writes", false, []string{"1s read of 2", "3s reject of 1", "5s write of 2"}, ""},
		{"if-match", true, []string{"1s read of 2", "3s write of 1", "5s write of 2"}, ""},
		{"if-match", false, []string{"1s read of 2", "3s write of 1", "5s reject of 2"}, history.Conflict},
	} {
		x := newRig(t, c.guard, Settings{Apply: rng.Constant(3 * second), CheckAtRequest: c.atRequest})
		idle := 0
		x.OnIdle = func() { idle++ }
		x.asked(asked{hold: 1, op: OpWrite, token: 33})
		x.world.Run(sim.Time(second))
		x.asked(asked{hold: 2, op: OpRead, token: 34})
		x.world.Run(sim.Time(2 * second))
		x.asked(asked{hold: 2, op: OpWrite, token: 34})
		if x.Pending() != 2 {
			t.Errorf("%d writes are being applied, want 2", x.Pending())
		}
		x.world.Run(sim.Time(10 * second))
		if got := x.did(); !slices.Equal(got, c.want) || x.Pending() != 0 || idle != 1 {
			t.Errorf("%s, at request %t: %q, want %q; %d left, idle %d times", c.guard, c.atRequest, got, c.want, x.Pending(), idle)
		}
		if last := x.r.Records[len(x.r.Records)-1]; last.Text != c.why {
			t.Errorf("%s: %q, want %q", c.guard, last.Text, c.why)
		}
	}
}

// Who came with a wrong version is told so, overtaken or not.
func TestConflictOrFailedPrecondition(t *testing.T) {
	x := newRig(t, "if-match", Settings{Apply: rng.Constant(second)})
	for hold, version := range []int64{0, 0, 1} {
		x.asked(asked{hold: history.HoldID(hold + 1), op: OpWrite, version: version})
	}
	x.world.Run(sim.Time(5 * second))
	var why []string
	for _, r := range x.r.Records {
		if r.Kind == history.Write || r.Kind == history.Reject {
			why = append(why, r.Text)
		}
	}
	// The third knew a version that was not there when it came, and is there at its effect.
	if want := []string{"", history.Conflict, ""}; !slices.Equal(why, want) {
		t.Errorf("%q, want %q", why, want)
	}
	x.asked(asked{hold: 1, op: OpWrite, version: 1})
	x.world.Run(sim.Time(10 * second))
	if last := x.r.Records[len(x.r.Records)-1]; last.Text != history.VersionDiffers {
		t.Errorf("%+v", last)
	}
}

// A crash takes what was being applied.
func TestCrashWhileApplying(t *testing.T) {
	x := newRig(t, "none", Settings{Apply: rng.Constant(3 * second)})
	x.asked(asked{hold: 1, op: OpWrite})
	x.world.Run(sim.Time(second))
	x.host.Crash(host.LoseMemory)
	if x.Pending() != 0 {
		t.Errorf("%d writes are being applied by a host that is down", x.Pending())
	}
	x.host.Restart(false)
	x.asked(asked{hold: 1, op: OpWrite})
	if x.Pending() != 1 {
		t.Errorf("%d writes are being applied, want one", x.Pending())
	}
	x.world.Run(sim.Time(10 * second))
	if got, want := x.did(), []string{"4s write of 1"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// Times that are drawn are the same for a seed, and differ from write to write.
func TestDrawnTimesOfWrites(t *testing.T) {
	draw := func(seed uint64) (times []time.Duration) {
		x := newRig(t, "none", Settings{Apply: rng.Uniform(0, time.Hour)})
		x.Reset(seed)
		for range 3 {
			times = append(times, x.applyTime(&network.Message{Body: network.Body{Op: OpWrite}}))
		}
		return times
	}
	a, b, other := draw(1), draw(1), draw(2)
	if !slices.Equal(a, b) || slices.Equal(a, other) || a[0] == a[1] {
		t.Errorf("%v and %v under seed 1, %v under seed 2", a, b, other)
	}
}
