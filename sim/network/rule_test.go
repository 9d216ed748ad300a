package network

import (
	"slices"
	"testing"
	"time"

	"fencepost/sim"
	"fencepost/sim/rng"
)

var (
	always = rng.Chance{Num: 1, Den: 1}
	half   = rng.Chance{Num: 1, Den: 2}
)

func TestDuplicates(t *testing.T) {
	const n = 4000
	rule := &Rule{From: 0, To: 1, Duplicate: rng.Chance{Num: 1, Den: 4}, Again: rng.Uniform(20*ms, 40*ms)}
	_, arrived := steady(1, n, func(r *rig) { r.net.Impose(rule) })
	copies := 0
	for _, d := range arrived {
		if d != 10*ms {
			copies++
			if d < 30*ms || d > 50*ms {
				t.Fatalf("a copy took %v", d)
			}
		}
	}
	share(t, "copies", copies, n, 0.25)
	if rule.Touched != copies || len(arrived) != n+copies {
		t.Errorf("%d copies, %d touched, %d arrived", copies, rule.Touched, len(arrived))
	}
}

// TestACopyIsAMessage of its own connection: later ones overtake it, it counts as being on
// its way, a cut or a crash of its receiver loses it, a reset does not.
func TestACopyIsAMessage(t *testing.T) {
	for _, c := range []struct {
		name    string
		disturb func(r *rig)
		copied  bool
	}{
		{"nothing", func(*rig) {}, true},
		{"a cut", func(r *rig) { r.net.Impose(&Rule{From: 0, To: 1, Cut: true, Resend: true}) }, false},
		{"a cut of connections that exist", func(r *rig) { r.net.Impose(&Rule{From: 0, To: 1, Cut: true, Existing: true}) }, true},
		{"a crash", func(r *rig) { r.hosts[1].incarnation++ }, false},
		{"a crash of the sender", func(r *rig) { r.hosts[0].incarnation++ }, true},
		{"a reset", func(r *rig) { r.net.Break(0, 1, 0) }, true},
	} {
		r := newRig("a", "b")
		r.delays(rng.Constant(10 * ms))
		r.net.Impose(&Rule{From: 0, To: 1, Op: opA, Duplicate: always, Again: rng.Constant(50 * ms)})
		idle := 0
		r.net.Idle = func(NodeID) { idle++ }
		r.sendAt(0, 0, 1, opA, 1)
		r.sendAt(20*ms, 0, 1, opB, 2)
		r.do(35*ms, func() {
			if in := r.net.Inbound(1); in != 1 || idle != 0 {
				t.Errorf("%s: %d on their way, called idle %d times; want the copy alone", c.name, in, idle)
			}
			c.disturb(r)
		})
		r.run()
		want := []int64{1, 2}
		if c.copied {
			want = []int64{1, 2, 1}
		}
		if got := r.hosts[1].values(0); !slices.Equal(got, want) || r.net.Inbound(1) != 0 || idle != 1 {
			t.Errorf("%s: %v arrived (idle %d times), want %v", c.name, got, idle, want)
		}
	}
}

// TestOneCopyAtMost: the first of two rules makes it.
func TestOneCopyAtMost(t *testing.T) {
	first := &Rule{From: 0, To: 1, Duplicate: always, Again: rng.Constant(20 * ms)}
	second := &Rule{From: 0, To: 1, Duplicate: always, Again: rng.Constant(30 * ms)}
	_, arrived := steady(1, 1, func(r *rig) { r.net.Impose(first); r.net.Impose(second) })
	if want := []time.Duration{10 * ms, 30 * ms}; !slices.Equal(arrived, want) || first.Touched != 1 || second.Touched != 0 {
		t.Errorf("%v, want %v", arrived, want)
	}
}

func TestALostMessageHasNoCopy(t *testing.T) {
	r := newRig("a", "b")
	r.delays(rng.Constant(10 * ms))
	cut := &Rule{From: 0, To: 1, Cut: true}
	r.net.Impose(&Rule{From: 0, To: 1, Duplicate: always, Again: rng.Constant(50 * ms)})
	r.sendAt(0, 0, 1, opA, 1)
	r.do(5*ms, func() { r.net.Impose(cut) })
	r.do(15*ms, func() { r.net.Lift(cut) })
	r.sendAt(100*ms, 0, 1, opA, 2)
	r.do(105*ms, func() { r.hosts[1].incarnation++ })
	r.do(111*ms, func() {
		if in := r.net.Inbound(1); in != 0 {
			t.Errorf("%d on their way", in)
		}
	})
	r.run()
	if len(r.hosts[1].got) != 0 || r.net.Inbound(1) != 0 {
		t.Errorf("%v arrived", r.hosts[1].got)
	}
}

