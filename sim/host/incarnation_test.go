package host

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fencepost/sim"
	"fencepost/sim/network"
	"fencepost/sim/rng"
)

// TestIncarnationsAreApart crashes, restarts, pauses, suspends and throttles a host at
// random, while timers are set on it and messages are sent to it. The oracle knows of each
// when it was begun and looks through the script, half a millisecond at a time, for what
// became of it: gone with a crash, late by a halt, or handled.
func TestIncarnationsAreApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, d, message := newDiary()
		r.fleet.Wake = rapid.SampledFrom([]Wake{DueOrder, TimersFirst, MessagesFirst}).Draw(t, "wake")
		d.host.Clock.CountsSuspend = rapid.Bool().Draw(t, "counts")
		o := &dumb{wake: r.fleet.Wake, counts: d.host.Clock.CountsSuspend}
		s := r.script()
		instant := rapid.Int64Range(0, 60)
		// What falls on one instant happens in the order of the script; the oracle does
		// without, so every instant has one thing at most.
		taken := map[int64]bool{}
		for range rapid.IntRange(0, 20).Draw(t, "events") {
			at := instant.Draw(t, "at")
			if taken[at] {
				continue
			}
			taken[at] = true
			e := act{at: 2 * at, what: rapid.SampledFrom([]string{"crash", "restart", "restart later", "pause", "suspend"}).Draw(t, "what"),
				until: 2 * (at + rapid.Int64Range(1, 20).Draw(t, "for"))}
			o.script = append(o.script, e)
			until := sim.Time(e.until) * sim.Time(tick)
			s.do(time.Duration(at)*ms, func() {
				switch e.what {
				case "crash":
					d.host.Crash(LoseMemory)
				case "restart":
					d.host.Restart(false)
				case "restart later":
					d.host.RestartAt(until, false)
				case "pause":
					d.host.Pause(until)
				case "suspend":
					d.host.Suspend(until)
				}
			})
		}
		for tag := range rapid.IntRange(0, 8).Draw(t, "things") {
			begun, takes := 2*instant.Draw(t, "begun"), rapid.Int64Range(1, 60).Draw(t, "takes")
			isTimer := rapid.Bool().Draw(t, "is a timer")
			if isTimer {
				begun++ // not in an instant of the script's: before or after what it does?
			}
			o.things = append(o.things, thing{tag: tag, begun: begun, takes: takes, isTimer: isTimer})
			if isTimer {
				// A timer is set by the script, but only on a host that runs.
				s.do(time.Duration(begun)*tick, func() {
					if d.host.State() == Running {
						d.host.After(time.Duration(takes)*tick, tag)
					}
				})
			} else {
				message(time.Duration(begun)*tick+ms, int64(tag)) // sent then, comes 1 ms later
			}
		}
		r.run(time.Second)
		got := untied(d.got)
		if want := untied(o.run()); !slices.Equal(got, want) {
			t.Fatalf("wake %d, counts %v, script %+v, things %+v:\ngot  %v\nwant %v", o.wake, o.counts, o.script, o.things, got, want)
		}
		if (o.crashes + o.restarts) != int(d.host.Incarnation()) {
			t.Fatalf("incarnation %d after %d crashes and %d restarts", d.host.Incarnation(), o.crashes, o.restarts)
		}
	})
}

// untied brings timers that are handled right after each other in one instant into the
// order of their tags: which of two that are due at once comes first is nobody's concern.
func untied(notes []string) []string {
	sorted := slices.Clone(notes)
	for from := 0; from < len(sorted); {
		to := from + 1
		for to < len(sorted) && sorted[from][0] == 't' && sorted[to][0] == 't' && after(sorted[from]) == after(sorted[to]) {
			to++
		}
		slices.Sort(sorted[from:to])
		from = to
	}
	return sorted
}

func after(note string) string { return note[strings.Index(note, "@"):] }

// act is a line of the script; thing is a timer or a message.
type (
	act struct {
		at    int64
		what  string
		until int64
	}
	thing struct {
		tag          int
		begun, takes int64
		isTimer      bool
		life         int
		set          bool
		left         int64 // a timer's, on the monotonic clock
		due          bool  // it piled up
		done         bool
	}
)

// tick is the oracle's unit of time.
const tick = ms / 2

// dumb goes through time tick by tick.
type dumb struct {
	wake              Wake
	counts            bool
	script            []act
	things            []thing
	crashes, restarts int
}

