package network

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fencepost/sim"
	"fencepost/sim/rng"
)

// TestSentLateIsAsIfSentThen: a message that is put on its way while it would be on it
// arrives when it would, and so does all that is sent after it.
func TestSentLateIsAsIfSentThen(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		share := rapid.IntRange(0, 99).Draw(t, "percent of its way")
		cut := rapid.Bool().Draw(t, "cut when it is due")
		run := func(late bool) []got {
			r := newRig("a", "b")
			r.delays(rng.Uniform(ms, 20*ms))
			r.net.Reset(seed)
			delay := r.net.PeekDelay(0, 1, opA, 1)
			at := ms + delay*time.Duration(share)/100
			if late {
				r.do(at, func() {
					r.net.SendLate(Addr{Node: 0}, Addr{Node: 1}, 0, &Body{Op: opA, Value: 1}, sim.Time(ms))
				})
			} else {
				r.sendAt(ms, 0, 1, opA, 1)
			}
			if cut {
				rule := &Rule{From: 0, To: 1, Cut: true, Resend: true}
				r.do(at+1, func() { r.net.Impose(rule) })
				r.do(time.Second, func() { r.net.Lift(rule) })
			}
			for i := range 5 {
				r.sendAt(at+time.Duration(i+1)*ms, 0, 1, opA, int64(i+2))
			}
			r.run()
			return r.hosts[1].got
		}
		if want, late := run(false), run(true); !slices.Equal(late, want) || len(want) != 6 {
			t.Fatalf("got %v, want %v", late, want)
		}
	})
}

// What acts on a link is announced before it does.
func TestLinkDisturbancesAreAnnounced(t *testing.T) {
	for name, change := range map[string]func(n *Network){
		"rule":      func(n *Network) { n.Impose(&Rule{From: 0, To: 1, Cut: true}) },
		"hold":      func(n *Network) { n.Hold(&Hold{From: 0, To: 1, Until: sim.Time(time.Second)}) },
		"delay":     func(n *Network) { n.SetDelay(0, 1, rng.Constant(ms)) },
		"loss":      func(n *Network) { n.SetLoss(0, 1, rng.Chance{Num: 1, Den: 2}, true) },
		"bandwidth": func(n *Network) { n.SetBandwidth(0, 1, 1000) },
		"synchrony": func(n *Network) { n.SetSynchrony(Synchrony{Bound: time.Second}) },
		"reset":     func(n *Network) { n.Break(0, 1, 0) },
	} {
		r := newRig("a", "b", "c")
		r.send(0, 1, opA, 1)
		r.run()
		told := 0
		r.net.OnDisturb(func(from, to NodeID) {
			if from == 0 && to == 1 {
				told++
			}
			if !r.net.Quiet(0, 1, nil) || !r.net.Open(Addr{Node: 0}, Addr{Node: 1}) || r.net.MaxDelay(0, 1) != 0 {
				t.Errorf("%s: told too late", name)
			}
		})
		change(r.net)
		if told != 1 {
			t.Errorf("%s: told %d times", name, told)
		}
	}
}

// A connection is open once it has carried something, until it is reset or an end crashes.
func TestOpen(t *testing.T) {
	r := newRig("a", "b")
	want := func(when string, there, back bool) {
		t.Helper()
		if r.net.Open(Addr{Node: 0}, Addr{Node: 1}) != there || r.net.Open(Addr{Node: 1}, Addr{Node: 0}) != back {
			t.Errorf("%s: open %v and %v", when, r.net.Open(Addr{Node: 0}, Addr{Node: 1}), r.net.Open(Addr{Node: 1}, Addr{Node: 0}))
		}
	}
	want("at first", false, false)
	r.send(0, 1, opA, 1)
	want("after a message", true, false)
	r.send(1, 0, opA, 1)
	want("after a reply", true, true)
	r.net.Break(0, 1, 0)
	want("after a reset", false, false)
	r.send(0, 1, opA, 1)
	want("after another message", true, false)
	r.hosts[1].incarnation++
	want("after a crash", false, false)
}
