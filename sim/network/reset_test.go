package network

import (
	"slices"
	"testing"
	"time"

	"fencepost/sim"
	"fencepost/sim/rng"
	"fencepost/sim/trace"
)

// TestBreak: what is on its way over the connection is lost, both ends that are processes
// are told at once, and nothing else is touched.
func TestBreak(t *testing.T) {
	for _, c := range []struct {
		name   string
		a, b   NodeID
		port   int16
		broken int
		lost   []int64 // of the four requests
		told   []int16 // processes, in any order
	}{
		{"all between two", 0, 1, 0, 2, []int64{1, 2}, []int16{1, 2}},
		{"the other way round", 1, 0, 0, 2, []int64{1, 2}, []int16{1, 2}},
		{"of one process", 0, 1, 2, 1, []int64{2}, []int16{2}},
		{"of one process, the other way round", 1, 0, 2, 1, []int64{2}, []int16{2}},
		{"of a process that there is not", 0, 1, 9, 0, nil, nil},
		{"hosts that do not talk", 1, 2, 0, 0, nil, nil},
		{"within a host", 0, 0, 0, 1, []int64{4}, []int16{1}},
	} {
		r := newRig("a", "b", "c")
		r.delays(rng.Constant(10 * ms))
		r.do(0, func() {
			for i, s := range []struct{ from, to Addr }{{Addr{0, 1}, Addr{1, 0}}, {Addr{0, 2}, Addr{1, 0}}, {Addr{0, 1}, Addr{2, 0}}, {Addr{0, 1}, Addr{0, 0}}} {
				r.net.Send(s.from, s.to, uint32(10+i), &Body{Op: opA, Value: int64(i + 1)})
			}
		})
		var told []int16
		var arrived []int64
		for _, h := range r.hosts {
			h.on = func(m *Message) {
				if m.Op != OpReset {
					arrived = append(arrived, m.Value)
					return
				}
				if r.world.Now() != sim.Time(5*ms) || m.From.Port != 0 || m.Call < 10 {
					t.Errorf("%s: told %+v at %v", c.name, m, r.world.Now())
				}
				told = append(told, m.To.Port)
			}
		}
		r.do(5*ms, func() {
			if n := r.net.Break(c.a, c.b, c.port); n != c.broken {
				t.Errorf("%s: %d connections were reset, want %d", c.name, n, c.broken)
			}
			if n := r.net.Break(c.a, c.b, c.port); n != 0 {
				t.Errorf("%s: %d connections were reset twice", c.name, n)
			}
		})
		r.run()
		slices.Sort(told)
		want := slices.DeleteFunc([]int64{1, 2, 3, 4}, func(v int64) bool { return slices.Contains(c.lost, v) })
		if slices.Sort(arrived); !slices.Equal(arrived, want) || !slices.Equal(told, c.told) {
			t.Errorf("%s: %v arrived, %v were told; want %v and %v", c.name, arrived, told, want, c.told)
		}
		for _, h := range r.hosts {
			if r.net.Inbound(h.id) != 0 {
				t.Errorf("%s: %d still on their way", c.name, r.net.Inbound(h.id))
			}
		}
	}
}

// TestAfterABreak: the next request begins a connection that does not wait for the old one;
// the server's answer to the old one is lost, also when the new one is open.
func TestAfterABreak(t *testing.T) {
	r := newRig("a", "b")
	r.delays(rng.Constant(10 * ms))
	hold := &Hold{From: 0, To: 1, Op: opB, Until: sim.Time(time.Second)}
	r.net.Hold(hold)
	process, server := Addr{0, 1}, Addr{1, 0}
	send := func(at time.Duration, from, to Addr, call uint32, op *Op, value int64) {
		r.do(at, func() { r.net.Send(from, to, call, &Body{Op: op, Value: value}) })
	}
	send(0, process, server, 1, opA, 1)
	send(20*ms, process, server, 2, opB, 2) // held for a second
	r.do(30*ms, func() { r.net.Break(0, 1, 0) })
	send(40*ms, server, process, 1, opA, 3) // an answer to nobody
	send(50*ms, process, server, 3, opA, 4)
	send(60*ms, server, process, 1, opA, 5) // nor does this belong to the new one
	send(70*ms, server, process, 3, opA, 6)
	send(75*ms, server, process, 0, opA, 7) // answers to no call, but over the new one
	r.run()
	if want := []got{{0, opA, 1, 10 * ms}, {0, opA, 4, 60 * ms}}; !slices.Equal(r.hosts[1].got, want) {
		t.Errorf("the server got %v, want %v", r.hosts[1].got, want)
	}
	if want := []got{{1, OpReset, 0, 30 * ms}, {1, opA, 6, 80 * ms}, {1, opA, 7, 85 * ms}}; !slices.Equal(r.hosts[0].got, want) {
		t.Errorf("the process got %v, want %v", r.hosts[0].got, want)
	}
}

