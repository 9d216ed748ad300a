package network

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fencepost/sim"
	"fencepost/sim/rng"
)

// TestFIFO: within a connection nothing is lost, doubled or overtaken, and nothing
// arrives before its shortest delay.
func TestFIFO(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := newRig("a", "b", "c")
		r.delays(rng.Uniform(ms, 20*ms))
		r.net.Reset(rapid.Uint64().Draw(t, "seed"))
		type connection struct{ from, to Addr }
		got, want := map[connection][]int64{}, map[connection][]int64{}
		var sent []time.Duration
		for _, h := range r.hosts {
			h.on = func(m *Message) {
				c := connection{m.From, m.To}
				got[c] = append(got[c], m.Value)
				if now := r.world.Now().Duration(); now < sent[m.Value]+ms {
					t.Fatalf("message %d, sent at %v, arrived at %v", m.Value, sent[m.Value], now)
				}
			}
		}
		end := func(label string) Addr {
			return Addr{NodeID(rapid.IntRange(0, 2).Draw(t, label)), int16(rapid.IntRange(0, 1).Draw(t, label+" port"))}
		}
		at := time.Duration(0)
		for i := range rapid.IntRange(1, 50).Draw(t, "messages") {
			at += time.Duration(rapid.Int64Range(0, int64(5*ms)).Draw(t, "gap"))
			c := connection{end("from"), end("to")}
			op := rapid.SampledFrom([]*Op{opA, opB}).Draw(t, "op")
			r.do(at, func() { r.net.Send(c.from, c.to, 0, &Body{Op: op, Value: int64(i)}) })
			sent = append(sent, at)
			want[c] = append(want[c], int64(i))
		}
		r.run()
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%v, want %v", got, want)
		}
	})
}

// TestProcessesHaveTheirOwnConnections: what is held for one does not hold another's.
func TestProcessesHaveTheirOwnConnections(t *testing.T) {
	r := newRig("a", "b")
	r.delays(rng.Constant(10 * ms))
	hold := &Hold{From: 0, To: 1, Port: 2, Until: sim.Time(50 * ms)}
	r.net.Hold(hold)
	for port := range int16(4) {
		r.net.Send(Addr{0, port}, Addr{Node: 1}, 0, &Body{Op: opA, Value: int64(port)})
	}
	r.net.Send(Addr{0, 2}, Addr{Node: 1}, 0, &Body{Op: opA, Value: 4}) // behind the held one
	r.run()
	want := []got{{0, opA, 0, 10 * ms}, {0, opA, 1, 10 * ms}, {0, opA, 3, 10 * ms}, {0, opA, 2, 50 * ms}, {0, opA, 4, 50 * ms}}
	if !slices.Equal(r.hosts[1].got, want) || hold.Caught != 1 {
		t.Errorf("%v, %d caught, want %v and one", r.hosts[1].got, hold.Caught, want)
	}
}

// TestConnectionsAreIndependent: messages of different connections overtake.
func TestConnectionsAreIndependent(t *testing.T) {
	r := newRig("a", "b", "c")
	r.net.SetDelay(0, 2, rng.Constant(10*ms))
	r.net.SetDelay(1, 2, rng.Constant(1*ms))
	r.sendAt(0, 0, 2, opA, 1)
	r.sendAt(ms, 1, 2, opA, 2)
	r.run()
	if want := []got{{1, opA, 2, 2 * ms}, {0, opA, 1, 10 * ms}}; !slices.Equal(r.hosts[2].got, want) {
		t.Errorf("%v, want %v", r.hosts[2].got, want)
	}
}