func TestSlowLink(t *testing.T) {
	slow := &Rule{From: 0, To: 1, Extra: rng.Constant(30 * ms)}
	slower := &Rule{From: 0, To: 1, Extra: rng.Mixture(rng.Weighted{Weight: 1, Dist: rng.Constant(0)}, rng.Weighted{Weight: 3, Dist: rng.Constant(50 * ms)})}
	_, arrived := steady(1, 4000, func(r *rig) {
		r.do(1000*time.Second, func() { r.net.Impose(slow) })
		r.do(2000*time.Second, func() { r.net.Impose(slower) })
		r.do(3000*time.Second, func() { r.net.Lift(slow) })
	})
	counts := map[time.Duration]int{}
	for i, d := range arrived {
		counts[d]++
		if second := i / 1000; second == 0 && d != 10*ms || second == 1 && d != 40*ms {
			t.Fatalf("message %d took %v", i, d)
		}
	}
	share(t, "both", counts[90*ms], 1000, 0.75)
	share(t, "the second alone", counts[60*ms], 1000, 0.75)
	if slow.Touched != 2000 || slower.Touched != counts[90*ms]+counts[60*ms] {
		t.Errorf("touched %d and %d", slow.Touched, slower.Touched)
	}
}

// TestBandwidth: a pipe that carries 10 kB/s takes 10 ms for a message of 100 bytes, one
// after the other, whatever their connections; the delay comes on top.
func TestBandwidth(t *testing.T) {
	big := NewOp("test.big")
	big.Bytes = 1001
	for _, c := range []struct {
		name    string
		prepare func(r *rig)
		want    []time.Duration // of three messages sent at once by different processes, and one later
	}{
		{"none", func(*rig) {}, []time.Duration{10 * ms, 10 * ms, 10 * ms, 110 * ms}},
		{"a link", func(r *rig) { r.net.SetBandwidth(0, 1, 10_000) }, []time.Duration{20 * ms, 30 * ms, 130100 * time.Microsecond, 140100 * time.Microsecond}},
		{"a rule", func(r *rig) { r.net.Impose(&Rule{From: 0, To: 1, BytesPerSecond: 10_000}) }, []time.Duration{20 * ms, 30 * ms, 130100 * time.Microsecond, 140100 * time.Microsecond}},
		{"a rule for a class", func(r *rig) { r.net.Impose(&Rule{From: 0, To: 1, Op: opA, BytesPerSecond: 10_000}) }, []time.Duration{20 * ms, 30 * ms, 10 * ms, 120 * ms}},
		{"one pipe after the other", func(r *rig) {
			r.net.SetBandwidth(0, 1, 10_000)
			r.net.Impose(&Rule{From: 0, To: 1, Op: opA, BytesPerSecond: 5_000})
		}, []time.Duration{40 * ms, 60 * ms, 130100 * time.Microsecond, 160100 * time.Microsecond}},
		{"no whole nanoseconds", func(r *rig) { r.net.SetBandwidth(0, 1, 3e9) }, []time.Duration{10*ms + 34, 10*ms + 68, 10*ms + 402, 110*ms + 34}},
	} {
		r := newRig("a", "b")
		r.delays(rng.Constant(10 * ms))
		c.prepare(r)
		for i, op := range []*Op{opA, opA, big} {
			r.net.Send(Addr{0, int16(i)}, Addr{1, 0}, 0, &Body{Op: op, Value: int64(i)})
		}
		r.do(100*ms, func() { r.net.Send(Addr{0, 9}, Addr{1, 0}, 0, &Body{Op: opA, Value: 3}) })
		r.run()
		arrived := make([]time.Duration, 4)
		for _, g := range r.hosts[1].got {
			arrived[g.value] = g.at
		}
		if !slices.Equal(arrived, c.want) {
			t.Errorf("%s: %v, want %v", c.name, arrived, c.want)
		}
	}
}

// TestARuleImposedAgainIsFresh: its pipe is empty.
func TestARuleImposedAgainIsFresh(t *testing.T) {
	r := newRig("a", "b")
	narrow := &Rule{From: 0, To: 1, BytesPerSecond: 1}
	r.net.Impose(narrow)
	r.send(0, 1, opA, 1) // for 100 s
	r.net.Lift(narrow)
	r.net.Impose(narrow)
	r.net.Send(Addr{0, 1}, Addr{1, 0}, 0, &Body{Op: opA, Value: 2})
	r.run()
	if want := []got{{0, opA, 1, 100 * time.Second}, {0, opA, 2, 100 * time.Second}}; !slices.Equal(r.hosts[1].got, want) || narrow.Touched != 2 {
		t.Errorf("%v, want %v", r.hosts[1].got, want)
	}
}

