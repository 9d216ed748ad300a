package network

import (
	"math"
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

// steady is a network of two hosts, a message of which takes 10 ms, on which one is sent
// every second, and what arrived.
func steady(seed uint64, messages int, prepare func(r *rig)) (r *rig, arrived []time.Duration) {
	r = newRig("a", "b")
	r.delays(rng.Constant(10 * ms))
	r.net.Reset(seed)
	prepare(r)
	for i := range messages {
		r.sendAt(time.Duration(i)*time.Second, 0, 1, opA, int64(i))
	}
	r.run()
	for _, g := range r.hosts[1].got {
		arrived = append(arrived, g.at-time.Duration(g.value)*time.Second)
	}
	return r, arrived
}

// share checks that a count of independent events is within 4.5 standard deviations.
func share(t *testing.T, what string, count, of int, p float64) {
	t.Helper()
	if d := math.Abs(float64(count) - float64(of)*p); d > 4.5*math.Sqrt(float64(of)*p*(1-p)) {
		t.Errorf("%s: %d of %d, want a share of %v", what, count, of, p)
	}
}

func TestDatagramLoss(t *testing.T) {
	const n = 4000
	for _, c := range []struct {
		name    string
		prepare func(r *rig)
		p       float64 // that a message arrives
	}{
		{"a link", func(r *rig) { r.net.SetLoss(0, 1, rng.Chance{Num: 1, Den: 4}, false) }, 0.75},
		{"a rule", func(r *rig) { r.net.Impose(&Rule{From: 0, To: 1, Loss: rng.Chance{Num: 1, Den: 4}}) }, 0.75},
		{"two rules are independent", func(r *rig) {
			r.net.Impose(&Rule{From: 0, To: 1, Loss: half})
			r.net.Impose(&Rule{From: 0, To: 1, Loss: half})
		}, 0.25},
		{"a rule and the link", func(r *rig) {
			r.net.SetLoss(0, 1, half, false)
			r.net.Impose(&Rule{From: 0, To: 1, Loss: half})
		}, 0.25},
		{"another class", func(r *rig) { r.net.Impose(&Rule{From: 0, To: 1, Op: opB, Loss: always}) }, 1},
		{"another port", func(r *rig) { r.net.Impose(&Rule{From: 0, To: 1, Port: 5, Loss: always}) }, 1},
		{"another direction", func(r *rig) { r.net.Impose(&Rule{From: 1, To: 0, Loss: always}) }, 1},
	} {
		_, arrived := steady(1, n, c.prepare)
		share(t, c.name, len(arrived), n, c.p)
		for _, d := range arrived {
			if d != 10*ms {
				t.Fatalf("%s: one took %v", c.name, d)
			}
		}
	}
}

// TestLossThatTCPMakesGood: a message lost k times in a row comes 200 ms (2^k - 1) later.
func TestLossThatTCPMakesGood(t *testing.T) {
	const n = 8000
	rule := &Rule{From: 0, To: 1, Loss: rng.Chance{Num: 1, Den: 4}, Resend: true}
	_, arrived := steady(1, n, func(r *rig) { r.net.Impose(rule) })
	_, base := steady(1, n, func(r *rig) { r.net.SetLoss(0, 1, rng.Chance{Num: 1, Den: 4}, true) })
	for name, arrived := range map[string][]time.Duration{"a rule": arrived, "a link": base} {
		if len(arrived) != n {
			t.Errorf("%s: %d of %d arrived", name, len(arrived), n)
		}
		var times [3]int
		alone := 0
		for i, d := range arrived {
			// behind one that comes after a second or later
			if i > 0 && arrived[i-1] > time.Second {
				continue
			}
			alone++
			for k, want := range []time.Duration{10 * ms, 210 * ms, 610 * ms} {
				if d == want {
					times[k]++
				}
			}
		}
		share(t, name+" loses none", times[0], alone, 0.75)
		share(t, name+" loses one", times[1], alone, 0.25*0.75)
		share(t, name+" loses two", times[2], alone, 0.25*0.25*0.75)
	}
	share(t, "touched", rule.Touched, n, 0.25)
}

// TestHeadOfLine: what is behind a lost message of its connection waits for it.
func TestHeadOfLine(t *testing.T) {
	r := newRig("a", "b")
	r.delays(rng.Constant(10 * ms))
	loss := &Rule{From: 0, To: 1, Op: opA, Loss: half, Resend: true}
	r.net.Impose(loss)
	for at := time.Duration(0); loss.Touched == 0; at += 5 * time.Second {
		r.sendAt(at, 0, 1, opA, 1)
		r.sendAt(at+50*ms, 0, 1, opB, 2)
		r.do(at+60*ms, func() { r.net.Send(Addr{0, 7}, Addr{1, 0}, 0, &Body{Op: opB, Value: 3}) })
		r.hosts[1].got = nil
		r.world.Run(sim.Time(at + 4999*ms))
	}
	at := r.hosts[1].got[0].at - 70*ms
	late := r.hosts[1].got[1].at
	if want := []got{{0, opB, 3, at + 70*ms}, {0, opA, 1, late}, {0, opB, 2, late}}; late < at+210*ms || !slices.Equal(r.hosts[1].got, want) {
		t.Errorf("%v, want %v", r.hosts[1].got, want)
	}
}

// TestLossWithoutEndGivesUp, and takes with it what is behind.
func TestLossWithoutEndGivesUp(t *testing.T) {
	r := newRig("a", "b")
	r.delays(rng.Constant(10 * ms))
	loss := &Rule{From: 0, To: 1, Op: opA, Loss: always, Resend: true}
	r.net.Impose(loss)
	r.sendAt(0, 0, 1, opA, 1)
	r.sendAt(time.Second, 0, 1, opB, 2)
	r.sendAt(925*time.Second, 0, 1, opB, 3)
	r.do(924599*ms, func() {
		if in := r.net.Inbound(1); in != 2 {
			t.Errorf("%d messages are on their way, want 2", in)
		}
	})
	r.run()
	if want := []int64{3}; !slices.Equal(r.hosts[1].values(0), want) || r.net.Inbound(1) != 0 {
		t.Errorf("%v arrived, want %v", r.hosts[1].values(0), want)
	}
}

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
	r.hosts[1].on = func(m *Message) { r.net.Send(m.To, m.From, m.Call, &Body{Op: opB, Value: m.Value}) }
	ask(0, 1, 1)
	ask(0, 2, 2)
	ask(45*ms, 3, 3) // its reply is on its way, over a connection that exists though it has carried none yet
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