// TestBreakOfWhatIsSentAgain: those that wait for a retransmission are lost too.
func TestBreakOfWhatIsSentAgain(t *testing.T) {
	for _, at := range []time.Duration{50 * ms, 205 * ms, 210 * ms} {
		r := newRig("a", "b")
		r.delays(rng.Constant(10 * ms))
		p := &tap{}
		r.net.Tap = p
		cut := &Rule{From: 0, To: 1, Cut: true, Resend: true}
		r.net.Impose(cut)
		r.sendAt(0, 0, 1, opA, 1)
		r.sendAt(10*ms, 0, 1, opA, 2)
		r.do(45*ms, func() { r.net.Lift(cut) })
		r.do(at, func() { r.net.Break(1, 0, 0) })
		r.sendAt(220*ms, 0, 1, opA, 3)
		r.run()
		if want := []got{{0, opA, 3, 230 * ms}}; !slices.Equal(r.hosts[1].got, want) || r.net.Inbound(1) != 0 {
			t.Errorf("reset at %v: %v, want %v", at, r.hosts[1].got, want)
		}
	}
}

// TestBreakWhileHandling: a message that is being handled has arrived.
func TestBreakWhileHandling(t *testing.T) {
	r := newRig("a", "b")
	r.delays(rng.Constant(10 * ms))
	r.net.Impose(&Rule{From: 0, To: 1, Duplicate: always, Op: opB})
	r.hosts[1].on = func(m *Message) {
		if m.Op == opB {
			r.net.Break(0, 1, 0)
		}
	}
	r.sendAt(0, 0, 1, opB, 1)
	r.sendAt(ms, 0, 1, opA, 2)
	r.run()
	if want := []int64{1, 1}; !slices.Equal(r.hosts[1].values(0), want) || r.net.Inbound(1) != 0 {
		t.Errorf("%v arrived, want %v, and %d are on their way", r.hosts[1].values(0), want, r.net.Inbound(1))
	}
}

// TestTapSeesEachTransmission: one that is swallowed is lost, and the one that got through
// is another.
func TestTapSeesEachTransmission(t *testing.T) {
	r := newRig("a", "b")
	r.delays(rng.Constant(10 * ms))
	p, memory := &tap{}, &trace.Memory{}
	r.net.Tap, r.world.Sink = p, memory
	cut := &Rule{From: 0, To: 1, Cut: true, Resend: true}
	r.net.Impose(cut)
	r.sendAt(0, 0, 1, opA, 1)
	r.sendAt(5*ms, 0, 1, opA, 2)
	r.do(50*ms, func() {
		r.net.Lift(cut)
		r.net.Impose(&Rule{From: 0, To: 1, Duplicate: always, Again: rng.Constant(ms)})
	})
	r.sendAt(300*ms, 0, 1, opA, 3)
	r.run()
	want := []sight{
		{1, 0, 10 * ms, false, true},
		{2, 5 * ms, 15 * ms, false, true},
		{1, 200 * ms, 210 * ms, false, false},
		{2, 200 * ms, 210 * ms, false, false},
		{3, 300 * ms, 310 * ms, false, false},
		{3, 300 * ms, 311 * ms, false, false}, // the copy
	}
	if !slices.Equal(p.seen, want) {
		t.Errorf("%v, want %v", p.seen, want)
	}
	var words []string
	for _, line := range memory.Records {
		words = append(words, line.What)
	}
	if want := []string{"send", "send", "wait", "wait", "resend", "deliver", "deliver", "send", "deliver", "copy", "deliver"}; !slices.Equal(words, want) {
		t.Errorf("the trace says %v, want %v", words, want)
	}
}