// TestNoiseIsKeyed: the delays of one class on one link do not depend on what else is
// sent, nor on other hosts, only on the seed, the names and the message's number.
func TestNoiseIsKeyed(t *testing.T) {
	arrivals := func(seed uint64, hosts []string, other func(r *rig)) []got {
		r := newRig(hosts...)
		r.delays(rng.Uniform(ms, 20*ms))
		r.net.Reset(seed)
		for i := range 20 {
			r.sendAt(time.Duration(i)*100*ms, 0, 1, opA, int64(i))
		}
		if other != nil {
			other(r)
		}
		r.run()
		return slices.DeleteFunc(r.hosts[1].got, func(g got) bool { return g.op != opA || g.from != 0 })
	}
	ab := []string{"a", "b"}
	base := arrivals(7, ab, nil)
	for name, with := range map[string][]got{
		"an idle host": arrivals(7, []string{"a", "b", "c"}, nil),
		"another class": arrivals(7, ab, func(r *rig) {
			for i := range 20 {
				r.sendAt(time.Duration(i)*100*ms+50*ms, 0, 1, opB, 0)
			}
		}),
		"another link": arrivals(7, []string{"a", "b", "c"}, func(r *rig) {
			for i := range 20 {
				r.sendAt(time.Duration(i)*90*ms, 2, 1, opA, 0)
				r.sendAt(time.Duration(i)*90*ms, 1, 0, opA, 0)
			}
		}),
		"a hold that catches nothing": arrivals(7, ab, func(r *rig) { r.net.Hold(&Hold{From: 1, To: 0, Until: sim.Forever}) }),
		"a tap":                       arrivals(7, ab, func(r *rig) { r.net.Tap = &tap{} }),
	} {
		if !slices.Equal(with, base) {
			t.Errorf("%s changes the delays:\n%v\n%v", name, with, base)
		}
	}
	if slices.Equal(arrivals(8, ab, nil), base) {
		t.Error("another seed has the same delays")
	}
	if slices.Equal(arrivals(7, []string{"a", "x"}, nil), base) {
		t.Error("another name has the same delays")
	}
}

func TestInboundAndIdle(t *testing.T) {
	r := newRig("a", "b")
	r.delays(rng.Constant(10 * ms))
	var idle []time.Duration
	r.net.Idle = func(to NodeID) {
		if to != 1 || r.net.Inbound(to) != 0 {
			t.Errorf("host %d is called idle with %d messages on their way", to, r.net.Inbound(to))
		}
		idle = append(idle, r.world.Now().Duration())
	}
	hold := &Hold{From: 0, To: 1, Op: opB, Until: sim.Time(100 * ms)}
	r.net.Hold(hold)
	check := func(at time.Duration, want int) {
		r.do(at, func() {
			if got := r.net.Inbound(1); got != want {
				t.Errorf("at %v %d messages on their way, want %d", at, got, want)
			}
		})
	}
	r.sendAt(0, 0, 1, opA, 1)
	r.sendAt(5*ms, 0, 1, opA, 2)
	check(6*ms, 2)
	check(12*ms, 1) // idle from 15 ms on
	r.sendAt(20*ms, 0, 1, opB, 3)
	check(60*ms, 1) // held; idle from 100 ms on
	cut := &Rule{From: 0, To: 1, Cut: true}
	r.sendAt(200*ms, 0, 1, opA, 4)
	r.do(205*ms, func() { r.net.Impose(cut) }) // lost on arrival: idle from 210 ms on
	r.sendAt(206*ms, 0, 1, opA, 5)             // lost at once
	check(207*ms, 1)
	r.run()
	if want := []time.Duration{15 * ms, 100 * ms, 210 * ms}; !slices.Equal(idle, want) {
		t.Errorf("idle at %v, want %v", idle, want)
	}
}

func TestMessagesToAnotherIncarnationAreLost(t *testing.T) {
	r := newRig("a", "b")
	r.delays(rng.Constant(10 * ms))
	r.sendAt(0, 0, 1, opA, 1)
	r.sendAt(4*ms, 0, 1, opA, 2)
	r.do(12*ms, func() { r.hosts[1].incarnation++ })
	r.sendAt(13*ms, 0, 1, opA, 3)
	r.run()
	if want := []int64{1, 3}; !slices.Equal(r.hosts[1].values(0), want) {
		t.Errorf("%v arrived, want %v", r.hosts[1].values(0), want)
	}
}

// TestMessageOutlivesWhatItsHandlingSends: the slab grows while a message is handled.
func TestMessageOutlivesWhatItsHandlingSends(t *testing.T) {
	r := newRig("a", "b")
	r.delays(rng.Constant(ms))
	r.hosts[1].on = func(m *Message) {
		before := *m
		for i := range 100 {
			r.send(1, 0, opB, int64(1000+i))
		}
		if *m != before {
			t.Errorf("the message turned from %+v into %+v", before, *m)
		}
	}
	r.send(0, 1, opA, 1)
	r.run()
	if len(r.hosts[0].got) != 100 {
		t.Errorf("%d messages came, want 100", len(r.hosts[0].got))
	}
}

