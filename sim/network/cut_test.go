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
		var cuts []*Rule
		for range rapid.IntRange(0, 3).Draw(t, "cuts") {
			from, length := instant.Draw(t, "from"), instant.Draw(t, "length")
			w := window{time.Duration(from), time.Duration(from + length)}
			c := &Rule{From: 0, To: 1, Cut: true}
			windows, cuts = append(windows, w), append(cuts, c)
			r.do(w.from, func() { r.net.Impose(c) })
			r.do(w.to, func() { r.net.Lift(c) })
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
			if c.Touched != offered[k] {
				t.Fatalf("cut %v touched %d, want %d", windows[k], c.Touched, offered[k])
			}
		}
	})
}

func TestLiftingTwiceIsOnce(t *testing.T) {
	r := newRig("a", "b")
	first, second := &Rule{From: 0, To: 1, Cut: true}, &Rule{From: 0, To: 1, Cut: true}
	r.net.Impose(first)
	r.net.Impose(second)
	r.net.Lift(first)
	r.net.Lift(first)
	r.send(0, 1, opA, 1)
	r.net.Lift(second)
	r.send(0, 1, opA, 2)
	r.run()
	if want := []int64{2}; !slices.Equal(r.hosts[1].values(0), want) {
		t.Errorf("%v arrived, want %v", r.hosts[1].values(0), want)
	}
}

// TestInFlight is what a partition does to messages that are on their way: when it begins,
// during it, and over it. A message takes 10 ms; times are in milliseconds.
func TestInFlight(t *testing.T) {
	type times = []time.Duration
	for _, c := range []struct {
		name    string
		cuts    [][2]time.Duration
		sent    times
		lost    times // when what is not lost arrives, if what is swallowed is lost
		resent  times // and if it is sent again: 200, 600, 1400... ms after it was sent
		retries int   // of these are swallowed too
	}{
		{"there before", [][2]time.Duration{{20, 60}}, times{5}, times{15}, times{15}, 0},
		{"there in the instant in which it begins", [][2]time.Duration{{20, 60}}, times{10}, nil, times{220}, 0},
		{"on its way when it begins", [][2]time.Duration{{20, 60}}, times{15}, nil, times{225}, 0},
		{"sent in the instant in which it begins", [][2]time.Duration{{20, 60}}, times{20}, nil, times{230}, 0},
		{"sent during it", [][2]time.Duration{{20, 60}}, times{30}, nil, times{240}, 0},
		{"sent during it, due after it", [][2]time.Duration{{20, 60}}, times{55}, nil, times{265}, 0},
		{"sent in the instant in which it ends", [][2]time.Duration{{20, 60}}, times{60}, times{70}, times{70}, 0},
		{"on its way for the whole of it", [][2]time.Duration{{20, 25}}, times{16}, times{26}, times{26}, 0},
		{"sent again during it", [][2]time.Duration{{20, 1000}}, times{30}, nil, times{1440}, 2},
		{"sent again in the instant in which it ends", [][2]time.Duration{{20, 630}}, times{30}, nil, times{640}, 1},
		{"sent again right before it ends", [][2]time.Duration{{20, 631}}, times{30}, nil, times{1440}, 2},
		{"on its way again when another begins", [][2]time.Duration{{20, 100}, {235, 300}}, times{30}, nil, times{640}, 1},
		{"on its way again for the whole of another", [][2]time.Duration{{20, 100}, {232, 238}}, times{30}, nil, times{240}, 0},
		{"those behind come with the first", [][2]time.Duration{{20, 100}}, times{30, 40, 90, 120, 235}, times{130, 245}, times{240, 240, 240, 240, 245}, 0},
		{"overtaken by none", [][2]time.Duration{{20, 25}}, times{12, 16, 30}, times{26, 40}, times{222, 222, 222}, 0},
		{"one after the other", [][2]time.Duration{{20, 60}, {500, 510}}, times{30, 495}, nil, times{240, 705}, 0},
	} {
		for _, resend := range []bool{false, true} {
			r := newRig("a", "b")
			r.delays(rng.Constant(10 * ms))
			var rules []*Rule
			for _, w := range c.cuts {
				rule := &Rule{From: 0, To: 1, Cut: true, Resend: resend, Extra: rng.Constant(ms), Loss: half, Duplicate: always}
				rules = append(rules, rule)
				r.do(w[0]*ms, func() { r.net.Impose(rule) })
				r.do(w[1]*ms, func() { r.net.Lift(rule) })
			}
			for i, at := range c.sent {
				r.sendAt(at*ms, 0, 1, opA, int64(i))
				r.sendAt(at*ms, 1, 0, opA, int64(i)) // the other way is open
			}
			r.run()
			var arrived times
			for _, g := range r.hosts[1].got {
				arrived = append(arrived, g.at/ms)
			}
			want, touched := c.lost, len(c.sent)-len(c.lost)
			if resend {
				want, touched = c.resent, touched+c.retries
			}
			for _, rule := range rules {
				touched -= rule.Touched
			}
			if touched != 0 {
				t.Errorf("%s (resend %v): %d more transmissions were swallowed than the cuts counted", c.name, resend, touched)
			}
			if !slices.Equal(arrived, want) {
				t.Errorf("%s (resend %v): arrived at %v, want %v", c.name, resend, arrived, want)
			}
			for i, g := range r.hosts[0].got {
				if g.at != c.sent[i]*ms+10*ms {
					t.Errorf("%s: against the direction %v arrived", c.name, g)
				}
			}
			if in := r.net.Inbound(1); in != 0 {
				t.Errorf("%s: %d messages are still on their way", c.name, in)
			}
		}
	}
}

