package host

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"fencepost/sim/network"
	"fencepost/sim/rng"
)

// crashingObserver crashes a process's host at a step.
type crashingObserver struct{ step string }

func (o crashingObserver) ReachedStep(h *Host, _ *Process, step string) {
	if step == o.step {
		h.Crash(LoseUnsynced)
	}
}

// TestCrashEndsEverything: timers, processes and messages of the old incarnation.
func TestCrashEndsEverything(t *testing.T) {
	for _, own := range []bool{false, true} {
		r := newRig()
		server, client := r.echo("server"), r.fleet.NewHost("client")
		r.delays(rng.Constant(10 * ms))
		timers := 0
		client.Server = onTimer(func() { timers++ })
		client.After(50*ms, 1)
		var reached []string
		program := func(p *Process) {
			defer func() { reached = append(reached, p.Name+" deferred") }()
			defer p.Sleep(ms) // inert
			p.Send(server.host.Addr(), network.Body{Op: opAsk, Value: 1})
			p.Sleep(15 * ms)
			reached = append(reached, p.Name+" before")
			p.Step("now")
			reached = append(reached, p.Name+" after")
		}
		one, two := client.Go("one", program), client.Go("two", program)
		if own { // the first to reach its step crashes the host from inside
			r.fleet.Observer = crashingObserver{"now"}
		} else {
			r.script().do(15*ms, func() { client.Crash(LoseUnsynced) })
		}
		crashes := 0
		r.fleet.OnCrash = func(h *Host) { crashes++ }
		r.run(time.Second)
		want := []string{"two deferred", "one deferred"}
		if own {
			want = []string{"one before", "two deferred", "one deferred"}
		}
		if !slices.Equal(reached, want) {
			t.Errorf("own %v: %q, want %q", own, reached, want)
		}
		if timers != 0 || crashes != 1 || client.Incarnation() != 1 || !one.Done() || !two.Done() {
			t.Errorf("own %v: %d timers, %d crashes, incarnation %d, done %v %v",
				own, timers, crashes, client.Incarnation(), one.Done(), two.Done())
		}
		client.Crash(LoseUnsynced) // once
		if crashes != 1 {
			t.Error("a crashed host crashed again")
		}
		r.fleet.Close()
	}
}

// TestDeadProcessesChangeNothing: what deferred functions of a crashed process call
// leaves no event and no draw behind.
func TestDeadProcessesChangeNothing(t *testing.T) {
	run := func(cleanup func(p, other *Process, to network.Addr)) (uint64, uint64) {
		r := newRig()
		defer r.fleet.Close()
		server, h := r.echo("server"), r.fleet.NewHost("host")
		r.delays(rng.Uniform(ms, 2*ms))
		r.reset(5)
		other := h.Go("other", func(p *Process) { p.SleepUnlessSignalled(time.Second) })
		h.Go("p", func(p *Process) {
			defer cleanup(p, other, server.host.Addr())
			p.Sleep(time.Second)
		})
		r.script().do(10*ms, func() { h.Crash(LoseUnsynced) })
		r.run(10 * time.Second)
		return r.world.Digest().Sum(), r.world.Fired()
	}
	digest, events := run(func(*Process, *Process, network.Addr) {})
	for name, cleanup := range map[string]func(p, other *Process, to network.Addr){
		"Send":   func(p, _ *Process, to network.Addr) { p.Send(to, network.Body{Op: opAsk}) },
		"Call":   func(p, _ *Process, to network.Addr) { p.Call(to, network.Body{Op: opAsk}, ms) },
		"Recv":   func(p, _ *Process, _ network.Addr) { p.Recv(p.Now() + 1) },
		"Gather": func(p, _ *Process, _ network.Addr) { p.Gather(1, 1, p.Now()+1) },
		"Step":   func(p, _ *Process, _ network.Addr) { p.Step("cleanup") },
		"Sleep":  func(p, _ *Process, _ network.Addr) { p.Sleep(ms) },
		"Wait":   func(p, _ *Process, _ network.Addr) { p.SleepUnlessSignalled(ms) },
		"Go":     func(p, _ *Process, _ network.Addr) { p.Go("child", func(*Process) {}) },
		"Signal": func(_, other *Process, _ network.Addr) { other.Signal() },
	} {
		if d, n := run(cleanup); d != digest || n != events {
			t.Errorf("%s by a dead process: %d events (%x), want %d (%x)", name, n, d, events, digest)
		}
	}
}

func TestBrokenProcessIsNamed(t *testing.T) {
	r := newRig()
	h := r.fleet.NewHost("host")
	h.Go("p", func(p *Process) {
		for {
			func() {
				defer func() { _ = recover() }()
				p.Sleep(ms)
			}()
		}
	})
	r.script().do(10*ms, func() { h.Crash(LoseUnsynced) })
	defer func() {
		if text := fmt.Sprint(recover()); !strings.Contains(text, "after its crash") ||
			!strings.Contains(text, `"p"`) || !strings.Contains(text, "host") {
			t.Errorf("panic %q does not name the process", text)
		}
	}()
	r.run(time.Second)
}

func TestMessagesForADeadIncarnation(t *testing.T) {
	r := newRig()
	defer r.fleet.Close()
	server, client := r.echo("server"), r.fleet.NewHost("client")
	r.delays(rng.Constant(10 * ms))
	client.Server = onTimer(func() {
		client.Send(server.host.Addr(), 0, network.Body{Op: opAsk, Value: int64(r.world.Now() / 1e6)})
	})
	client.After(0, 0)
	client.After(5*ms, 0)
	r.script().do(12*ms, func() { server.host.Crash(LoseUnsynced) })
	r.run(time.Second)
	if want := []int64{0}; !slices.Equal(server.heard, want) {
		t.Errorf("the server heard %v, want %v", server.heard, want)
	}
}

// TestReuse: a reused world runs as a new one does, and closing it ends its goroutines.
func TestReuse(t *testing.T) {
	before := runtime.NumGoroutine()
	build := func() (*rig, func(seed uint64) uint64) {
		r := newRig()
		server, client := r.echo("server"), r.fleet.NewHost("client")
		r.delays(rng.Uniform(ms, 20*ms))
		return r, func(seed uint64) uint64 {
			r.reset(seed)
			for i := range 3 {
				client.Go(fmt.Sprint("client ", i), func(p *Process) {
					p.Go("child", func(q *Process) { q.Sleep(time.Hour) })
					for {
						p.Step("step")
						p.Call(server.host.Addr(), network.Body{Op: opAsk}, 25*ms)
					}
				})
			}
			r.run(300 * ms)
			client.SetRate(1000)
			client.Pause(at(350 * ms))
			r.run(400 * ms)
			server.host.Crash(LoseUnsynced)
			r.run(500 * ms)
			return r.world.Digest().Sum()
		}
	}
	reused, run := build()
	for _, seed := range []uint64{1, 2, 1, 3} {
		fresh, once := build()
		if a, b := run(seed), once(seed); a != b {
			t.Errorf("seed %d: digest %x in a reused world, %x in a new one", seed, a, b)
		}
		fresh.fleet.Close()
	}
	if run(1) == run(2) {
		t.Error("two seeds have the same digest")
	}
	reused.fleet.Close()
	for range 100 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("%d goroutines, %d at the start", runtime.NumGoroutine(), before)
}
