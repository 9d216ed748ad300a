package network

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fencepost/sim"
	"fencepost/sim/rng"
)

// TestPartialSynchrony: a message takes its delay and, before GST, what is drawn on top,
// and arrives at max(sent, GST) + bound at the latest. Rules and holds come on top.
func TestPartialSynchrony(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		gst := sim.Time(rapid.Int64Range(0, int64(time.Second)).Draw(t, "gst"))
		bound := time.Duration(rapid.Int64Range(1, int64(100*ms)).Draw(t, "bound"))
		seed := rapid.Uint64().Draw(t, "seed")
		resend := rapid.Bool().Draw(t, "loss")
		sent := rapid.SliceOfN(rapid.Int64Range(0, int64(2*time.Second)), 1, 20).Draw(t, "sent")
		arrivals := func(prepare func(r *rig)) []time.Duration {
			r := newRig("a", "b")
			r.delays(rng.Uniform(0, 150*ms))
			if resend {
				r.net.SetLoss(0, 1, half, true)
			}
			prepare(r)
			r.net.Reset(seed)
			list := make([]time.Duration, len(sent))
			r.hosts[1].on = func(m *Message) { list[m.Value] = r.world.Now().Duration() }
			for i, at := range sent { // each on a connection of its own
				r.do(time.Duration(at), func() { r.net.Send(Addr{0, int16(i)}, Addr{1, 0}, 0, &Body{Op: opA, Value: int64(i)}) })
			}
			r.run()
			return list
		}
		before := rng.Pareto(ms, 0.3) // without a mean
		bare := arrivals(func(*rig) {})
		partial := arrivals(func(r *rig) { r.net.SetSynchrony(Synchrony{GST: gst, Before: before, Bound: bound}) })
		for i, at := range sent {
			latest := max(sim.Time(at), gst).Add(bound).Duration()
			switch {
			case partial[i] > latest:
				t.Fatalf("sent at %d, arrived at %v, after %v", at, partial[i], latest)
			case sim.Time(at) >= gst && partial[i] != min(bare[i], latest):
				t.Fatalf("sent at %d after GST, arrived at %v, want %v", at, partial[i], min(bare[i], latest))
			case sim.Time(at) < gst && partial[i] < min(bare[i]+ms, latest):
				t.Fatalf("sent at %d before GST, arrived at %v, want at least 1 ms more than %v", at, partial[i], bare[i])
			}
		}
		off := arrivals(func(r *rig) {
			r.net.SetSynchrony(Synchrony{GST: gst, Before: before, Bound: bound})
			r.net.SetSynchrony(Synchrony{})
		})
		if !slices.Equal(off, bare) {
			t.Fatalf("%v without synchrony, %v when it has been switched off", bare, off)
		}
	})
}

// TestGSTItself: what is sent then is sent after it.
func TestGSTItself(t *testing.T) {
	r := newRig("a", "b")
	r.net.SetSynchrony(Synchrony{GST: sim.Time(ms), Before: rng.Constant(3 * ms), Bound: 5 * ms})
	r.do(ms-1, func() { r.net.Send(Addr{0, 1}, Addr{1, 0}, 0, &Body{Op: opA, Value: 1}) })
	r.sendAt(ms, 0, 1, opA, 2)
	r.run()
	if want := []got{{0, opA, 2, ms}, {0, opA, 1, 4*ms - 1}}; !slices.Equal(r.hosts[1].got, want) {
		t.Errorf("%v, want %v", r.hosts[1].got, want)
	}
}

// TestFaultsKnowNoBound: what is imposed comes on top of partial synchrony.
func TestFaultsKnowNoBound(t *testing.T) {
	for name, c := range map[string]struct {
		impose func(r *rig)
		want   []time.Duration
	}{
		"nothing":         {func(*rig) {}, []time.Duration{30 * ms}},
		"a slow link":     {func(r *rig) { r.net.Impose(&Rule{From: 0, To: 1, Extra: rng.Constant(time.Second)}) }, []time.Duration{1030 * ms}},
		"a narrow link":   {func(r *rig) { r.net.Impose(&Rule{From: 0, To: 1, BytesPerSecond: 100}) }, []time.Duration{1030 * ms}},
		"a hold":          {func(r *rig) { r.net.Hold(&Hold{From: 0, To: 1, Until: sim.Time(2 * time.Second)}) }, []time.Duration{2 * time.Second}},
		"a cut":           {func(r *rig) { r.net.Impose(&Rule{From: 0, To: 1, Cut: true}) }, nil},
		"a narrow way":    {func(r *rig) { r.net.SetBandwidth(0, 1, 100) }, []time.Duration{30 * ms}},
		"a lost datagram": {func(r *rig) { r.net.SetLoss(0, 1, always, false) }, nil},
		"a lossy link":    {func(r *rig) { r.net.SetLoss(0, 1, always, true) }, []time.Duration{30 * ms}},
		"its lossy cable": {func(r *rig) { r.net.Impose(&Rule{From: 0, To: 1, Loss: always, Resend: true}) }, nil},
	} {
		r := newRig("a", "b")
		r.delays(rng.Constant(100 * ms))
		r.net.SetSynchrony(Synchrony{Bound: 30 * ms})
		c.impose(r)
		r.send(0, 1, opA, 1)
		r.run()
		var arrived []time.Duration
		for _, g := range r.hosts[1].got {
			arrived = append(arrived, g.at)
		}
		if !slices.Equal(arrived, c.want) {
			t.Errorf("%s: %v, want %v", name, arrived, c.want)
		}
	}
}

// TestWhatALinkIsLikeSurvivesReset, but not what is in its pipe; rules do not.
func TestWhatALinkIsLikeSurvivesReset(t *testing.T) {
	r := newRig("a", "b")
	r.net.SetBandwidth(0, 1, 10_000)
	r.net.SetBandwidth(1, 0, 10_000)
	r.net.SetLoss(1, 0, always, false)
	for range 2 {
		r.world.Reset(1)
		r.net.Reset(1)
		r.hosts[1].got, r.hosts[0].got, r.actions = nil, nil, nil
		r.send(0, 1, opA, 1)
		r.send(1, 0, opA, 1)
		r.net.Impose(&Rule{From: 0, To: 1, Cut: true, Resend: true, Extra: rng.Constant(ms)})
		r.send(0, 1, opA, 2)
		r.world.Run(sim.Time(time.Second))
		if want := []got{}; len(r.hosts[0].got) != 0 || !slices.Equal(r.hosts[1].got, want) {
			t.Errorf("%v and %v arrived", r.hosts[0].got, r.hosts[1].got)
		}
	}
	r.world.Reset(1)
	r.net.Reset(1)
	r.hosts[1].got = nil
	r.send(0, 1, opA, 1)
	r.run()
	if want := []got{{0, opA, 1, 10 * ms}}; !slices.Equal(r.hosts[1].got, want) {
		t.Errorf("%v, want %v", r.hosts[1].got, want)
	}
}

// TestSynchronyOfALateHost: a host that is attached later is no exception.
func TestSynchronyOfALateHost(t *testing.T) {
	r := newRig("a")
	r.net.SetSynchrony(Synchrony{Bound: 5 * ms})
	s := &sink{rig: r}
	s.id = r.net.Attach("b", s)
	r.net.SetDelay(0, s.id, rng.Constant(time.Second))
	r.send(0, s.id, opA, 1)
	r.run()
	if want := []got{{0, opA, 1, 5 * ms}}; !slices.Equal(s.got, want) {
		t.Errorf("%v, want %v", s.got, want)
	}
}
