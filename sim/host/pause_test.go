package host

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fencepost/sim"
	"fencepost/sim/network"
	"fencepost/sim/rng"
)

// diary is a server that notes what it handles, and when.
type diary struct {
	host *Host
	got  []string
	on   func(what string)
}

func (d *diary) note(what string) {
	d.got = append(d.got, fmt.Sprintf("%s@%d", what, d.host.World().Now()/1e6))
	if d.on != nil {
		d.on(what)
	}
}

func (d *diary) Receive(m *network.Message) { d.note(fmt.Sprint("m", m.Value)) }
func (d *diary) Timer(tag int)              { d.note(fmt.Sprint("t", tag)) }

// newDiary is a host with a diary to which another host sends with a delay of 1 ms.
func newDiary() (*rig, *diary, func(at time.Duration, value int64)) {
	r := newRig()
	d := &diary{host: r.fleet.NewHost("server")}
	d.host.Server = d
	other := r.fleet.NewHost("client")
	r.delays(rng.Constant(ms))
	other.Server = sender{r: r, to: d.host, from: other}
	return r, d, func(at time.Duration, value int64) { other.After(at-ms, int(value)) }
}

// sender sends its timers' tags.
type sender struct {
	r        *rig
	to, from *Host
}

func (s sender) Receive(*network.Message) {}
func (s sender) Timer(tag int) {
	s.from.Send(s.to.Addr(), 0, network.Body{Op: opAsk, Value: int64(tag)})
}

// script runs actions at instants, before what else happens then.
type script struct {
	id      sim.TargetID
	world   *sim.World
	actions []func()
}

func (r *rig) script() *script {
	s := &script{world: r.world}
	s.id = r.world.Register(s)
	return s
}

func (s *script) Fire(e sim.Event) { s.actions[e.Slot]() }

func (s *script) do(when time.Duration, action func()) {
	s.actions = append(s.actions, action)
	s.world.Schedule(sim.ClassFault, sim.Event{At: at(when), Target: s.id, Slot: int32(len(s.actions) - 1)})
}

func TestPauseDelaysWhatBecomesDue(t *testing.T) {
	for _, c := range []struct {
		wake Wake
		want []string
	}{
		{DueOrder, []string{"t1@5", "m2@20", "t3@20", "m4@20", "t5@20", "m6@25"}},
		{TimersFirst, []string{"t1@5", "t3@20", "t5@20", "m2@20", "m4@20", "m6@25"}},
		{MessagesFirst, []string{"t1@5", "m2@20", "m4@20", "t3@20", "t5@20", "m6@25"}},
	} {
		r, d, message := newDiary()
		r.fleet.Wake = c.wake
		d.host.After(5*ms, 1)
		message(11*ms, 2)
		d.host.After(12*ms, 3)
		message(13*ms, 4)
		d.host.After(14*ms, 5)
		message(25*ms, 6)
		s := r.script()
		s.do(10*ms, func() { d.host.Pause(at(20 * ms)) })
		s.do(15*ms, func() {
			if d.host.State() != Paused || d.host.Covered() != 4 {
				t.Errorf("%v, %d covered, want paused and 4", d.host.State(), d.host.Covered())
			}
			if got := d.host.Mono(); got != 15e6 {
				t.Errorf("the clock of a paused host reads %d", got)
			}
		})
		r.run(time.Second)
		if !slices.Equal(d.got, c.want) {
			t.Errorf("wake order %d: %v, want %v", c.wake, d.got, c.want)
		}
	}
}

// TestEndsOfAPause: what is due in the instant in which a pause begins is covered, in
// the instant in which it ends is not late.
func TestEndsOfAPause(t *testing.T) {
	r, d, message := newDiary()
	d.host.After(10*ms, 1)
	message(10*ms, 2)
	d.host.After(20*ms, 3)
	message(20*ms, 4)
	r.script().do(10*ms, func() { d.host.Pause(at(20 * ms)) })
	r.run(time.Second)
	if want := []string{"t1@20", "m2@20", "t3@20", "m4@20"}; !slices.Equal(d.got, want) || d.host.Covered() != 2 {
		t.Errorf("%v, %d covered, want %v and 2", d.got, d.host.Covered(), want)
	}
}

// TestOverlappingPauses: a host sleeps until the last of overlapping pauses ends.
func TestOverlappingPauses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		instant := rapid.Int64Range(0, 40)
		r, d, _ := newDiary()
		s := r.script()
		type window struct{ from, to int64 }
		var windows []window
		for range rapid.IntRange(1, 4).Draw(t, "pauses") {
			from := instant.Draw(t, "from")
			w := window{from, from + rapid.Int64Range(1, 20).Draw(t, "length")}
			windows = append(windows, w)
			s.do(time.Duration(w.from)*ms, func() { d.host.Pause(at(time.Duration(w.to) * ms)) })
		}
		var want []string
		dues := rapid.SliceOfN(instant, 0, 10).Draw(t, "dues")
		slices.Sort(dues)
		covered := uint64(0)
		for tag, due := range dues {
			d.host.After(time.Duration(due)*ms, tag)
			handled := due
			for again := true; again; { // to the end of the last pause that reaches it
				again = false
				for _, w := range windows {
					if w.from <= handled && handled < w.to {
						handled, again = w.to, true
					}
				}
			}
			if handled != due {
				covered++
			}
			want = append(want, fmt.Sprintf("t%d@%d", tag, handled))
		}
		r.run(time.Second)
		if !slices.Equal(d.got, want) {
			t.Fatalf("pauses %v: %v, want %v", windows, d.got, want)
		}
		if d.host.Covered() < covered || (covered == 0) != (d.host.Covered() == 0) {
			t.Fatalf("pauses %v and dues %v: %d covered", windows, dues, d.host.Covered())
		}
	})
}

