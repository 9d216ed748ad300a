package hazelcast

import (
	"testing"
	"time"

	"fencepost/models/modeltest"
	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/rng"
)

// leaderDies crashes the leader silently and runs until there is another.
func (r *rig) leaderDies(at time.Duration) sim.Time {
	r.t.Helper()
	r.Run(at)
	r.server(0).Crash(host.LoseMemory)
	for r.World.Now() < sim.Time(at+electionTime) {
		r.Run(r.World.Now().Duration() + ms)
		if s := r.System.(*fenced); s.cluster.Leader() != nil && s.servers[s.cluster.Leader().ID-1].ready {
			return r.World.Now()
		}
	}
	r.t.Fatal("no leader")
	return 0
}

// Two followers that ask for votes at once get none, and try again after times that are drawn,
// so that it does not go on like this. With links this slow that happens in one of 25 trials.
func TestElectionsEnd(t *testing.T) {
	modeltest.ManyTrials(t)
	for _, delay := range []time.Duration{hop, 100 * ms} {
		r := newRig(t, 0)
		for _, from := range r.Fleet.Hosts {
			for _, to := range r.Fleet.Hosts {
				r.Net.SetDelay(from.ID, to.ID, rng.Constant(delay))
			}
		}
		for seed := uint64(1); seed <= 300; seed++ {
			r.Reset(seed)
			r.leaderDies(10 * sec)
		}
	}
}

// Followers miss five heartbeats of 5 s before they elect another leader. A holder whose TTL is
// the default survives that, and the minute in which its client waits for the silent member.
func TestLeaderCrashKeepsTheLock(t *testing.T) {
	for seed := uint64(1); seed <= 10; seed++ {
		r := newRig(t, 2)
		r.Reset(seed)
		u, waiter := r.Lock(0, sec, 200*sec), r.Lock(1, 2*sec, 0)
		crash := 30*sec + time.Duration(seed)*700*ms
		leads := r.leaderDies(crash)
		// The last heartbeat was up to 5 s before. After the sixth tick, up to 30 s later, the
		// candidate has up to 3 s, and as much again if the other has not missed the leader yet.
		r.within("the new leader", leads, sim.Time(crash+20*sec), sim.Time(crash+36*sec))
		r.Run(200 * sec)
		if !r.valid(0) || waiter.Acquired != 0 {
			t.Fatalf("seed %d: valid %v, the other acquired at %v", seed, r.valid(0), waiter.Acquired)
		}
		r.Run(300 * sec)
		if u.Err != nil || waiter.Token <= u.Token || len(r.Records(u.Hold, history.Grant)) != 1 {
			t.Errorf("seed %d: unlock %v, fences %d and %d", seed, u.Err, u.Token, waiter.Token)
		}
	}
}

// A shorter TTL does not outlive the election: with 10 s the new leader finds the session over,
// although it moves every end by 5 s in its term.
func TestLeaderCrashEndsShortSessions(t *testing.T) {
	r := newRig(t, 2, "ttl", 10*sec)
	u := r.Lock(0, sec, 0)
	leads := r.leaderDies(30 * sec)
	r.Run(200 * sec)
	r.within("the end", r.Want(u.Hold, history.ServiceEnd).At, leads, leads.Add(checkInterval+commit))
}

// In a new term every session ends a heartbeat later.
func TestNewTermShiftsTheEnds(t *testing.T) {
	r := newRig(t, 2, "ttl", 100*sec)
	u := r.Lock(0, sec, 0)
	r.At(30*sec, func() { r.Env.Clients[0].Crash(host.LoseMemory) })
	r.leaderDies(30 * sec)
	r.Run(300 * sec)
	// The followers apply a commit when the next message tells them of it: at most a heartbeat.
	beat := r.last(u, history.Promise).At
	r.within("the end", r.Want(u.Hold, history.ServiceEnd).At, beat.Add(105*sec-ms), beat.Add(106*sec+5*sec+commit))
}

// A leader that cannot reach the others any more learns of it when it checks for a majority,
// and sends everybody away whom it has not answered, heartbeats and waiters. They go on at the new
// leader without waiting for their timeouts: after a pause a client asks another member, and
// after one more, for an earlier heartbeat that was sent away too, it hears who leads.
func TestDemotedLeaderSendsItsCallersAway(t *testing.T) {
	r := newRig(t, 2, "ttl", 200*sec, "timeout", 150*sec)
	u, waiter := r.Lock(0, sec, 119*sec), r.Lock(1, 2*sec, 0)
	r.Run(10 * sec)
	r.split([]*host.Host{r.server(0)}, []*host.Host{r.server(1), r.server(2)})
	for r.System.(*fenced).servers[0].member.IsLeader() && r.World.Now() < sim.Time(100*sec) {
		r.Run(r.World.Now().Duration() + ms)
	}
	demoted := r.World.Now()
	r.Run(200 * sec)
	var first sim.Time // heartbeat that was answered again
	for _, rec := range r.Records(u.Hold, history.Promise) {
		if first == 0 && rec.At >= demoted.Add(-ms) {
			first = rec.At
		}
	}
	r.within("answered again", first, demoted.Add(-ms), demoted.Add(2*retryPause+8*hop))
	r.exactly("handed over", r.Want(waiter.Hold, history.Grant).At, r.Want(u.Hold, history.ServiceEnd).At)
	r.exactly("acquired", waiter.Acquired, r.Want(waiter.Hold, history.Grant).At.Add(hop))
}
