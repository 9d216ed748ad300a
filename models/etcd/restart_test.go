package etcd

import (
	"testing"
	"time"

	"fencepost/models"
	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/host"
)

// A member that died with its host comes back as a full member: with it, the cluster
// bears the loss of another one for good, the holder keeps the lock and the next client
// gets it.
func TestRestartedMemberCarriesTheCluster(t *testing.T) {
	for seed := uint64(1); seed <= 10; seed++ {
		for _, lost := range []host.Lost{host.LoseMemory, host.LoseUnsynced} {
			r := newRig(t, 2, seconds(10)).reset(seed)
			holder, waiter := r.lock(0, 0, seconds(30)), r.lock(1, time.Second, 0)
			r.runTo(seconds(3))
			back := r.leader()
			back.Crash(lost)
			back.RestartAt(sim.Time(seconds(6)), false)
			r.runTo(seconds(12))
			for _, m := range r.system.cluster.Members() {
				if m.Host() != back {
					m.Host().Crash(host.LoseUnsynced)
					break
				}
			}
			r.runTo(seconds(29))
			if !r.valid(0) || waiter.acquired != 0 {
				t.Fatalf("seed %d: valid %v, waiter acquired %v\n%s", seed, r.valid(0), waiter.acquired, r.dump())
			}
			r.runTo(seconds(30) + dialKeepAlive + seconds(20))
			if _, ok := models.Elected(r.system).Leader(); !ok {
				t.Fatalf("seed %d: nobody leads with two members up", seed)
			}
			if holder.err != nil || waiter.acquired == 0 || waiter.token <= holder.token {
				t.Errorf("seed %d: release %v, waiter acquired %v with token %d after %d", seed, holder.err, waiter.acquired, waiter.token, holder.token)
			}
			if end := r.ended(holder); end.Text != "released" {
				t.Errorf("seed %d: the hold ended by %q", seed, end.Text)
			}
		}
	}
}

// All members lose power at once and come back one after the other: nobody loses the lock
// whose session outlives the outage, and what the log holds is not recorded twice.
func TestPowerCutKeepsTheLock(t *testing.T) {
	r := newRig(t, 2, seconds(10)).reset(10)
	holder, waiter := r.lock(0, 0, seconds(30)), r.lock(1, time.Second, 0)
	r.runTo(seconds(10))
	records := len(r.env.Recorder.Records)
	for i, m := range r.system.cluster.Members() {
		m.Host().Crash(host.LoseUnsynced)
		m.Host().RestartAt(sim.Time(seconds(10)+time.Duration(i+1)*100*time.Millisecond), false)
	}
	r.runTo(seconds(29))
	for _, rec := range r.env.Recorder.Records[records:] {
		if rec.Kind != history.Note && rec.Kind != history.Promise {
			t.Errorf("kind %d recorded at %v after the power cut", rec.Kind, rec.At)
		}
	}
	if !r.valid(0) || waiter.acquired != 0 {
		t.Fatalf("valid %v, waiter acquired %v\n%s", r.valid(0), waiter.acquired, r.dump())
	}
	r.runTo(seconds(30) + dialKeepAlive + seconds(20))
	if holder.err != nil || waiter.acquired == 0 {
		t.Errorf("release %v, waiter acquired %v", holder.err, waiter.acquired)
	}
}
