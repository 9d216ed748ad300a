package network

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fencepost/sim"
	"fencepost/sim/rng"
)

// TestPeekIsWhatHappens: what was foretold of the nth next message happens to it, also when
// others were skipped, and looking changes neither that nor the digest.
func TestPeekIsWhatHappens(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		delay := rapid.SampledFrom([]rng.Dist{rng.Constant(7 * ms), rng.Uniform(ms, 20*ms), rng.LogNormal(ms, 0.5)}).Draw(t, "delay")
		seed := rapid.Uint64().Draw(t, "seed")
		skip := rapid.SliceOfN(rapid.Uint64Range(0, 3), 1, 20).Draw(t, "skipped before each")
		run := func(look bool) ([]time.Duration, uint64) {
			r := newRig("a", "b")
			r.world.Reset(seed)
			r.delays(delay)
			r.net.Reset(seed)
			var took, expected []time.Duration
			r.hosts[1].on = func(m *Message) { took = append(took, r.world.Now().Sub(sim.Time(m.Value))) }
			for i, n := range skip {
				r.do(time.Duration(i)*time.Second, func() {
					now := r.world.Now()
					var foretold time.Duration
					if look {
						foretold = r.net.PeekDelay(0, 1, opA, n+1)
						r.net.PeekDelay(0, 1, opB, 1)
					}
					r.net.Skip(0, 1, opA, n)
					if look && r.net.PeekDelay(0, 1, opA, 1) != foretold {
						t.Fatal("skipping changed what comes")
					}
					r.send(0, 1, opA, int64(now))
					expected = append(expected, foretold)
				})
			}
			r.run()
			if look && !slices.Equal(took, expected) {
				t.Fatalf("took %v, foretold %v", took, expected)
			}
			return took, r.world.Digest().Sum()
		}
		_, looked := run(true)
		if _, did := run(false); looked != did {
			t.Fatal("looking ahead changed the digest")
		}
	})
}

// TestSkippedAreAsIfSent: the messages that come after get the delays that they would have.
func TestSkippedAreAsIfSent(t *testing.T) {
	delays := func(skip bool) (list []time.Duration) {
		r := newRig("a", "b")
		r.delays(rng.Uniform(ms, 20*ms))
		for i := range 20 {
			if at := time.Duration(i) * time.Second; !skip || i%3 != 0 {
				r.sendAt(at, 0, 1, opA, int64(i))
			} else {
				r.do(at, func() { r.net.Skip(0, 1, opA, 1) })
			}
		}
		r.run()
		list = make([]time.Duration, 20)
		for _, g := range r.hosts[1].got {
			list[g.value] = g.at
		}
		return list
	}
	all, some := delays(false), delays(true)
	for i := range all {
		if i%3 != 0 && all[i] != some[i] {
			t.Errorf("message %d arrived at %v, %v if others are skipped", i, all[i], some[i])
		}
	}
}

func TestQuiet(t *testing.T) {
	until := sim.Time(time.Second)
	for _, c := range []struct {
		name    string
		disturb func(r *rig)
		a, b    bool // whether opA and opB are quiet
	}{
		{"nothing", func(*rig) {}, true, true},
		{"another link", func(r *rig) { r.net.Impose(&Rule{From: 1, To: 0, Cut: true}); r.net.SetBandwidth(1, 0, 5) }, true, true},
		{"a rule", func(r *rig) { r.net.Impose(&Rule{From: 0, To: 1}) }, false, false},
		{"a rule for a class", func(r *rig) { r.net.Impose(&Rule{From: 0, To: 1, Op: opA, Cut: true}) }, false, true},
		{"a rule that was lifted", func(r *rig) {
			rule := &Rule{From: 0, To: 1, Cut: true}
			r.net.Impose(rule)
			r.net.Lift(rule)
		}, true, true},
		{"a hold", func(r *rig) { r.net.Hold(&Hold{From: 0, To: 1, Until: until}) }, false, false},
		{"a hold for a class", func(r *rig) { r.net.Hold(&Hold{From: 0, To: 1, Op: opB, Until: until}) }, true, false},
		{"a hold of the other way", func(r *rig) { r.net.Hold(&Hold{From: 1, To: 0, Until: until}) }, true, true},
		{"a hold that has caught all it will", func(r *rig) {
			r.net.Hold(&Hold{From: 0, To: 1, Until: until})
			r.send(0, 1, opA, 1)
		}, true, true},
		{"a hold that is over", func(r *rig) {
			r.net.Hold(&Hold{From: 0, To: 1, Until: until})
			r.do(2*time.Second, func() {})
			r.run()
		}, true, true},
		{"loss", func(r *rig) { r.net.SetLoss(0, 1, rng.Chance{Num: 1, Den: 100}, true) }, false, false},
		{"bandwidth", func(r *rig) { r.net.SetBandwidth(0, 1, 1e9) }, false, false},
		{"neither any more", func(r *rig) {
			r.net.SetLoss(0, 1, half, true)
			r.net.SetBandwidth(0, 1, 1e9)
			r.net.SetLoss(0, 1, rng.Chance{}, false)
			r.net.SetBandwidth(0, 1, 0)
		}, true, true},
		{"synchrony", func(r *rig) { r.net.SetSynchrony(Synchrony{Bound: time.Hour}) }, false, false},
		{"a message that waits to be sent again", func(r *rig) {
			rule := &Rule{From: 0, To: 1, Cut: true, Resend: true}
			r.net.Impose(rule)
			r.send(0, 1, opA, 1)
			r.world.Run(sim.Time(50 * ms))
			r.net.Lift(rule)
		}, false, false},
		{"a message that waited, and was lost with its connection", func(r *rig) {
			rule := &Rule{From: 0, To: 1, Cut: true, Resend: true}
			r.net.Impose(rule)
			r.send(0, 1, opA, 1)
			r.world.Run(sim.Time(50 * ms))
			r.net.Lift(rule)
			r.net.Break(0, 1, 0)
		}, true, true},
		{"a message that waited, in the run before", func(r *rig) {
			r.net.Impose(&Rule{From: 0, To: 1, Cut: true, Resend: true})
			r.send(0, 1, opA, 1)
			r.world.Run(sim.Time(50 * ms))
			r.world.Reset(1)
			r.net.Reset(1)
		}, true, true},
		{"one that was sent again", func(r *rig) {
			rule := &Rule{From: 0, To: 1, Cut: true, Resend: true}
			r.net.Impose(rule)
			r.send(0, 1, opA, 1)
			r.world.Run(sim.Time(50 * ms))
			r.net.Lift(rule)
			r.run()
		}, true, true},
	} {
		r := newRig("a", "b")
		r.delays(rng.Constant(10 * ms))
		c.disturb(r)
		if a, b, any := r.net.Quiet(0, 1, opA), r.net.Quiet(0, 1, opB), r.net.Quiet(0, 1, nil); a != c.a || b != c.b || any != (c.a && c.b) {
			t.Errorf("%s: quiet %v, %v and %v for any, want %v and %v", c.name, a, b, any, c.a, c.b)
		}
	}
}