// TestACutForGoodPrevails over one after which messages are sent again, whenever the two
// are in force.
func TestACutForGoodPrevails(t *testing.T) {
	for _, c := range []struct{ from, to time.Duration }{{-1, 50}, {0, 50}, {199, 201}, {205, 215}, {195, 225}} {
		r := newRig("a", "b")
		r.delays(rng.Constant(10 * ms))
		again, forGood := &Rule{From: 0, To: 1, Cut: true, Resend: true}, &Rule{From: 0, To: 1, Cut: true, Op: opA}
		if c.from < 0 { // the other way round
			r.net.Impose(forGood)
		} else {
			r.do(c.from*ms, func() { r.net.Impose(forGood) })
		}
		r.net.Impose(again)
		r.do(150*ms, func() { r.net.Lift(again) })
		r.do(c.to*ms, func() { r.net.Lift(forGood) })
		r.sendAt(0, 0, 1, opA, 1)
		r.sendAt(0, 0, 1, opB, 2)
		r.run()
		if len(r.hosts[1].got) != 1 || r.hosts[1].got[0].op != opB || forGood.Touched > 1 || r.net.Inbound(1) != 0 {
			t.Errorf("for good from %v to %v: %v arrived", c.from, c.to, r.hosts[1].got)
		}
	}
}

// TestGivingUp: after fifteen retransmissions and 924.6 s TCP gives up, and with the
// message goes what waits behind it. Then a new connection begins.
func TestGivingUp(t *testing.T) {
	const end = 924600 * ms // Documentation/networking/ip-sysctl, tcp_retries2
	r := newRig("a", "b")
	r.delays(rng.Constant(10 * ms))
	cut := &Rule{From: 0, To: 1, Cut: true, Resend: true}
	r.net.Impose(cut)
	port := Addr{Node: 0, Port: 3}
	send := func(at time.Duration, value int64) {
		r.do(at, func() { r.net.Send(port, Addr{Node: 1}, uint32(value), &Body{Op: opA, Value: value}) })
	}
	send(0, 1)
	send(900*time.Second, 2)
	r.do(end-1, func() {
		if in := r.net.Inbound(1); in != 2 {
			t.Errorf("right before the end %d messages are on their way, want 2", in)
		}
		r.net.Lift(cut)
	})
	send(end+ms, 3)
	r.run()
	if want := []got{{0, opA, 3, end + 11*ms}}; !slices.Equal(r.hosts[1].got, want) {
		t.Errorf("%v, want %v", r.hosts[1].got, want)
	}
	if want := []got{{1, OpReset, 0, end}}; !slices.Equal(r.hosts[0].got, want) {
		t.Errorf("the sender was told %v, want %v", r.hosts[0].got, want)
	}
	if n := r.net.Inbound(1); n != 0 {
		t.Errorf("%d messages are still on their way", n)
	}
}

