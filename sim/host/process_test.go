package host

import (
	"fmt"
	"math"
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

type onTimer func()

func (onTimer) Receive(*network.Message) {}
func (f onTimer) Timer(int)              { f() }

// TestPortsAreHandedOutAgain when all have been, but for those of living processes, and no
// call of a port's new owner has the number of one of its former owner.
func TestPortsAreHandedOutAgain(t *testing.T) {
	r := newRig()
	defer r.fleet.Close()
	h := r.fleet.NewHost("busy-host")
	short := func() *Process { return h.Go("short", func(*Process) {}) }
	if port := short().Port(); port != 1 {
		t.Fatalf("the first port is %d", port)
	}
	if port := h.Go("long", func(p *Process) { p.Sleep(time.Hour) }).Port(); port != 2 {
		t.Fatalf("the second port is %d", port)
	}
	for range math.MaxInt16 - 2 {
		r.run(0)
		short()
	}
	r.run(0)
	again, next := short(), short()
	if again.Port() != 1 || next.Port() != 3 || again.calls != callsOfALap {
		t.Errorf("ports %d and %d, calls from %d; want 1, 3 and %d", again.Port(), next.Port(), again.calls, callsOfALap)
	}
}

// TestTooManyProcesses with a word about the host.
func TestTooManyProcesses(t *testing.T) {
	r := newRig()
	defer r.fleet.Close()
	h := r.fleet.NewHost("busy-host")
	defer func() {
		if text := fmt.Sprint(recover()); len(h.processes) != math.MaxInt16 || !strings.Contains(text, "busy-host") {
			t.Errorf("panic %q with %d processes", text, len(h.processes))
		}
	}()
	for range 1 << 15 {
		h.Go("endless", func(p *Process) { p.Sleep(time.Hour) })
	}
}
