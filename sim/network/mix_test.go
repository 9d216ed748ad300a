package network

import (
	"time"

	"pgregory.net/rapid"

	"fencepost/sim"
	"fencepost/sim/rng"
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
		// as it was drawn
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