// TestTimeouts: the schedule of RFC 6298 with Linux' least and greatest timeout.
func TestTimeouts(t *testing.T) {
	for n, want := range map[int]time.Duration{
		0: 0, 1: 200 * ms, 2: 600 * ms, 3: 1400 * ms, 10: 204600 * ms, 11: 324600 * ms, 16: 924600 * ms,
	} {
		if got := timeouts(n); got != want {
			t.Errorf("after %d timeouts %v have passed, want %v", n, got, want)
		}
	}
}

// TestACrashEndsRetransmission: nobody sends again what a crashed host has sent, and what
// it sends after its restart does not wait.
func TestACrashEndsRetransmission(t *testing.T) {
	for _, crashed := range []int{0, 1} {
		for _, at := range []time.Duration{5 * ms, 100 * ms} {
			r := newRig("a", "b")
			r.delays(rng.Constant(10 * ms))
			cut := &Rule{From: 0, To: 1, Cut: true, Resend: true}
			r.net.Impose(cut)
			r.sendAt(0, 0, 1, opA, 1)
			r.sendAt(0, 0, 1, opA, 2)
			r.do(at, func() { r.hosts[crashed].incarnation++ })
			r.do(120*ms, func() { r.net.Lift(cut) })
			r.sendAt(230*ms, 0, 1, opA, 3)
			r.run()
			if want := []got{{0, opA, 3, 240 * ms}}; !slices.Equal(r.hosts[1].got, want) || r.net.Inbound(1) != 0 {
				t.Errorf("host %d crashed at %v: %v, want %v", crashed, at, r.hosts[1].got, want)
			}
		}
	}
}

// TestAnEarlierConnectionDoesNotWait for a retransmission of the one that a restarted host
// has begun since.
func TestAnEarlierConnectionDoesNotWait(t *testing.T) {
	r := newRig("a", "b")
	r.delays(rng.Constant(10 * ms))
	r.net.Hold(&Hold{From: 0, To: 1, Op: opA, Until: sim.Time(100 * ms)})
	r.sendAt(0, 0, 1, opA, 1)
	r.do(20*ms, func() { r.hosts[0].incarnation++ })
	cut := &Rule{From: 0, To: 1, Cut: true, Resend: true}
	r.do(30*ms, func() { r.net.Impose(cut) })
	r.sendAt(40*ms, 0, 1, opB, 2)
	r.do(90*ms, func() { r.net.Lift(cut) })
	r.run()
	if want := []got{{0, opA, 1, 100 * ms}, {0, opB, 2, 250 * ms}}; !slices.Equal(r.hosts[1].got, want) {
		t.Errorf("%v, want %v", r.hosts[1].got, want)
	}
}

// TestGivingUpAnEarlierConnection leaves the one that has begun since alone.
func TestGivingUpAnEarlierConnection(t *testing.T) {
	r := newRig("a", "b")
	r.delays(rng.Constant(10 * ms))
	r.net.Impose(&Rule{From: 0, To: 1, Op: opA, Loss: always, Resend: true})
	r.sendAt(0, 0, 1, opA, 1)
	r.do(100*time.Second, func() { r.hosts[0].incarnation++ })
	r.sendAt(924595*ms, 1, 0, opA, 2) // on its way when what was sent before the crash is given up
	r.sendAt(925*time.Second, 0, 1, opB, 3)
	r.run()
	if !slices.Equal(r.hosts[0].values(1), []int64{2}) || !slices.Equal(r.hosts[1].values(0), []int64{3}) || r.net.Inbound(1) != 0 {
		t.Errorf("%v and %v arrived", r.hosts[0].got, r.hosts[1].got)
	}
}