func (o *dumb) run() (got []string) {
	life, down := 0, false
	pausedTo, asleepTo, restartAt, restartLife := int64(-1), int64(-1), int64(-1), 0
	var backlog []int // indices of things, in the order in which they became due
	handle := func(i int, at int64) {
		kind := "m"
		if o.things[i].isTimer {
			kind = "t"
		}
		o.things[i].done = true
		got = append(got, fmt.Sprintf("%s%d@%d", kind, o.things[i].tag, at/2))
	}
	restart := func() { down, life, o.restarts = false, life+1, o.restarts+1 }
	for at := int64(0); at < 800; at++ {
		wasHalted := !down && (pausedTo >= 0 || asleepTo >= 0)
		if pausedTo == at {
			pausedTo = -1
		}
		if asleepTo == at {
			asleepTo = -1
		}
		resumes := wasHalted && pausedTo < 0 && asleepTo < 0
		if resumes {
			rank := func(i int) int {
				if o.wake == DueOrder || o.things[i].isTimer == (o.wake == TimersFirst) {
					return 0
				}
				return 1
			}
			slices.SortStableFunc(backlog, func(a, b int) int { return rank(a) - rank(b) })
		}
		// The script was scheduled before the run, so it comes before whatever was
		// scheduled in it for the same instant, the end of a halt included.
		var now *act
		for i := range o.script {
			if o.script[i].at == at {
				now = &o.script[i]
			}
		}
		if now != nil && resumes && (now.what == "pause" || now.what == "suspend") {
			resumes = false // extended in its last instant
		}
		if now != nil {
			switch {
			case now.what == "crash" && !down:
				down, life, pausedTo, asleepTo, backlog, resumes = true, life+1, -1, -1, nil, false
				o.crashes++
			case now.what == "restart" && down:
				restart()
			case now.what == "restart later" && down && (restartLife != life || restartAt > now.until || restartAt < 0):
				restartAt, restartLife = now.until, life
			case now.what == "pause" && !down:
				pausedTo = max(pausedTo, now.until)
			case now.what == "suspend" && !down:
				asleepTo = max(asleepTo, now.until)
			}
		}
		if restartAt == at && restartLife == life && down {
			restart()
		}
		if resumes {
			for _, i := range backlog {
				handle(i, at)
			}
			backlog = nil
		}
		halted := pausedTo >= 0 || asleepTo >= 0
		for pass := range 2 { // timers come before messages
			for i := range o.things {
				x := &o.things[i]
				if x.isTimer != (pass == 0) || x.done || x.due {
					continue
				}
				if x.begun == at {
					if x.isTimer && (down || halted) {
						x.done = true // nobody was there to set it
						continue
					}
					x.set, x.life, x.left = true, life, x.takes
					if !x.isTimer {
						x.left = 2
					}
				}
				if !x.set {
					continue
				}
				if x.left == 0 && x.life == life && !down {
					if halted {
						x.due = true
						backlog = append(backlog, i)
					} else {
						handle(i, at)
					}
				}
				if x.life != life || x.left == 0 {
					x.set = false
				}
			}
		}
		for i := range o.things { // the tick passes
			if x := &o.things[i]; x.set && !(x.isTimer && asleepTo >= 0 && !o.counts) {
				x.left--
			}
		}
	}
	return got
}

// TestRepliesToADeadProcess never reach the process that is started in its place.
func TestRepliesToADeadProcess(t *testing.T) {
	r := newRig()
	defer r.fleet.Close()
	server, client := r.echo("server"), r.fleet.NewHost("client")
	r.delays(rng.Constant(10 * ms))
	var got []string
	program := func(life int) func(p *Process) {
		return func(p *Process) {
			p.Send(server.host.Addr(), network.Body{Op: opAsk, Value: int64(life)})
			for {
				if m, ok := p.Recv(p.Now().Add(time.Hour)); ok {
					got = append(got, fmt.Sprintf("life %d got %d@%d", life, m.Value, r.world.Now()/1e6))
				}
			}
		}
	}
	client.Go("client", program(1))
	r.fleet.OnRestart = func(h *Host) { h.Go("client", program(2)) }
	r.script().do(5*ms, func() { client.Crash(LoseMemory); client.Restart(false) })
	r.run(time.Second)
	if want := []string{"life 2 got 2@25"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