// TestHalfOpen: connections that exist hang, both ways if both are disturbed; one that
// begins later works, and so does what is left when the rules are lifted.
func TestHalfOpen(t *testing.T) {
	r := newRig("a", "b")
	r.delays(rng.Constant(10 * ms))
	rules := TwoWay(nil, Rule{Cut: true, Existing: true}, []NodeID{0}, []NodeID{1})
	ask := func(at time.Duration, port int16, value int64) {
		r.do(at, func() { r.net.Send(Addr{0, port}, Addr{1, 0}, 1, &Body{Op: opA, Value: value}) })
	}
	r.hosts[1].on = func(m *Message) {
		if m.Value != 3 {
			r.net.Send(m.To, m.From, m.Call, &Body{Op: opB, Value: m.Value})
		}
	}
	ask(0, 1, 1)
	ask(0, 2, 2)
	ask(30*ms, 3, 3) // is answered when the connection hangs: it exists, though it has carried no reply
	r.do(60*ms, func() { r.net.Send(Addr{1, 0}, Addr{0, 3}, 1, &Body{Op: opB, Value: 3}) })
	r.do(50*ms, func() { r.net.Impose(&rules[0]); r.net.Impose(&rules[1]) })
	ask(60*ms, 1, 4)
	ask(60*ms, 4, 5) // a process that starts later
	r.do(100*ms, func() { r.net.Lift(&rules[0]); r.net.Lift(&rules[1]) })
	ask(100*ms, 1, 6)
	r.do(200*ms, func() { r.net.Impose(&rules[0]) })
	r.do(210*ms, func() { r.hosts[1].incarnation++ }) // with the host, its connections end
	ask(220*ms, 1, 7)
	r.run()
	if want := []int64{1, 2, 5, 6, 7}; !slices.Equal(r.hosts[0].values(1), want) {
		t.Errorf("answers to %v, want %v", r.hosts[0].values(1), want)
	}
}

func TestDisturbedSteadyStateDoesNotAllocate(t *testing.T) {
	w := &sim.World{MaxEvents: 1 << 40}
	n := New(w)
	var ids []NodeID
	for i := range 3 {
		p := &pong{net: n}
		p.id = n.Attach(string(rune('a'+i)), p)
		ids = append(ids, p.id)
	}
	for _, from := range ids {
		for _, to := range ids {
			n.SetDelay(from, to, rng.Uniform(ms, 20*ms))
		}
	}
	n.SetLoss(0, 1, rng.Chance{Num: 1, Den: 100}, true)
	n.SetBandwidth(1, 0, 1e6)
	rules := TwoWay(nil, Rule{Loss: half, Resend: true, Extra: rng.Uniform(0, ms)}, ids, ids)
	cut := Rule{From: 0, To: 2, Cut: true, Resend: true}
	seed := uint64(0)
	trial := func() {
		seed++
		w.Reset(seed)
		n.Reset(seed)
		for _, from := range ids {
			for _, to := range ids {
				n.Send(Addr{from, 1}, Addr{to, 0}, 1, &Body{Op: opA})
			}
		}
		for i := range rules {
			n.Impose(&rules[i])
		}
		w.Run(sim.Time(20 * time.Second))
		n.Impose(&cut)
		w.Run(sim.Time(25 * time.Second))
		n.Break(0, 1, 0)
		n.Lift(&cut)
		w.Run(sim.Time(60 * time.Second))
	}
	for range 30 {
		trial()
	}
	if n := testing.AllocsPerRun(20, trial); n != 0 {
		t.Errorf("%v allocations in a trial of a reused network, want none", n)
	}
}

// TestInForce: a rule is in force on its link, in its direction, until it is lifted.
func TestInForce(t *testing.T) {
	r := newRig("a", "b")
	cut, slow := &Rule{From: 0, To: 1, Cut: true}, &Rule{From: 0, To: 1, Extra: rng.Constant(ms)}
	r.net.Impose(cut)
	r.net.Impose(slow)
	r.net.Lift(cut)
	if there, back := r.net.InForce(0, 1), r.net.InForce(1, 0); !slices.Equal(there, []*Rule{slow}) || len(back) != 0 {
		t.Errorf("in force: %v, and %v the other way", there, back)
	}
}
