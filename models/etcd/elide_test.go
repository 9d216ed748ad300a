package etcd

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fencepost/models/modeltest"
	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/rng"
)

// ordeal is a run with trouble: clients that take the lock again and again, and faults.
type ordeal struct {
	seed    uint64
	ttl     int // seconds
	delay   rng.Dist
	fsync   rng.Dist
	wake    host.Wake
	rates   []int64
	variant [2]int64         // client and leader-check
	hold    [3]time.Duration // of each client
	rest    [3]time.Duration
	blows   []modeltest.Blow
	horizon time.Duration
}

var linkDelays = []rng.Dist{
	rng.LogNormal(45*time.Microsecond, 0.3), rng.LogNormal(45*time.Microsecond, 0.3), rng.Exponential(time.Millisecond),
	rng.Uniform(0, 40*time.Millisecond), rng.Pareto(200*time.Microsecond, 0.9), rng.Exponential(12 * time.Millisecond),
}

func drawOrdeal(draw modeltest.Draw, hosts int) *ordeal {
	o := &ordeal{seed: uint64(draw("seed", 1, 1_000_000)), ttl: draw("ttl", 2, 6), horizon: 20 * time.Second}
	o.delay = linkDelays[draw("delay", 0, len(linkDelays)-1)]
	o.fsync = []rng.Dist{rng.Uniform(0, 2*time.Millisecond), rng.Exponential(10 * time.Millisecond)}[draw("fsync", 0, 1)]
	o.wake = host.Wake(draw("wake", 0, 2))
	o.variant = [2]int64{int64(draw("client", 0, 1)), int64(draw("leader-check", 0, 1))}
	if draw("rates", 0, 1) == 1 {
		for range hosts {
			o.rates = append(o.rates, int64(draw("rate", -120, 120))*1_000_000)
		}
	}
	for i := range o.hold {
		o.hold[i] = draw.Duration("hold", 300*ms, 8*time.Second)
		o.rest[i] = draw.Duration("rest", 300*ms, 8*time.Second)
	}
	everybody := make([]int, hosts)
	for i := range everybody {
		everybody[i] = i
	}
	members := everybody[len(o.hold):]
	for range draw("blows", 0, 4) {
		among := members
		if draw("among", 0, 2) == 0 {
			among = everybody
		}
		o.blows = append(o.blows, draw.Blow(o.instant(draw), among))
	}
	return o
}

// instant draws one that is anywhere, or near a tick of a member, or in the round of
// heartbeats after it.
func (o *ordeal) instant(draw modeltest.Draw) sim.Time {
	at := sim.Time(draw("ms", 1, 18_000)) * sim.Time(ms)
	s := rng.New(rng.Hash(o.seed, rng.HashString("raft.ticker"), uint64(draw("ticker", 1, 3)), 1), nil)
	tick := at - at%sim.Time(tick) + sim.Time(s.Between(1, tick))
	switch draw("when", 0, 3) {
	case 0:
		return at
	case 1:
		return tick + sim.Time(draw("ns", -1, 1))
	}
	return tick.Add(draw.Duration("after", time.Microsecond, ms))
}

// stage is a world in which ordeals are run.
type stage struct {
	*rig
	trouble *modeltest.Trouble
	lines   []string
}

func newStage(t *testing.T, every bool) *stage {
	s := &stage{rig: newRig(t, 3, seconds(2))}
	s.env.EveryMessage = every
	s.trouble = modeltest.NewTrouble(s.fleet)
	s.fleet.OnRestart = func(h *host.Host) {
		if i := slices.Index(s.clients, h); i >= 0 {
			s.note("restart of %d", i)
		}
	}
	return s
}

func (s *stage) note(what string, args ...any) {
	s.lines = append(s.lines, fmt.Sprintf("%v ", s.world.Now())+fmt.Sprintf(what, args...))
}

// run returns what clients and the record tell of an ordeal.
func (s *stage) run(o *ordeal) []string {
	s.lines = s.lines[:0]
	s.env.Params["ttl"], s.env.Fsync, s.fleet.Wake = int64(seconds(o.ttl)), o.fsync, o.wake
	s.env.Params[clientParam.Name], s.env.Params[leaderCheckParam.Name] = o.variant[0], o.variant[1]
	for _, from := range s.fleet.Hosts {
		for _, to := range s.fleet.Hosts {
			s.net.SetDelay(from.ID, to.ID, o.delay)
		}
	}
	s.reset(o.seed)
	for i, rate := range o.rates {
		s.fleet.Hosts[i].SetRate(rate)
	}
	s.trouble.Reset(o.blows)
	for i := range s.clients {
		s.clients[i].Go("client", func(p *host.Process) { s.client(p, i, o) })
	}
	s.runTo(o.horizon)
	for _, rec := range s.env.Recorder.Records {
		s.lines = append(s.lines, fmt.Sprintf("%+v", rec))
	}
	return s.lines
}

func (s *stage) client(p *host.Process, i int, o *ordeal) {
	locker := s.system.Locker(i)
	for {
		hold := s.env.Recorder.NewHold(i, history.Executor(i+1))
		grant, err := locker.Acquire(p, hold)
		s.note("client %d: %d acquired with %d: %v", i, hold, grant.Token, err)
		p.Sleep(o.hold[i])
		s.note("client %d: valid %v", i, locker.Valid(nil))
		s.note("client %d: released: %v", i, locker.Release(p))
		p.Sleep(o.rest[i])
	}
}

// Whatever befalls members and clients, and whenever: every grant, renewal, expiry and
// end, and what each client is told, is the same and at the same instant, whether idle
// heartbeats are sent or worked out.
func TestElisionChangesNoInstant(t *testing.T) {
	every, elided := newStage(t, true), newStage(t, false)
	saved, total, lines := uint64(0), uint64(0), 0
	rapid.Check(t, func(t *rapid.T) {
		o := drawOrdeal(func(what string, lo, hi int) int { return rapid.IntRange(lo, hi).Draw(t, what) }, len(every.fleet.Hosts))
		want, got := every.run(o), elided.run(o)
		for i := range min(len(got), len(want)) {
			if got[i] != want[i] {
				t.Fatalf("%+v\nline %d is\n%s\nwant\n%s", o, i, got[i], want[i])
			}
		}
		if len(got) != len(want) {
			t.Fatalf("%+v\n%d lines, want %d", o, len(got), len(want))
		}
		lines += len(want)
		total += every.world.Fired()
		saved += every.world.Fired() - elided.world.Fired()
	})
	t.Logf("%d lines are the same, and %d of %d events were saved", lines, saved, total)
	if saved < total/5 {
		t.Error("too little was elided for the test to mean anything")
	}
}
