package network

import (
	"math"
	"slices"
	"testing"
	"time"

	"fencepost/sim"
	"fencepost/sim/rng"
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
	share(t, "touched", rule.Touched, n+rule.Touched, 0.25) // of all transmissions
}

// TestALossThatIsOverLosesNothingMore: each retransmission meets the rules that are in
// force when it is sent.
func TestALossThatIsOverLosesNothingMore(t *testing.T) {
	for _, c := range []struct{ from, until, want time.Duration }{
		{0, 100 * ms, 210 * ms},
		{0, 450 * ms, 610 * ms},
		{0, 700 * ms, 1410 * ms},
		{5 * ms, 700 * ms, 10 * ms}, // it had left
	} {
		r := newRig("a", "b")
		r.delays(rng.Constant(10 * ms))
		rule := &Rule{From: 0, To: 1, Loss: always, Resend: true}
		r.do(c.from, func() { r.net.Impose(rule) })
		r.do(c.until, func() { r.net.Lift(rule) })
		r.sendAt(0, 0, 1, opA, 1)
		r.run()
		if got := r.hosts[1].got; len(got) != 1 || got[0].at != c.want {
			t.Errorf("from %v to %v: %v, want it at %v", c.from, c.until, got, c.want)
		}
	}
}

// TestLossesAddUp: what two rules lose is sent again on one schedule.
func TestLossesAddUp(t *testing.T) {
	r := newRig("a", "b")
	r.delays(rng.Constant(10 * ms))
	r.net.SetLoss(0, 1, half, true)
	r.net.Impose(&Rule{From: 0, To: 1, Loss: half, Resend: true})
	for i := range int16(200) {
		r.net.Send(Addr{0, i}, Addr{1, 0}, 0, &Body{Op: opA})
	}
	r.run()
	counts := map[time.Duration]int{}
	for _, g := range r.hosts[1].got {
		counts[g.at-10*ms]++
	}
	for k := range maxRetries {
		delete(counts, timeouts(k))
	}
	if len(counts) > 0 || len(r.hosts[1].got) != 200 {
		t.Errorf("of %d these came at other times: %v", len(r.hosts[1].got), counts)
	}
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
