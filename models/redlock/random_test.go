package redlock

import (
	"fmt"
	"testing"
	"time"

	"fencepost/checker/monitor"
	"fencepost/models/modeltest"
	"fencepost/models/redis"
	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
	"fencepost/sim/rng"
)

// storm is a trial with drawn pauses of clients, pauses and crashes of servers, and cuts, in
// which every client acquires, extends and releases again and again.
func storm(r *modeltest.Rig, seed uint64) {
	r.Reset(seed)
	for client, h := range r.Env.Clients {
		h.Go("client", func(p *host.Process) { use(r, p, client) })
	}
	s := rng.New(rng.Hash(seed, rng.HashString("storm")), nil)
	for at := time.Duration(0); at < 60*second; at += s.Between(200*ms, 3*second) {
		r.At(at, blow(r, &s, sim.Time(at).Add(s.Between(50*ms, 4*second))))
	}
	r.Run(90 * second)
}

// use acquires, extends what is half over, and releases, without end.
func use(r *modeltest.Rig, p *host.Process, client int) {
	locker := r.Lockers[client]
	for {
		hold := r.Recorder.NewHold(client, history.Executor(client+1))
		r.Recorder.Add(history.Record{Kind: history.Attempt, Hold: hold})
		if _, err := locker.Acquire(p, hold); err != nil {
			continue
		}
		r.Recorder.Add(history.Record{Kind: history.BeliefBegin, Hold: hold})
		p.Sleep(600 * ms)
		if l, ok := locker.(interface{ Renew(*host.Process) error }); ok && l.Renew(p) == nil {
			p.Sleep(300 * ms)
		}
		r.Recorder.Add(history.Record{Kind: history.ReleaseBegin, Hold: hold})
		_ = locker.Release(p)
		p.Sleep(20 * ms)
	}
}

// blow draws what happens to somebody until an instant.
func blow(r *modeltest.Rig, s *rng.Stream, until sim.Time) func() {
	i := int(s.Int64N(int64(len(r.Env.Clients))))
	client, server := r.Env.Clients[i], r.Server("redis", int(s.Int64N(5)))
	switch s.Int64N(4) {
	case 0:
		return func() { client.Pause(until) }
	case 1:
		return func() { server.Pause(until) }
	case 2:
		return func() { server.Crash(host.LoseUnsynced); server.RestartAt(until, false) }
	}
	rule := &network.Rule{From: client.ID, To: server.ID, Cut: true}
	return func() {
		r.Net.Impose(rule)
		r.At(until.Duration(), func() { r.Net.Lift(rule) })
	}
}

// What Redlock claims: with clocks that run right, and servers that keep what they have
// answered or stay away for longer than a TTL, no two clients are promised the lock at once,
// whatever happens to clients and to the network. (A suspended machine's clock does not run
// right, and breaks it; see TestCounterexamples.) The libraries that look at the time
// keep that, except those whose failed extension gives the lock back (TestFailedExtension).
func TestStormKeepsThePromises(t *testing.T) {
	modeltest.ManyTrials(t)
	for _, client := range []clientLibrary{specification, antirez, redsync} {
		for _, params := range []map[string]int64{{"persistence": int64(redis.Always)}, {"restart-delay": int64(2200 * ms)}} {
			t.Run(fmt.Sprintf("%s %v", clientParam.Choices[client], params), func(t *testing.T) {
				params["client"], params["ttl"], params["timeout"] = int64(client), int64(2*second), int64(50*ms)
				r := newRig(t, 3, params)
				grants := &monitor.Grants{}
				r.Recorder.Observers = append(r.Recorder.Observers, grants)
				total := 0
				for seed := uint64(1); seed <= 30; seed++ {
					grants.Reset()
					storm(r, seed)
					for _, rec := range r.Recorder.Records {
						if rec.Kind == history.Grant {
							total++
						}
					}
					if grants.Violated() {
						t.Fatalf("seed %d: %+v", seed, grants.Findings())
					}
				}
				if total < 200 {
					t.Errorf("%d grants in 30 trials", total)
				}
			})
		}
	}
}
