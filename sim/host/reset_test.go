package host

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"fencepost/sim"
	"fencepost/sim/network"
	"fencepost/sim/rng"
)

// deaf is a server that answers after a time, or never if that is negative.
type deaf struct {
	host  *Host
	after time.Duration
	asked []network.Message
}

func (s *deaf) Receive(m *network.Message) {
	s.asked = append(s.asked, *m)
	if s.after >= 0 {
		s.host.After(s.after, len(s.asked)-1)
	}
}

func (s *deaf) Timer(tag int) {
	s.host.Reply(&s.asked[tag], network.Body{Op: opAnswer, Value: s.asked[tag].Value})
}

func (r *rig) deaf(name string, after time.Duration) *deaf {
	s := &deaf{host: r.fleet.NewHost(name), after: after}
	s.host.Server = s
	return s
}

// TestResetEndsACall: a call fails in the instant of the reset, wherever its request or
// reply is; one that has its reply, that went elsewhere or that is made later does not.
func TestResetEndsACall(t *testing.T) {
	for _, c := range []struct {
		name  string
		serve time.Duration // how long the server takes; a message takes 10 ms
		reset time.Duration
		want  string
	}{
		{"the request is on its way", 0, 5 * ms, "connection reset@5 <nil>@25"},
		{"the request is being served", 30 * ms, 25 * ms, "connection reset@25 <nil>@75"},
		{"the reply is on its way", 0, 15 * ms, "connection reset@15 <nil>@35"},
		{"in the instant of the reply", 0, 20 * ms, "connection reset@20 <nil>@40"},
		{"the reply is there", 0, 21 * ms, "<nil>@20 connection reset@21 <nil>@41"},
		{"never served", -1, 25 * ms, "connection reset@25 timed out@125"},
	} {
		r := newRig()
		server, other, client := r.deaf("server", c.serve), r.echo("other"), r.fleet.NewHost("client")
		r.delays(rng.Constant(10 * ms))
		var got []string
		client.Go("client", func(p *Process) {
			for range 3 {
				_, err := p.Call(server.host.Addr(), network.Body{Op: opAsk}, 100*ms)
				got = append(got, fmt.Sprintf("%v@%d", err, r.world.Now()/1e6))
				if err == nil && r.world.Now() > at(c.reset) || errors.Is(err, ErrTimeout) {
					return
				}
			}
		})
		elsewhere := []string{}
		client.Go("bystander", func(p *Process) {
			for range 2 {
				_, err := p.Call(other.host.Addr(), network.Body{Op: opAsk}, 100*ms)
				elsewhere = append(elsewhere, fmt.Sprint(err))
			}
		})
		r.script().do(c.reset, func() {
			if n := r.net.Break(client.ID, server.host.ID, 0); n != 1 {
				t.Errorf("%s: %d connections were reset, want 1", c.name, n)
			}
		})
		r.run(time.Second)
		if joined := fmt.Sprint(got); joined != "["+c.want+"]" {
			t.Errorf("%s: %v, want %s", c.name, joined, c.want)
		}
		if !slices.Equal(elsewhere, []string{"<nil>", "<nil>"}) {
			t.Errorf("%s: calls to another server ended with %v", c.name, elsewhere)
		}
		r.fleet.Close()
	}
}

// TestResetOfOneProcess: threads of one host have connections of their own.
func TestResetOfOneProcess(t *testing.T) {
	r := newRig()
	defer r.fleet.Close()
	server, client := r.deaf("server", -1), r.fleet.NewHost("client")
	r.delays(rng.Constant(10 * ms))
	var got [2]error
	var threads [2]*Process
	for i := range threads {
		threads[i] = client.Go("thread", func(p *Process) {
			_, got[i] = p.Call(server.host.Addr(), network.Body{Op: opAsk}, 100*ms)
		})
	}
	r.script().do(50*ms, func() { r.net.Break(server.host.ID, client.ID, threads[1].Port()) })
	r.run(time.Second)
	if got != [2]error{ErrTimeout, ErrReset} {
		t.Errorf("%v, want a timeout and a reset", got)
	}
}

