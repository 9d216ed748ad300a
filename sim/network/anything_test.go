package network

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fencepost/sim"
	"fencepost/sim/rng"
	"fencepost/sim/trace"
)

// TestFIFOUnderAnything: whatever is imposed, originals of one connection arrive in the
// order in which they were sent, each at most once, and a copy after its original.
func TestFIFOUnderAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := newRig("a", "b", "c")
		r.delays(rng.Uniform(0, 20*ms))
		drawOwn(t, r)
		r.net.Reset(rapid.Uint64().Draw(t, "seed"))
		type connection struct{ from, to Addr }
		times := map[int64]int{}
		last := map[connection]int64{}
		for _, h := range r.hosts {
			h.on = func(m *Message) {
				if m.Op == OpReset {
					return
				}
				times[m.Value]++
				c := connection{m.From, m.To}
				switch previous, some := last[c]; {
				case times[m.Value] > 2:
					t.Fatalf("message %d arrived %d times", m.Value, times[m.Value])
				case times[m.Value] == 1 && some && previous > m.Value:
					t.Fatalf("message %d arrived after %d of its connection", m.Value, previous)
				case times[m.Value] == 1:
					last[c] = m.Value
				}
			}
		}
		m := drawMix(t)
		m.plan(r)
		r.post(drawLetters(t, 60))
		r.run()
	})
}

// TestConservation: what is sent arrives or is lost, once, and so is each copy; then
// nothing is on its way any more, and whoever waits for that was told.
func TestConservation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := newRig("a", "b", "c")
		r.delays(rng.Uniform(0, 20*ms))
		drawOwn(t, r)
		r.net.Reset(rapid.Uint64().Draw(t, "seed"))
		memory := &trace.Memory{}
		r.world.Sink = memory
		p := &tap{}
		r.net.Tap = p
		was := make([]int, len(r.hosts)) // on their way to each host when last looked at
		r.net.Idle = func(to NodeID) {
			if r.net.Inbound(to) != 0 {
				t.Fatalf("host %d is called idle with %d messages on their way", to, r.net.Inbound(to))
			}
			was[to] = 0
		}
		for at := time.Duration(0); at < 2*time.Second; at += 7 * ms {
			r.do(at, func() {
				for i := range was {
					now := r.net.Inbound(NodeID(i))
					if was[i] > 0 && now == 0 {
						t.Fatalf("host %d became idle, and nobody was told", i)
					}
					was[i] = now
				}
			})
		}
		m := drawMix(t)
		m.crashes = rapid.SliceOfN(rapid.Map(rapid.Int64Range(0, 500), func(v int64) time.Duration { return time.Duration(v) * ms }), 0, 2).Draw(t, "crashes")
		m.plan(r)
		r.post(drawLetters(t, 60))
		r.run()
		balance := map[string]int{}
		for _, line := range memory.Records {
			id := line.Who + " to " + line.Text
			if strings.Contains(id, OpReset.Name) {
				continue
			}
			switch line.What {
			case "send", "copy":
				balance[id]++
			case "deliver", "lost":
				balance[id]--
			}
		}
		for id, n := range balance {
			if n != 0 {
				t.Errorf("%s: %d more sent than arrived and lost", id, n)
			}
		}
		delivered, lines := 0, 0
		for _, s := range p.seen {
			if !s.lost {
				delivered++
			}
		}
		for _, line := range memory.Records {
			if line.What == "deliver" && !strings.Contains(line.Text, OpReset.Name) {
				lines++
			}
		}
		if delivered != lines {
			t.Errorf("the tap saw %d arrive, the trace %d", delivered, lines)
		}
		for _, h := range r.hosts {
			if n := r.net.Inbound(h.id); n != 0 {
				t.Errorf("%d messages are still on their way to host %d", n, h.id)
			}
		}
	})
}

