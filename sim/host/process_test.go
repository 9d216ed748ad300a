package host

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fencepost/sim"
	"fencepost/sim/network"
	"fencepost/sim/rng"
)

func TestProcessWaits(t *testing.T) {
	r := newRig()
	defer r.fleet.Close()
	h := r.fleet.NewHost("host")
	r.fleet.StepCost = 3 * ms
	var got []time.Duration
	p := h.Go("p", func(p *Process) {
		note := func() { got = append(got, r.world.Now().Duration()/ms) }
		note()
		p.Sleep(10 * ms)
		note()
		p.Step("step")
		note()
		p.Sleep(-5 * ms) // no time, but others have their turn
		note()
		p.SleepUnlessSignalled(7 * ms)
		note()
	})
	if p.Done() || len(got) != 0 {
		t.Error("a process ran before the event loop did")
	}
	r.run(time.Second)
	if want := []time.Duration{0, 10, 13, 13, 20}; !slices.Equal(got, want) || !p.Done() {
		t.Errorf("at %v (done %v), want %v", got, p.Done(), want)
	}
}

func TestSignals(t *testing.T) {
	r := newRig()
	defer r.fleet.Close()
	h := r.fleet.NewHost("host")
	var got []string
	sleeper := h.Go("sleeper", func(p *Process) {
		for range 4 {
			signalled := p.SleepUnlessSignalled(10 * ms)
			got = append(got, fmt.Sprintf("%v@%d", signalled, r.world.Now()/1e6))
		}
		p.Sleep(20 * ms) // heeds no signal
		got = append(got, fmt.Sprintf("%v@%d", p.TakeSignal(), r.world.Now()/1e6))
	})
	s := r.script()
	s.do(3*ms, func() { sleeper.Signal(); sleeper.Signal() }) // two at once are one
	s.do(15*ms, func() { sleeper.Signal() })
	s.do(30*ms, func() { sleeper.Signal() })
	r.run(time.Second)
	if want := []string{"true@3", "false@13", "true@15", "false@25", "true@45"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	sleeper.Signal() // to nobody
}

func TestCallAndReply(t *testing.T) {
	r := newRig()
	defer r.fleet.Close()
	server, client := r.echo("server"), r.fleet.NewHost("client")
	r.delays(rng.Constant(10 * ms))
	var got []string
	client.Go("client", func(p *Process) {
		note := func(m network.Message, err error) {
			got = append(got, fmt.Sprintf("%d %v@%d", m.Value, err, r.world.Now()/1e6))
		}
		ask := func(v int64, timeout time.Duration) {
			note(p.Call(server.host.Addr(), network.Body{Op: opAsk, Value: v, Hold: 9}, timeout))
		}
		ask(1, 30*ms)
		ask(2, 15*ms) // late: the reply comes at 40 ms
		ask(3, 30*ms) // and is not taken for that to this one
		ask(4, 20*ms) // a deadline in the instant of the reply has passed
		if m, ok := p.Recv(p.Now().Add(5 * ms)); !ok || m.Value != 4 || m.Hold != 9 {
			t.Errorf("the late reply is %+v, %v", m, ok)
		}
	})
	r.run(time.Second)
	want := []string{"1 <nil>@20", "0 timed out@35", "3 <nil>@55", "0 timed out@75"}
	if !slices.Equal(got, want) || !slices.Equal(server.heard, []int64{1, 2, 3, 4}) {
		t.Errorf("%q (the server heard %v), want %q", got, server.heard, want)
	}
}

// TestGatherIsTakingOneByOne compares a round gathered with one taken reply by reply,
// some of them late, while replies to an earlier round still come in.
func TestGatherIsTakingOneByOne(t *testing.T) {
	type outcome struct {
		values []int64
		at     sim.Time
	}
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		n := rapid.IntRange(1, 6).Draw(t, "servers")
		timeout := time.Duration(rapid.IntRange(0, 30).Draw(t, "timeout")) * ms
		steps := rapid.IntRange(0, 10).Draw(t, "steps")
		run := func(wait func(p *Process, first uint32, deadline sim.Time) []int64) (got []outcome) {
			r := newRig()
			defer r.fleet.Close()
			client := r.fleet.NewHost("client")
			var servers []*echo
			for i := range n {
				servers = append(servers, r.echo(fmt.Sprint("server/", i)))
			}
			r.delays(rng.Uniform(ms, 20*ms))
			r.reset(seed)
			client.Go("client", func(p *Process) {
				for round := range 4 {
					first, deadline := uint32(0), p.Now().Add(timeout)
					for i, s := range servers {
						if call := p.Send(s.host.Addr(), network.Body{Op: opAsk, Value: int64(10*round + i)}); i == 0 {
							first = call
						}
					}
					for range steps { // replies may come before anybody waits for them
						p.Step("work")
					}
					values := wait(p, first, sim.Time(deadline))
					got = append(got, outcome{values, r.world.Now()})
				}
			})
			r.run(time.Second)
			return got
		}
		gathered := run(func(p *Process, first uint32, deadline sim.Time) (values []int64) {
			for _, m := range p.Gather(first, n, p.Now().Add(deadline.Sub(sim.Time(p.Now())))) {
				values = append(values, m.Value)
			}
			return values
		})
		taken := run(func(p *Process, first uint32, deadline sim.Time) (values []int64) {
			for len(values) < n {
				m, ok := p.Recv(p.Now().Add(deadline.Sub(sim.Time(p.Now()))))
				if !ok {
					break
				}
				if m.Call >= first {
					values = append(values, m.Value)
				}
			}
			return values
		})
		if fmt.Sprint(gathered) != fmt.Sprint(taken) {
			t.Fatalf("gathered %v\ntaken    %v", gathered, taken)
		}
	})
}