// TestGatherDoesNotWaitForAReset: a round is complete when the calls that can have a reply
// have one.
func TestGatherDoesNotWaitForAReset(t *testing.T) {
	for _, c := range []struct {
		name   string
		serve  []time.Duration // a message takes 10 ms
		resets map[int]time.Duration
		work   time.Duration // before it waits
		want   string
	}{
		{"none", []time.Duration{0, 5 * ms, 10 * ms}, nil, 0, "[0 1 2]@30"},
		{"the slowest", []time.Duration{0, 5 * ms, -1}, map[int]time.Duration{2: 7 * ms}, 0, "[0 1]@25"},
		{"after all others", []time.Duration{0, 5 * ms, -1}, map[int]time.Duration{2: 60 * ms}, 0, "[0 1]@60"},
		{"before it waits", []time.Duration{0, 5 * ms, -1}, map[int]time.Duration{2: 7 * ms}, 15 * ms, "[0 1]@25"},
		{"answered already", []time.Duration{0, 5 * ms, 20 * ms}, map[int]time.Duration{0: 22 * ms}, 0, "[0 1 2]@40"},
		{"answered already, before it waits", []time.Duration{0, 5 * ms, 20 * ms}, map[int]time.Duration{0: 22 * ms}, 30 * ms, "[0 1 2]@40"},
		{"all", []time.Duration{-1, -1, -1}, map[int]time.Duration{0: ms, 1: 2 * ms, 2: 3 * ms}, 0, "[]@3"},
		{"all, before it waits", []time.Duration{-1, -1, -1}, map[int]time.Duration{0: ms, 1: 2 * ms, 2: 3 * ms}, 30 * ms, "[]@30"},
		{"a late answer does not complete it", []time.Duration{15 * ms, 0, 30 * ms}, map[int]time.Duration{0: 12 * ms}, 0, "[1 2]@50"},
	} {
		r := newRig()
		client := r.fleet.NewHost("client")
		var servers []*deaf
		for i, d := range c.serve {
			servers = append(servers, r.deaf(fmt.Sprint("server/", i), d))
		}
		r.delays(rng.Constant(10 * ms))
		s := r.script()
		for i := range servers {
			if when, ok := c.resets[i]; ok {
				s.do(when, func() { r.net.Break(client.ID, servers[i].host.ID, 0); r.net.Break(client.ID, servers[i].host.ID, 0) })
			}
		}
		var got string
		client.Go("client", func(p *Process) {
			first, deadline := uint32(0), p.Now().Add(100*ms)
			p.Send(servers[0].host.Addr(), network.Body{Op: opAsk, Value: 9}) // an earlier round
			for i, s := range servers {
				if call := p.Send(s.host.Addr(), network.Body{Op: opAsk, Value: int64(i)}); i == 0 {
					first = call
				}
			}
			p.Sleep(c.work)
			values := []int64{}
			for _, m := range p.Gather(first, len(servers), deadline) {
				values = append(values, m.Value)
			}
			got = fmt.Sprintf("%v@%d", values, r.world.Now()/1e6)
		})
		r.run(time.Second)
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		r.fleet.Close()
	}
}

// TestResetInAWideRound: of the first calls of a round to 99 servers, too, before and while
// the process waits.
func TestResetInAWideRound(t *testing.T) {
	for _, work := range []time.Duration{0, 20 * ms} {
		r := newRig()
		client := r.fleet.NewHost("client")
		var servers []*deaf
		for i := range 99 {
			servers = append(servers, r.deaf(fmt.Sprint("server/", i), -1))
		}
		r.delays(rng.Constant(10 * ms))
		over := sim.Time(-1)
		client.Go("client", func(p *Process) {
			first := uint32(0)
			for i, s := range servers {
				if call := p.Send(s.host.Addr(), network.Body{Op: opAsk}); i == 0 {
					first = call
				}
			}
			p.Sleep(work)
			p.Gather(first, len(servers), p.Now().Add(time.Second))
			over = r.world.Now()
		})
		s := r.script()
		for i := range servers {
			s.do(time.Duration(1+i%15)*ms, func() { r.net.Break(client.ID, servers[i].host.ID, 0) })
		}
		r.run(5 * time.Second)
		if want := at(max(15*ms, work)); over != want {
			t.Errorf("the round is over at %v, want %v", over, want)
		}
		r.fleet.Close()
	}
}

// TestPausedHostLearnsOfAResetLate: the notice waits like a message.
func TestPausedHostLearnsOfAResetLate(t *testing.T) {
	r := newRig()
	defer r.fleet.Close()
	server, client := r.deaf("server", -1), r.fleet.NewHost("client")
	r.delays(rng.Constant(10 * ms))
	var err error
	var when sim.Time
	client.Go("client", func(p *Process) {
		_, err = p.Call(server.host.Addr(), network.Body{Op: opAsk}, time.Second)
		when = r.world.Now()
	})
	s := r.script()
	s.do(20*ms, func() { client.Pause(at(70 * ms)) })
	s.do(30*ms, func() { r.net.Break(client.ID, server.host.ID, 0) })
	r.run(5 * time.Second)
	if err != ErrReset || when != at(70*ms) {
		t.Errorf("%v at %v, want a reset at 70 ms", err, when)
	}
}

