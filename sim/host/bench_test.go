package host

import (
	"testing"
	"time"

	"fencepost/sim"
	"fencepost/sim/network"
	"fencepost/sim/rng"
)

// quiet is a server that answers and keeps nothing.
type quiet struct{ host *Host }

func (s *quiet) Receive(m *network.Message) { s.host.Reply(m, network.Body{Op: opAnswer, OK: true}) }
func (s *quiet) Timer(int)                  {}

// pingPong is a client that asks a number of servers over and over.
func pingPong(servers int, delay rng.Dist, ask func(p *Process, to []network.Addr)) *rig {
	r := newRig()
	var to []network.Addr
	for i := range servers {
		h := r.fleet.NewHost(string(rune('a' + i)))
		h.Server = &quiet{h}
		to = append(to, h.Addr())
	}
	r.fleet.NewHost("client").Go("client", func(p *Process) {
		for {
			ask(p, to)
		}
	})
	r.delays(delay)
	return r
}

const timeout = 50 * ms

func call(p *Process, to []network.Addr) {
	p.Call(to[0], network.Body{Op: opAsk}, timeout)
}

// round asks all servers at once and waits for all of them.
func round(p *Process, to []network.Addr) {
	first, deadline := uint32(0), p.Now().Add(timeout)
	for i, a := range to {
		if c := p.Send(a, network.Body{Op: opAsk}); i == 0 {
			first = c
		}
	}
	p.Gather(first, len(to), deadline)
}

var pingPongs = []struct {
	name    string
	servers int
	delay   rng.Dist
	ask     func(p *Process, to []network.Addr)
}{
	{"call/constant", 1, rng.Constant(ms), call},
	{"call/uniform", 1, rng.Uniform(ms, 2*ms), call},
	{"call/lognormal", 1, rng.LogNormal(ms, 0.3), call},
	{"round-of-5/uniform", 5, rng.Uniform(ms, 2*ms), round},
	{"round-of-5/lognormal", 5, rng.LogNormal(ms, 0.3), round},
}

// BenchmarkPingPong reports one event, with everything that it takes: queue, digest,
// noise, delivery, handler, process.
func BenchmarkPingPong(b *testing.B) {
	for _, c := range pingPongs {
		b.Run(c.name, func(b *testing.B) {
			r := pingPong(c.servers, c.delay, c.ask)
			defer r.fleet.Close()
			b.ReportAllocs()
			b.ResetTimer()
			r.world.MaxEvents = uint64(b.N)
			r.world.Run(sim.Forever)
		})
	}
}

func TestSteadyStateDoesNotAllocate(t *testing.T) {
	for _, c := range pingPongs {
		r := pingPong(c.servers, c.delay, c.ask)
		r.world.MaxEvents = 1e6
		until := time.Second
		r.run(until)
		if n := testing.AllocsPerRun(20, func() {
			until += 100 * ms
			r.run(until)
		}); n != 0 {
			t.Errorf("%s: %v allocations in 100 ms of a run, want none", c.name, n)
		}
		r.fleet.Close()
	}
}

func TestReuseDoesNotAllocate(t *testing.T) {
	r := newRig()
	defer r.fleet.Close()
	server, client := r.fleet.NewHost("server"), r.fleet.NewHost("client")
	server.Server = &quiet{server}
	r.delays(rng.Uniform(ms, 2*ms))
	program := func(p *Process) {
		for range 20 {
			p.Step("step")
			p.Call(server.Addr(), network.Body{Op: opAsk}, 10*ms)
		}
	}
	seed := uint64(0)
	trial := func() {
		seed++
		r.reset(seed)
		client.Go("one", program)
		client.Go("two", program)
		r.world.Run(at(10 * ms))
		server.Pause(at(15 * ms))
		r.world.Run(at(30 * ms))
		client.Crash(LoseUnsynced)
		r.world.Run(sim.Forever)
	}
	for range 5 {
		trial()
	}
	if n := testing.AllocsPerRun(20, trial); n != 0 {
		t.Errorf("%v allocations in a trial of a reused world, want none", n)
	}
}
