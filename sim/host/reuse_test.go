package host

import (
	"testing"
	"time"

	"fencepost/sim/clock"
	"fencepost/sim/network"
	"fencepost/sim/rng"
)

// everything is a world in which all that can happen to a host happens.
func everything() (r *rig, trial func(seed uint64) uint64) {
	r = newRig()
	server, client := r.fleet.NewHost("server"), r.fleet.NewHost("client")
	server.Server = &syncing{server}
	r.delays(rng.Uniform(ms, 2*ms))
	r.fleet.RhoPPB = 1000
	clocks := [2]clock.PresetInfo{
		{Wander: clock.Wander{Every: 20 * ms, By: clock.Spread{Size: rng.Uniform(0, ms)}}},
		{Offset: clock.Spread{Size: rng.Uniform(0, time.Second)}, Discipline: clock.Discipline{
			Poll: rng.Constant(30 * ms), SlewPPB: 500_000, StepFrom: 500 * ms}},
	}
	slow, jitter := &Slowdown{}, &clock.Jitter{}
	program := func(p *Process) {
		for {
			p.Step("step")
			p.Call(server.Addr(), network.Body{Op: opAsk, Value: int64(p.Wall())}, 10*ms)
			p.Work(100 * time.Microsecond)
		}
	}
	start := func(h *Host) {
		if h == client {
			h.Go("one", program)
			h.Go("two", program)
		}
	}
	r.fleet.OnRestart = start
	return r, func(seed uint64) uint64 {
		r.reset(seed)
		server.Disk.Configure(rng.Exponential(ms), seed, "test", 1)
		server.Discipline(clocks[0], seed)
		client.Discipline(clocks[1], seed)
		*jitter = clock.Jitter{Dist: rng.Uniform(0, ms), Key: seed}
		client.AddJitter(jitter)
		client.SetQuota(5*ms, 10*ms)
		start(client)
		*slow = Slowdown{Num: 2, Den: 1}
		server.Disk.Slow(slow)
		r.world.Run(at(50 * ms))
		server.Pause(at(60 * ms))
		client.Suspend(at(80 * ms))
		r.world.Run(at(100 * ms))
		server.Disk.Stall(at(120 * ms))
		client.Slew(ms, 50*ms)
		r.world.Run(at(150 * ms))
		client.Crash(LoseMemory)
		client.RestartAt(at(160*ms), false)
		server.Freeze()
		server.FreezeWall()
		r.world.Run(at(200 * ms))
		server.Thaw()
		client.Suspend(at(500 * ms))
		r.world.Run(at(250 * ms))
		return r.world.Digest().Sum()
	}
}

// syncing is a server that answers nobody before its disk is done.
type syncing struct{ host *Host }

func (s *syncing) Receive(m *network.Message) {
	s.host.Disk.Sync(0)
	s.host.Reply(m, network.Body{Op: opAnswer, OK: true})
}
func (s *syncing) Timer(int)    {}
func (s *syncing) Restart(Lost) {}

// TestResetBringsEverythingBack: a reused world runs as a new one does.
func TestResetBringsEverythingBack(t *testing.T) {
	reused, trial := everything()
	defer reused.fleet.Close()
	for _, seed := range []uint64{1, 2, 1, 3} {
		fresh, once := everything()
		if a, b := trial(seed), once(seed); a != b {
			t.Errorf("seed %d: digest %x in a reused world, %x in a new one", seed, a, b)
		}
		for i, h := range reused.fleet.Hosts {
			other := fresh.fleet.Hosts[i]
			if h.Covered() != other.Covered() || h.Throttled() != other.Throttled() || h.Disk.Delayed() != other.Disk.Delayed() ||
				h.ClockChanges() != other.ClockChanges() || h.BeyondRho() != other.BeyondRho() || h.Wall() != other.Wall() {
				t.Errorf("seed %d: host %s is not what it is in a new world", seed, h.Name)
			}
			if h.Covered() == 0 || h.ClockChanges() == 0 || h.BeyondRho() == 0 {
				t.Errorf("seed %d: not everything happened to host %s", seed, h.Name)
			}
		}
		fresh.fleet.Close()
	}
	reused.fleet.Reset()
	for _, h := range reused.fleet.Hosts {
		if h.Covered() != 0 || h.Throttled() != 0 || h.Disk.Delayed() != 0 || h.ClockChanges() != 0 || h.BeyondRho() != 0 ||
			h.State() != Running || h.Mono() != clock.Mono(h.World().Now()) || h.Wall() != clock.Wall(h.World().Now()) {
			t.Errorf("host %s is not what it was", h.Name)
		}
	}
}

// TestNothingAllocates in a trial of a reused world, whatever happens to its hosts.
func TestNothingAllocates(t *testing.T) {
	r, trial := everything()
	defer r.fleet.Close()
	for seed := range uint64(20) {
		trial(seed)
	}
	seed := uint64(0)
	if n := testing.AllocsPerRun(20, func() { seed++; trial(seed) }); n != 0 {
		t.Errorf("%v allocations in a trial, want none", n)
	}
}