// TestCoveredCountsWhatAPauseChanged: an extension covers what waits already, a pause
// inside another covers what becomes due in it, and one that finds nothing nothing.
func TestCoveredCountsWhatAPauseChanged(t *testing.T) {
	r, d, _ := newDiary()
	d.host.After(12*ms, 1)
	s := r.script()
	covered := func(when time.Duration, want uint64, why string) {
		s.do(when, func() {
			if got := d.host.Covered(); got != want {
				t.Errorf("at %v: %d covered, want %d: %s", when, got, want, why)
			}
		})
	}
	s.do(1*ms, func() { d.host.Pause(at(5 * ms)) })
	covered(6*ms, 0, "nothing was due")
	s.do(10*ms, func() { d.host.Pause(at(20 * ms)) })
	covered(13*ms, 1, "a timer came due")
	s.do(14*ms, func() { d.host.Pause(at(16 * ms)) })
	covered(17*ms, 1, "a pause inside another changed nothing")
	s.do(18*ms, func() { d.host.Pause(at(30 * ms)) })
	covered(19*ms, 2, "an extension keeps the timer waiting")
	r.run(time.Second)
	if want := []string{"t1@30"}; !slices.Equal(d.got, want) {
		t.Errorf("%v, want %v", d.got, want)
	}
}

// TestPauseWhileWaking: the host stops where it was, and goes on from there; what
// becomes due meanwhile comes after what had been waiting.
func TestPauseWhileWaking(t *testing.T) {
	r, d, message := newDiary()
	for tag := 1; tag <= 4; tag++ {
		d.host.After(time.Duration(10+tag)*ms, tag)
	}
	message(25*ms, 5)
	d.on = func(what string) {
		if what == "t2" {
			d.host.Pause(at(30 * ms))
		}
	}
	before := uint64(0)
	s := r.script()
	s.do(10*ms, func() { d.host.Pause(at(20 * ms)) })
	s.do(20*ms, func() { before = d.host.Covered() })
	r.run(time.Second)
	if want := []string{"t1@20", "t2@20", "t3@30", "t4@30", "m5@30"}; !slices.Equal(d.got, want) {
		t.Errorf("%v, want %v", d.got, want)
	}
	if before < 4 || d.host.Covered() <= before+1 {
		t.Errorf("%d covered by the first pause and %d in all", before, d.host.Covered())
	}
}

func TestCrashWhileWakingForgetsTheRest(t *testing.T) {
	for _, wake := range []Wake{DueOrder, TimersFirst, MessagesFirst} {
		r, d, message := newDiary()
		r.fleet.Wake = wake
		d.host.After(11*ms, 1)
		d.host.After(12*ms, 2)
		message(13*ms, 3)
		d.on = func(string) { d.host.Crash(LoseUnsynced) }
		r.script().do(10*ms, func() { d.host.Pause(at(20 * ms)) })
		r.run(time.Second)
		if len(d.got) != 1 || d.host.State() != Crashed {
			t.Errorf("wake order %d: %v after a crash at the first", wake, d.got)
		}
	}
}

func TestCrashDuringAPause(t *testing.T) {
	r, d, message := newDiary()
	d.host.After(11*ms, 1)
	message(12*ms, 2)
	s := r.script()
	s.do(10*ms, func() { d.host.Pause(at(20 * ms)) })
	s.do(15*ms, func() { d.host.Crash(LoseUnsynced) })
	s.do(16*ms, func() { d.host.Pause(at(30 * ms)) })
	r.run(time.Second)
	if len(d.got) != 0 || d.host.State() != Crashed {
		t.Errorf("%v, %v; want nothing, crashed", d.got, d.host.State())
	}
}

// TestDeadlineThatPassedInAPause: replies that came before the deadline are taken, those
// after it are not, as the wake order has it.
func TestDeadlineThatPassedInAPause(t *testing.T) {
	for _, c := range []struct {
		wake Wake
		want int
	}{{DueOrder, 2}, {TimersFirst, 0}, {MessagesFirst, 3}} {
		for _, gather := range []bool{false, true} {
			r := newRig()
			client := r.fleet.NewHost("client")
			var servers []*echo
			for i := range 3 {
				servers = append(servers, r.echo(fmt.Sprint("server/", i)))
			}
			r.delays(rng.Constant(ms))
			r.net.SetDelay(servers[2].host.ID, client.ID, rng.Constant(50*ms))
			r.fleet.Wake = c.wake
			got := 0
			client.Go("client", func(p *Process) {
				deadline := p.Now().Add(10 * ms)
				first := p.Send(servers[0].host.Addr(), network.Body{Op: opAsk})
				p.Send(servers[1].host.Addr(), network.Body{Op: opAsk})
				p.Send(servers[2].host.Addr(), network.Body{Op: opAsk})
				if gather {
					got = len(p.Gather(first, 3, deadline))
					return
				}
				for range 3 {
					if _, ok := p.Recv(deadline); !ok {
						return
					}
					got++
				}
			})
			r.script().do(ms, func() { client.Pause(at(100 * ms)) })
			r.run(time.Second)
			if got != c.want {
				t.Errorf("wake order %d, gather %v: %d replies, want %d", c.wake, gather, got, c.want)
			}
			r.fleet.Close()
		}
	}
}
