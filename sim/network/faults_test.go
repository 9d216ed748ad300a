package network

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fencepost/sim"
	"fencepost/sim/rng"
)

// window is [from, to) of a cut.
type window struct{ from, to time.Duration }

func (w window) covers(at time.Duration) bool { return w.from <= at && at < w.to }

func covered(windows []window, at time.Duration) bool {
	return slices.ContainsFunc(windows, func(w window) bool { return w.covers(at) })
}

// TestCuts: a message is lost if some cut is in force when it is sent or when it would
// arrive; each cut in force counts what it is offered. Windows overlap at will.
func TestCuts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const delay = 10
		instant := rapid.Int64Range(0, 60)
		r := newRig("a", "b")
		r.delays(rng.Constant(delay))
		var windows []window
		var cuts []*Cut
		for range rapid.IntRange(0, 3).Draw(t, "cuts") {
			from, length := instant.Draw(t, "from"), instant.Draw(t, "length")
			w := window{time.Duration(from), time.Duration(from + length)}
			c := &Cut{From: 0, To: 1}
			windows, cuts = append(windows, w), append(cuts, c)
			r.do(w.from, func() { r.net.Cut(c) })
			r.do(w.to, func() { r.net.Heal(c) })
		}
		sent := rapid.SliceOfN(instant, 0, 20).Draw(t, "sent")
		slices.Sort(sent)
		var want []int64
		offered := make([]int, len(cuts))
		for i, s := range sent {
			at := time.Duration(s)
			r.sendAt(at, 0, 1, opA, int64(i))
			r.sendAt(at, 1, 0, opA, int64(i)) // the other direction is not cut
			if !covered(windows, at) {
				at += delay
			}
			for k, w := range windows {
				if w.covers(at) {
					offered[k]++
				}
			}
			if !covered(windows, at) {
				want = append(want, int64(i))
			}
		}
		r.run()
		if got := r.hosts[1].values(0); !slices.Equal(got, want) {
			t.Fatalf("%v arrived, want %v", got, want)
		}
		if got := len(r.hosts[0].values(1)); got != len(sent) {
			t.Fatalf("%d of %d arrived against the direction of the cuts", got, len(sent))
		}
		for k, c := range cuts {
			if c.Offered != offered[k] {
				t.Fatalf("cut %v was offered %d, want %d", windows[k], c.Offered, offered[k])
			}
		}
	})
}

func TestHealingTwiceIsOnce(t *testing.T) {
	r := newRig("a", "b")
	first, second := &Cut{From: 0, To: 1}, &Cut{From: 0, To: 1}
	r.net.Cut(first)
	r.net.Cut(second)
	r.net.Heal(first)
	r.net.Heal(first)
	r.send(0, 1, opA, 1)
	r.net.Heal(second)
	r.send(0, 1, opA, 2)
	r.run()
	if want := []int64{2}; !slices.Equal(r.hosts[1].values(0), want) {
		t.Errorf("%v arrived, want %v", r.hosts[1].values(0), want)
	}
}

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
	r := newRig("a", "b")
	hold := &Hold{From: 0, To: 1, Until: sim.Time(50 * ms)}
	cut := &Cut{From: 0, To: 1}
	r.net.Hold(hold)
	r.net.Cut(cut)
	r.send(0, 1, opA, 1)
	r.net.Heal(cut)
	r.send(0, 1, opA, 2)
	r.run()
	if want := []got{{0, opA, 2, 50 * ms}}; !slices.Equal(r.hosts[1].got, want) || hold.Caught != 1 {
		t.Errorf("%v, %d caught, want %v and one", r.hosts[1].got, hold.Caught, want)
	}
}