// TestTimersKeepLocalTime: whatever the rate does while they wait, timers come when the
// host's own clock reads what they are set for, and at no instant earlier.
func TestTimersKeepLocalTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := newRig()
		defer r.fleet.Close()
		h := r.fleet.NewHost("host")
		s := r.script()
		for range rapid.IntRange(0, 4).Draw(t, "changes") {
			rate := rapid.Int64Range(-900_000_000, 900_000_000).Draw(t, "rate")
			s.do(time.Duration(rapid.IntRange(0, 50).Draw(t, "at"))*ms, func() { h.SetRate(rate) })
		}
		due := time.Duration(rapid.IntRange(0, 50).Draw(t, "due")) * ms
		fired := 0
		check := func(what string) {
			fired++
			if reads := time.Duration(h.Mono()); reads < due {
				t.Fatalf("%s at %v on the host's clock, %v too early", what, reads, due-reads)
			}
			if now := r.world.Now(); now > 0 && time.Duration(h.Clock.Mono(now-1)) >= due {
				t.Fatalf("%s after %v, when the clock had read %v before", what, now, due)
			}
		}
		h.Server = onTimer(func() { check("the server's timer") })
		h.After(due, 0)
		h.Go("sleeper", func(p *Process) {
			p.Sleep(due)
			check("the sleeper")
		})
		r.run(10 * time.Second)
		if fired != 2 {
			t.Fatalf("%d of 2 timers came", fired)
		}
	})
}

type onTimer func()

func (onTimer) Receive(network.Message) {}
func (f onTimer) Timer(int)             { f() }

// crashingObserver crashes a process's host at a step.
type crashingObserver struct{ step string }

func (o crashingObserver) ReachedStep(h *Host, _ *Process, step string) {
	if step == o.step {
		h.Crash()
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
			r.script().do(15*ms, client.Crash)
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
		client.Crash() // once
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
		r.script().do(10*ms, h.Crash)
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
	r.script().do(10*ms, h.Crash)
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
	r.script().do(12*ms, server.host.Crash)
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
			server.host.Crash()
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
