package network

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fencepost/sim"
	"fencepost/sim/rng"
	"fencepost/sim/trace"
)

// drawRule draws a rule of one or two effects.
func drawRule(t *rapid.T, hosts int) *Rule {
	host := rapid.IntRange(0, hosts-1)
	r := &Rule{From: NodeID(host.Draw(t, "from")), To: NodeID(host.Draw(t, "to"))}
	r.Port = rapid.SampledFrom([]int16{0, 0, 1, 2}).Draw(t, "port")
	r.Op = rapid.SampledFrom([]*Op{nil, opA, opB}).Draw(t, "op")
	r.Existing = rapid.IntRange(0, 3).Draw(t, "existing") == 0
	r.Resend = rapid.Bool().Draw(t, "resend")
	chance := rapid.SampledFrom([]rng.Chance{{Num: 1, Den: 10}, {Num: 1, Den: 2}, {Num: 9, Den: 10}, {Num: 1, Den: 1}})
	for range rapid.IntRange(1, 2).Draw(t, "effects") {
		switch rapid.IntRange(0, 4).Draw(t, "effect") {
		case 0:
			r.Cut = true
		case 1:
			r.Loss = chance.Draw(t, "loss")
		case 2:
			r.Duplicate, r.Again = chance.Draw(t, "duplicate"), rng.Uniform(0, 40*ms)
		case 3:
			r.Extra = rng.Exponential(10 * ms)
		case 4:
			r.BytesPerSecond = rapid.Int64Range(1000, 1e6).Draw(t, "rate")
		}
	}
	return r
}

// mix is a plan of everything that can befall messages.
type mix struct {
	rules   []*Rule
	windows []window
	holds   []*Hold
	breaks  []time.Duration
	crashes []time.Duration // of host 1
}

func drawMix(t *rapid.T) (m mix) {
	instant := rapid.Map(rapid.Int64Range(0, 500), func(v int64) time.Duration { return time.Duration(v) * ms })
	for range rapid.IntRange(0, 5).Draw(t, "rules") {
		from := instant.Draw(t, "rule from")
		m.rules = append(m.rules, drawRule(t, 3))
		m.windows = append(m.windows, window{from, from + instant.Draw(t, "rule length")})
	}
	for range rapid.IntRange(0, 2).Draw(t, "holds") {
		m.holds = append(m.holds, &Hold{From: 0, To: 1, Until: sim.Time(instant.Draw(t, "until")), Count: 3})
	}
	m.breaks = rapid.SliceOfN(instant, 0, 2).Draw(t, "breaks")
	return m
}

func (m *mix) plan(r *rig) {
	for i, rule := range m.rules {
		*rule = Rule{From: rule.From, To: rule.To, Port: rule.Port, Op: rule.Op, Existing: rule.Existing, Cut: rule.Cut, Loss: rule.Loss,
			Resend: rule.Resend, Duplicate: rule.Duplicate, Again: rule.Again, Extra: rule.Extra, BytesPerSecond: rule.BytesPerSecond}
		r.do(m.windows[i].from, func() { r.net.Impose(rule) })
		r.do(m.windows[i].to, func() { r.net.Lift(rule) })
	}
	for _, h := range m.holds {
		h.Caught = 0
		r.net.Hold(h)
	}
	for _, at := range m.breaks {
		r.do(at, func() { r.net.Break(0, 1, 0) })
	}
	for _, at := range m.crashes {
		r.do(at, func() { r.hosts[1].incarnation++ })
	}
}

type letter struct {
	at       time.Duration
	from, to Addr
	op       *Op
}

// drawLetters draws messages from processes and servers to servers and processes.
func drawLetters(t *rapid.T, most int) (list []letter) {
	at := time.Duration(0)
	for range rapid.IntRange(1, most).Draw(t, "messages") {
		at += time.Duration(rapid.Int64Range(0, int64(30*ms)).Draw(t, "gap"))
		l := letter{at: at, op: rapid.SampledFrom([]*Op{opA, opB}).Draw(t, "op")}
		l.from.Node, l.to.Node = NodeID(rapid.IntRange(0, 2).Draw(t, "from")), NodeID(rapid.IntRange(0, 2).Draw(t, "to"))
		l.from.Port = int16(rapid.IntRange(0, 2).Draw(t, "port"))
		if l.from.Port == 0 {
			l.to.Port = int16(rapid.IntRange(0, 2).Draw(t, "to port"))
		}
		list = append(list, l)
	}
	return list
}

func (r *rig) post(list []letter) {
	for i, l := range list {
		r.do(l.at, func() { r.net.Send(l.from, l.to, 0, &Body{Op: l.op, Value: int64(i)}) })
	}
}

// drawOwn sets what links are like by themselves.
func drawOwn(t *rapid.T, r *rig) {
	for range rapid.IntRange(0, 3).Draw(t, "own properties") {
		from, to := NodeID(rapid.IntRange(0, 2).Draw(t, "from")), NodeID(rapid.IntRange(0, 2).Draw(t, "to"))
		if rapid.Bool().Draw(t, "narrow") {
			r.net.SetBandwidth(from, to, rapid.Int64Range(1000, 1e6).Draw(t, "rate"))
		} else {
			r.net.SetLoss(from, to, rng.Chance{Num: 1, Den: 5}, rapid.Bool().Draw(t, "resend"))
		}
	}
	if rapid.IntRange(0, 3).Draw(t, "synchrony") == 0 {
		r.net.SetSynchrony(Synchrony{GST: sim.Time(200 * ms), Before: rng.Exponential(300 * ms), Bound: 50 * ms})
	}
}

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
			words := strings.Fields(line.Text)
			id := fmt.Sprint(line.Who, " ", words[0], " ", strings.Join(words[1:], " "))
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