// TestRecvDoesNotTellOfResets, and goes on waiting until its deadline.
func TestRecvDoesNotTellOfResets(t *testing.T) {
	r := newRig()
	defer r.fleet.Close()
	server, client := r.deaf("server", -1), r.fleet.NewHost("client")
	r.delays(rng.Constant(10 * ms))
	client.Go("client", func(p *Process) {
		p.Send(server.host.Addr(), network.Body{Op: opAsk})
		if m, ok := p.Recv(p.Now().Add(100 * ms)); ok || r.world.Now() != at(100*ms) {
			t.Errorf("received %+v at %v", m, r.world.Now())
		}
	})
	r.script().do(20*ms, func() { r.net.Break(client.ID, server.host.ID, 0) })
	r.run(time.Second)
}

// TestAResetIsNotForLaterCalls: one of which the process learns late does not end what it
// has asked since.
func TestAResetIsNotForLaterCalls(t *testing.T) {
	r := newRig()
	defer r.fleet.Close()
	server, client := r.echo("server"), r.fleet.NewHost("client")
	r.delays(rng.Constant(10 * ms))
	var err error
	client.Go("client", func(p *Process) {
		p.Send(server.host.Addr(), network.Body{Op: opAsk})
		p.Sleep(50 * ms)
		_, err = p.Call(server.host.Addr(), network.Body{Op: opAsk}, 100*ms)
	})
	r.script().do(5*ms, func() { r.net.Break(client.ID, server.host.ID, 0) })
	r.run(time.Second)
	if err != nil {
		t.Errorf("the later call ended with %v", err)
	}
}

// TestTwoResetsOfOneRound: each call is given up once.
func TestTwoResetsOfOneRound(t *testing.T) {
	for _, wait := range []time.Duration{0, 20 * ms} {
		r := newRig()
		dead, alive, client := r.deaf("dead", -1), r.echo("alive"), r.fleet.NewHost("client")
		r.delays(rng.Constant(10 * ms))
		var replies int
		client.Go("client", func(p *Process) {
			first := p.Send(dead.host.Addr(), network.Body{Op: opAsk})
			p.Sleep(10 * ms)
			p.Send(dead.host.Addr(), network.Body{Op: opAsk})
			p.Send(alive.host.Addr(), network.Body{Op: opAsk})
			p.Sleep(wait)
			replies = len(p.Gather(first, 3, p.Now().Add(time.Second)))
			if r.world.Now() != at(30*ms) {
				t.Errorf("the round ended at %v", r.world.Now())
			}
		})
		s := r.script()
		s.do(5*ms, func() { r.net.Break(client.ID, dead.host.ID, 0) })
		s.do(15*ms, func() { r.net.Break(client.ID, dead.host.ID, 0) })
		r.run(5 * time.Second)
		if replies != 1 {
			t.Errorf("%d replies, want 1", replies)
		}
		r.fleet.Close()
	}
}

// TestReplyToAny: of three calls it is said which was answered, which lost its connection, and that none of
// the rest was answered in time; replies that nobody waits for are dropped.
func TestReplyToAny(t *testing.T) {
	r := newRig()
	slow, quick, silent, client := r.deaf("slow", 30*ms), r.deaf("quick", 0), r.deaf("silent", -1), r.fleet.NewHost("client")
	r.delays(rng.Constant(10 * ms))
	r.script().do(25*ms, func() { r.fleet.Net.Break(client.ID, slow.host.ID, 0) })
	var got []string
	client.Go("client", func(p *Process) {
		dropped := p.Send(quick.host.Addr(), network.Body{Op: opAsk})
		var calls []uint32
		for _, s := range []*deaf{slow, quick, silent} {
			calls = append(calls, p.Send(s.host.Addr(), network.Body{Op: opAsk}))
		}
		for range 3 {
			call, m, err := p.ReplyToAny(calls, p.Now().Add(50*ms))
			if call == dropped || err == nil && m.Call != call {
				t.Errorf("call %d, reply to %d", call, m.Call)
			}
			got = append(got, fmt.Sprintf("%d %v@%d", slices.Index(calls, call), err, r.world.Now()/1e6))
			calls = slices.DeleteFunc(calls, func(c uint32) bool { return c == call })
		}
	})
	r.run(time.Second)
	if want := []string{"1 <nil>@20", "0 connection reset@25", "-1 timed out@75"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
