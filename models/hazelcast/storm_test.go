package hazelcast

import (
	"testing"

	"fencepost/models/modeltest"
	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/trace"
)

// storm is a cluster under drawn trouble.
type storm struct {
	*rig
	trouble *modeltest.Trouble
	reached map[string]bool
}

const stormLength = 300 * sec

func newStorm(t *testing.T, params ...any) *storm {
	s := &storm{rig: newRig(t, 3, params...), reached: map[string]bool{}}
	s.trouble = modeltest.NewTrouble(s.Fleet)
	s.Fleet.Observer = s
	return s
}

// ReachedStep implements [host.StepObserver].
func (s *storm) ReachedStep(_ *host.Host, _ *host.Process, step string) { s.reached[step] = true }

// left out of a storm: what makes wall clocks wrong, by which sessions end, and what kills
// members, which stay away.
var leftOut = []string{"step", "rate", "bias", "slew", "freeze", "crash", "restart"}

func (s *storm) run(seed uint64, blows int) {
	draw, hosts := s.Begin(seed), s.Everywhere()
	var all []modeltest.Blow
	for len(all) < blows {
		all = append(all, draw.Except(leftOut, sim.Time(draw("ms", 1, 250_000))*sim.Time(ms), hosts))
	}
	s.LongPauses(draw, 250*sec)
	s.trouble.Reset(all)
	for i := range s.Env.Clients {
		s.start(i)
	}
	s.Run(stormLength)
}

func (s *storm) start(i int) {
	s.Env.Clients[i].Go("client", func(p *host.Process) {
		l := s.Lockers[i]
		for {
			if _, err := l.Acquire(p, s.Recorder.NewHold(i, history.Executor(i+1))); err != nil {
				s.t.Errorf("acquire: %v", err)
			}
			p.Sleep(3 * sec)
			l.Valid(p)
			_ = l.Release(p)
			p.Sleep(300 * ms)
		}
	})
}

// Whatever happens, as long as wall clocks are right: fences rise, one hold ends before the next
// begins, and none ends before its promise.
func TestStormKeepsTheOrderOfGrants(t *testing.T) {
	modeltest.ManyTrials(t)
	s := newStorm(t, "ttl", 15*sec, "timeout", 5*sec)
	grants, expired := 0, 0
	for seed := uint64(1); seed <= 150; seed++ {
		s.run(seed, 10)
		o := s.Orderly(seed, true)
		grants, expired = grants+o.Grants, expired+o.Expired
	}
	if grants < 5000 || expired < 100 {
		t.Errorf("%d grants, %d holds expired: the storm is too mild or too wild", grants, expired)
	}
	for _, step := range steps {
		if !s.reached[step.Name] {
			t.Errorf("step %q was not reached", step.Name)
		}
	}
}

// Nothing of one trial is left in the next, with either lock.
func TestReusedWorldLeavesNoTrace(t *testing.T) {
	for kind := range 2 {
		params := []any{"kind", kind, "ttl", 15 * sec, "timeout", 5 * sec, "no-heartbeat", 20 * sec, "merge-first", 60 * sec, "merge-next", 20 * sec}
		tell := func(s *storm) []trace.Record {
			sink := &trace.Memory{}
			s.World.Sink = sink
			s.run(7, 8)
			s.World.Sink = nil
			return sink.Records
		}
		used := newStorm(t, params...)
		used.run(3, 8)
		got, want := tell(used), tell(newStorm(t, params...))
		for i := range min(len(got), len(want)) {
			if got[i] != want[i] {
				t.Fatalf("lock %d, record %d:\n%v\nin a new world:\n%v", kind, i, got[i], want[i])
			}
		}
		if len(got) != len(want) {
			t.Errorf("lock %d: %d records, in a new world %d", kind, len(got), len(want))
		}
	}
}

// The map's lock in the same storms: members that stand still for longer than no-heartbeat are
// removed and come back on a side of their own, and the lock is granted twice.
func TestStormBreaksTheMapLock(t *testing.T) {
	s := newStorm(t, "kind", imapLock, "timeout", 5*sec, "no-heartbeat", 15*sec, "merge-first", 60*sec, "merge-next", 20*sec)
	grants, broken := 0, 0
	for seed := uint64(1); seed <= 50; seed++ {
		s.run(seed, 10)
		until, gone := map[history.HoldID]sim.Time{}, map[history.HoldID]bool{}
		for _, rec := range s.Recorder.Records {
			switch rec.Kind {
			case history.Grant:
				grants++
				for hold, end := range until {
					if hold != rec.Hold && !gone[hold] && rec.At < end {
						broken++
					}
				}
				until[rec.Hold] = rec.Until
			case history.Promise:
				until[rec.Hold] = rec.Until
			case history.ReleaseBegin, history.ServiceEnd:
				gone[rec.Hold] = true
			}
		}
	}
	if grants < 1000 || broken == 0 {
		t.Errorf("%d grants, %d of them into a promise", grants, broken)
	}
	t.Logf("%d grants, %d of them into a promise", grants, broken)
}