// TestDelaysDoNotDependOnRules: the delays of a class on a link are the same whatever
// befalls other links, other classes, and the messages that were sent before.
func TestDelaysDoNotDependOnRules(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		m := drawMix(t)
		other := drawLetters(t, 30)
		for i := range other {
			if other[i].from.Node == 0 && other[i].to.Node == 1 {
				other[i].op = opB
			}
		}
		own := rapid.Bool().Draw(t, "rules on the link itself")
		run := func(with bool) (list []got) {
			r := newRig("a", "b", "c")
			r.delays(rng.Uniform(ms, 20*ms))
			r.net.Reset(seed)
			if with {
				for _, rule := range m.rules {
					if rule.From == 0 && rule.To == 1 && !own {
						rule.Op = opB
					}
				}
				m.plan(r)
				r.post(other)
			}
			for i := range 60 { // alone on its connection
				at := time.Duration(i) * 50 * ms
				r.do(at, func() { r.net.Send(Addr{0, 9}, Addr{1, 0}, 0, &Body{Op: opA, Value: int64(1000 + i)}) })
			}
			r.run()
			for _, g := range r.hosts[1].got {
				// What is sent after the last rule is lifted and the last hold and reset are
				// over counts in any case.
				if g.value >= 1000 && (!own || g.value >= 1000+30) {
					list = append(list, g)
				}
			}
			return list
		}
		if own { // a connection that is sent again on would still hold others up
			for _, rule := range m.rules {
				rule.Resend = false
			}
		} else {
			m.holds, m.breaks = nil, nil
		}
		if with, without := run(true), run(false); !slices.Equal(with, without) {
			t.Fatalf("with   %v\nwithout %v", with, without)
		}
	})
}

// TestLiftingRestores: rules that are imposed and lifted between messages, in any order,
// leave no mark; of some that are lifted, the others act as if they were alone.
func TestLiftingRestores(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		var rules []*Rule
		for range rapid.IntRange(1, 5).Draw(t, "rules") {
			rules = append(rules, drawRule(t, 2))
		}
		lift := rapid.Permutation(indices(len(rules))).Draw(t, "order")
		stay := rapid.IntRange(0, len(rules)).Draw(t, "that stay")
		letters := drawLetters(t, 40)
		run := func(imposed []int, lifted []int) ([]got, uint64) {
			r := newRig("a", "b", "c")
			r.world.Reset(seed)
			r.delays(rng.Uniform(ms, 20*ms))
			r.net.Reset(seed)
			r.post(letters)
			r.world.Run(sim.Time(100 * ms))
			for _, i := range imposed {
				rules[i].Touched = 0
				r.net.Impose(rules[i])
			}
			for _, i := range lifted {
				r.net.Lift(rules[i])
			}
			r.run()
			return slices.Concat(r.hosts[0].got, r.hosts[1].got, r.hosts[2].got), r.world.Digest().Sum()
		}
		left := slices.Sorted(slices.Values(lift[:stay]))
		all, digest := run(indices(len(rules)), lift[stay:])
		alone, digestAlone := run(left, nil)
		if !slices.Equal(all, alone) || digest != digestAlone {
			t.Fatalf("%v (%x), alone %v (%x)", all, digest, alone, digestAlone)
		}
	})
}

func indices(n int) (list []int) {
	for i := range n {
		list = append(list, i)
	}
	return list
}

// TestARuleWithoutEffectHasNone.
func TestARuleWithoutEffectHasNone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		letters := drawLetters(t, 40)
		run := func(rule *Rule) uint64 {
			r := newRig("a", "b", "c")
			r.delays(rng.Uniform(ms, 20*ms))
			if rule != nil {
				r.net.Impose(rule)
			}
			r.post(letters)
			r.run()
			return r.world.Digest().Sum()
		}
		none := &Rule{From: 0, To: 1, Resend: rapid.Bool().Draw(t, "resend"), Loss: rng.Chance{Num: 0, Den: 5}, Again: rng.Exponential(ms)}
		if run(none) != run(nil) || none.Touched != 0 {
			t.Fatal("a rule that does nothing made a difference")
		}
	})
}
