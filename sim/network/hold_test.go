package network

import (
	"slices"
	"testing"
	"time"

	"fencepost/sim"
	"fencepost/sim/rng"
)

func TestHold(t *testing.T) {
	const until = sim.Time(100 * ms)
	all := &Hold{From: 0, To: 1, Until: until}
	onlyB := &Hold{From: 0, To: 1, Op: opB, Until: until}
	two := &Hold{From: 0, To: 1, Op: opB, Until: until, Count: 2}
	type sent struct {
		at time.Duration
		op *Op
	}
	for _, c := range []struct {
		name   string
		hold   Hold
		sent   []sent
		want   []time.Duration // of arrival
		caught int
	}{
		{"the first of any class", *all, []sent{{0, opA}}, []time.Duration{100 * ms}, 1},
		{"those behind wait too", *all, []sent{{0, opA}, {5 * ms, opB}, {95 * ms, opA}}, []time.Duration{100 * ms, 100 * ms, 105 * ms}, 1},
		{"those before do not", *onlyB, []sent{{0, opA}, {5 * ms, opB}}, []time.Duration{10 * ms, 100 * ms}, 1},
		{"another class passes", *onlyB, []sent{{0, opA}, {5 * ms, opA}}, []time.Duration{10 * ms, 15 * ms}, 0},
		{"as many as it says", *two, []sent{{0, opB}, {110 * ms, opB}}, []time.Duration{100 * ms, 120 * ms}, 1},
		{"two", *two, []sent{{0, opB}, {1 * ms, opB}, {2 * ms, opB}}, []time.Duration{100 * ms, 100 * ms, 100 * ms}, 2},
		{"not what would come later anyway", *all, []sent{{95 * ms, opA}}, []time.Duration{105 * ms}, 0},
		{"not what would come just then", *all, []sent{{90 * ms, opA}}, []time.Duration{100 * ms}, 0},
		{"the other direction", Hold{From: 1, To: 0, Until: until}, []sent{{0, opA}}, []time.Duration{10 * ms}, 0},
	} {
		r := newRig("a", "b", "c")
		r.delays(rng.Constant(10 * ms))
		r.net.Hold(&c.hold)
		for i, s := range c.sent {
			r.sendAt(s.at, 0, 1, s.op, int64(i))
			r.sendAt(s.at, 2, 1, s.op, 0) // another connection is free
		}
		r.run()
		var arrived []time.Duration
		for _, g := range r.hosts[1].got {
			if g.from == 0 {
				arrived = append(arrived, g.at)
			} else if !slices.ContainsFunc(c.sent, func(s sent) bool { return s.at+10*ms == g.at }) {
				t.Errorf("%s: a message of another connection arrived at %v", c.name, g.at)
			}
		}
		if !slices.Equal(arrived, c.want) || c.hold.Caught != c.caught {
			t.Errorf("%s: arrived at %v, %d caught; want %v, %d caught", c.name, arrived, c.hold.Caught, c.want, c.caught)
		}
	}
}

func TestTwoHoldsTheLaterOneCounts(t *testing.T) {
	r := newRig("a", "b")
	early, late := &Hold{From: 0, To: 1, Until: sim.Time(50 * ms)}, &Hold{From: 0, To: 1, Until: sim.Time(80 * ms)}
	r.net.Hold(late)
	r.net.Hold(early)
	r.send(0, 1, opA, 1)
	r.run()
	if want := []got{{0, opA, 1, 80 * ms}}; !slices.Equal(r.hosts[1].got, want) || early.Caught+late.Caught != 2 {
		t.Errorf("%v, %d and %d caught, want %v and one each", r.hosts[1].got, early.Caught, late.Caught, want)
	}
}

func TestACutMessageIsNotHeld(t *testing.T) {
	for _, resend := range []bool{false, true} {
		r := newRig("a", "b")
		hold := &Hold{From: 0, To: 1, Until: sim.Time(50 * ms), Count: 2}
		cut := &Rule{From: 0, To: 1, Cut: true, Resend: resend}
		r.net.Hold(hold)
		r.net.Impose(cut)
		r.send(0, 1, opA, 1)
		r.net.Lift(cut)
		r.send(0, 1, opA, 2)
		r.run()
		want := []got{{0, opA, 2, 50 * ms}}
		if resend { // before the one that is held
			want = []got{{0, opA, 1, 200 * ms}, {0, opA, 2, 200 * ms}}
		}
		if !slices.Equal(r.hosts[1].got, want) || hold.Caught != 1 {
			t.Errorf("%v, %d caught, want %v and one", r.hosts[1].got, hold.Caught, want)
		}
	}
}