// TestResetForgets: the same seed gives the same run, whatever was left over from the
// run before.
func TestResetForgets(t *testing.T) {
	r := newRig("a", "b")
	r.delays(rng.Uniform(ms, 20*ms))
	run := func(until time.Duration) ([]got, uint64) {
		r.world.Reset(3)
		r.net.Reset(3)
		r.hosts[0].got, r.hosts[1].got, r.actions = nil, nil, nil
		for i := range 10 {
			r.sendAt(time.Duration(i)*ms, 0, 1, opA, int64(i))
		}
		r.world.Run(sim.Time(until))
		return r.hosts[1].got, r.world.Digest().Sum()
	}
	first, digest := run(time.Second)
	r.net.Impose(&Rule{From: 0, To: 1, Cut: true})
	r.net.Hold(&Hold{From: 0, To: 1, Until: sim.Forever})
	run(5 * ms) // leaves messages on their way
	if r.net.Inbound(1) == 0 {
		t.Fatal("nothing was left over")
	}
	again, digestAgain := run(time.Second)
	if !slices.Equal(first, again) || digest != digestAgain {
		t.Errorf("%v (%x), then %v (%x)", first, digest, again, digestAgain)
	}
}

// TestDigestCoversMessages: each word of a message that arrives.
func TestDigestCoversMessages(t *testing.T) {
	digest := func(b Body) uint64 {
		r := newRig("a", "b")
		r.net.Send(Addr{}, Addr{Node: 1}, 0, &b)
		r.run()
		return r.world.Digest().Sum()
	}
	seen := map[uint64]Body{}
	for _, b := range []Body{
		{Op: opA}, {Op: opB}, {Op: opA, OK: true}, {Op: opA, Key: 1}, {Op: opA, Value: 1},
		{Op: opA, Token: 1}, {Op: opA, Revision: 1}, {Op: opA, TTL: 1}, {Op: opA, Token: 1, Key: 1},
	} {
		sum := digest(b)
		if other, ok := seen[sum]; ok {
			t.Errorf("%+v and %+v have the same digest", b, other)
		}
		seen[sum] = b
		if digest(b) != sum {
			t.Errorf("%+v has two digests", b)
		}
	}
}

// tap keeps what it sees.
type tap struct{ seen []sight }

type sight struct {
	value       int64
	at, arrival time.Duration
	held, lost  bool
}

func (p *tap) Sent(m Message, at, arrival sim.Time, held bool) int {
	p.seen = append(p.seen, sight{m.Value, at.Duration(), arrival.Duration(), held, false})
	return len(p.seen) - 1
}

func (p *tap) Lost(number int) {
	if p.seen[number].lost {
		panic("a message is lost twice")
	}
	p.seen[number].lost = true
}

func TestTap(t *testing.T) {
	r := newRig("a", "b")
	r.delays(rng.Constant(10 * ms))
	p := &tap{}
	r.net.Tap = p
	r.net.Hold(&Hold{From: 0, To: 1, Op: opB, Until: sim.Time(50 * ms)})
	cut := &Rule{From: 0, To: 1, Cut: true}
	r.sendAt(0, 0, 1, opA, 1)
	r.sendAt(1*ms, 0, 1, opB, 2)
	r.sendAt(2*ms, 0, 1, opA, 3)
	r.do(100*ms, func() { r.net.Impose(cut) })
	r.sendAt(95*ms, 0, 1, opA, 4)
	r.sendAt(101*ms, 0, 1, opA, 5)
	r.run()
	want := []sight{
		{1, 0, 10 * ms, false, false},
		{2, 1 * ms, 50 * ms, true, false},
		{3, 2 * ms, 50 * ms, false, false},  // behind the held one
		{4, 95 * ms, 105 * ms, false, true}, // cut when it would arrive
		{5, 101 * ms, 111 * ms, false, true},
	}
	if !reflect.DeepEqual(p.seen, want) {
		t.Errorf("%v, want %v", p.seen, want)
	}
}

func TestDescribe(t *testing.T) {
	for _, c := range []struct {
		b    Body
		want string
	}{
		{Body{Op: opA}, "test.a"},
		{Body{Op: opA, OK: true, Hold: 3}, "test.a ok hold=3"},
		{Body{Op: opB, Key: 1, Value: 2, Token: 3, Revision: 4, TTL: 1500 * ms}, "test.b key=1 value=2 token=3 revision=4 ttl=1.5s"},
	} {
		m := Message{Body: c.b}
		if got := m.describe(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	if m := (Message{Call: 7, Body: Body{Op: opA}}); m.describe() != "test.a call=7" {
		t.Errorf("%q", m.describe())
	}
	if (*Op)(nil).String() == "" || opA.String() != "test.a" {
		t.Error("classes of messages have no names")
	}
}
