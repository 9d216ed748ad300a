package chubby

import (
	"slices"
	"testing"
	"time"

	"fencepost/models"
	"fencepost/models/modeltest"
	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/trace"
)

// storm is a cell under drawn trouble: pauses, crashes, cuts, slow links and disks, of clients
// and replicas alike.
type storm struct {
	*rig
	trouble *modeltest.Trouble
	reached map[string]bool
	holds   [stormClients]bool // that the client's program goes on as the holder
	both    sim.Time           // when two clients were sure at once; 0 is never
}

const (
	stormClients = 3
	stormLength  = 150 * sec

	stormRate = 4_900_000 // by which a clock is wrong at most, in parts per billion
)

// beyondTheBound are faults that make clocks differ by more than a client allows for.
var beyondTheBound = []string{"rate", "bias", "slew", "freeze", "suspend"}

func newStorm(t *testing.T, delay time.Duration) *storm {
	s := &storm{rig: newRig(t, stormClients, lease(3*sec, delay)), reached: map[string]bool{}}
	s.Env.RhoPPB = stormRate
	s.trouble = modeltest.NewTrouble(s.Fleet)
	s.Fleet.Observer = s
	s.Fleet.OnRestart = func(h *host.Host) {
		if i := slices.Index(s.Env.Clients, h); i >= 0 {
			s.Lockers[i], s.holds[i] = s.System.Locker(i), false
			s.start(i)
		}
	}
	return s
}

// ReachedStep implements [host.StepObserver].
func (s *storm) ReachedStep(_ *host.Host, _ *host.Process, step string) { s.reached[step] = true }

// run lets a storm of a seed pass. No clock leaves the bound of 1 % between two hosts.
func (s *storm) run(seed uint64, blows int) {
	s.both, s.holds = 0, [stormClients]bool{}
	draw, hosts := s.Begin(seed), s.Everywhere()
	var all []modeltest.Blow
	for len(all) < blows {
		all = append(all, draw.Except(beyondTheBound, sim.Time(draw("ms", 1, 120_000))*sim.Time(ms), hosts))
	}
	s.LongPauses(draw, 120*sec)
	s.trouble.Reset(all)
	for _, h := range s.Fleet.Hosts {
		h.SetRate(int64(draw("rate", -stormRate, stormRate)))
	}
	for i := range s.Env.Clients {
		s.start(i)
	}
	s.Run(stormLength)
}

// start makes a client take the lock again and again. It asks its library all the time, and
// stops when that is not sure, as a program that calls the library for every step would.
func (s *storm) start(i int) {
	s.Env.Clients[i].Go("client", func(p *host.Process) {
		l := s.Lockers[i].(models.Suspender)
		for {
			if _, err := l.Acquire(p, s.Recorder.NewHold(i, history.Executor(i+1))); err != nil {
				s.t.Errorf("acquire: %v", err)
			}
			s.holds[i] = true
			for range 60 {
				p.Sleep(100 * ms)
				if l.InDoubt(p) {
					l.Settle(p)
				}
				if !l.Valid(p) {
					break
				}
				s.sole(i)
			}
			s.holds[i] = false
			_ = l.Release(p)
			p.Sleep(300 * ms)
		}
	})
}

// sole notes when another client goes on as the holder that is as sure as this one. One that
// stands still could not act, but its clock goes on.
func (s *storm) sole(i int) {
	for j, h := range s.Env.Clients {
		session := &s.library(j).session
		if j != i && s.holds[j] && h.State() != host.Crashed && session.sure(h.Mono()) && s.both == 0 {
			s.both = s.World.Now()
		}
	}
}

// Whatever happens, as long as clocks differ by no more than the bound: no two clients are sure
// at once that they hold the lock, not even without a lock-delay; no promise is broken; tokens
// rise. That is what the conservative lease, the master lease and the epoch are for.
func TestStormKeepsHoldersApart(t *testing.T) {
	modeltest.ManyTrials(t)
	s := newStorm(t, 0)
	grants, expired := 0, 0
	for seed := uint64(1); seed <= 150; seed++ {
		s.run(seed, 12)
		if s.both != 0 {
			t.Fatalf("seed %d: two are sure at %v", seed, s.both)
		}
		o := s.Orderly(seed, true)
		grants, expired = grants+o.Grants, expired+o.Expired
	}
	if grants < 2000 || expired < 50 {
		t.Errorf("%d grants, %d holds expired: the storm is too mild or too wild", grants, expired)
	}
	for _, step := range steps {
		if !s.reached[step.Name] {
			t.Errorf("step %q was not reached", step.Name)
		}
	}
}

// Nothing of one trial is left in the next.
func TestReusedWorldLeavesNoTrace(t *testing.T) {
	tell := func(s *storm) []trace.Record {
		sink := &trace.Memory{}
		s.World.Sink = sink
		s.run(7, 8)
		s.World.Sink = nil
		return sink.Records
	}
	used := newStorm(t, 5*sec)
	used.run(3, 8)
	got, want := tell(used), tell(newStorm(t, 5*sec))
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Fatalf("record %d:\n%v\nin a new world:\n%v", i, got[i], want[i])
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d records, in a new world %d", len(got), len(want))
	}
}

func TestDescription(t *testing.T) {
	d := New().Describe()
	p := models.Defaults(d.Params)
	// 12 s and 10 s of lease, 60 s of lock-delay, 0.5 s for commits.
	if got := quietTakeover(p); got != 82*sec+500*ms {
		t.Errorf("quiet takeover %v", got)
	}
	// And for one fail-over: 14 s of election, the lock-delay anew, 3 s until the waiter asks again.
	if got := d.Takeover(p); got != (82+14+60+3)*sec+500*ms {
		t.Errorf("takeover %v", got)
	}
	seen := map[string]bool{}
	for _, s := range d.Steps {
		if seen[s.Name] || s.Doc == "" {
			t.Errorf("step %q is listed twice or not described", s.Name)
		}
		seen[s.Name] = true
	}
}
