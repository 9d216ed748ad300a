package etcd

import (
	"testing"
	"time"

	"fencepost/sim"
	"fencepost/sim/clock"
	"fencepost/sim/host"
)

// minutes are what leases are long that are worth a checkpoint.
func minutes(m int) time.Duration { return time.Duration(m) * time.Minute }

var checkpoints = map[string]int64{"off": checkpointOff, "on": checkpointOn, "persist": checkpointPersist}

// crashLeader kills the leader and goes on until there is another; the dead one comes back
// as a follower, so that the cluster bears the next.
func (r *rig) crashLeader() (promoted sim.Time) {
	dead := r.leader()
	dead.Crash(host.LoseUnsynced)
	for r.leader() == nil || r.leader() == dead {
		r.runTo(r.world.Now().Duration() + ms)
	}
	promoted = r.world.Now() // to within a millisecond and a commit
	dead.RestartAt(promoted.Add(time.Second), false)
	return promoted
}

// A holder dies a minute after its last renewal, its leader after ten. The successor gives
// the lease of 15 min a second more than its TTL; with checkpoints, than what is left of it
// by the last one, five minutes after the grant: 10 min (server/lease/lessor.go, Promote).
// That is still later than the promise, since it counts from the promotion.
func TestNewLeaderGoesOnFromTheCheckpoint(t *testing.T) {
	const ttl = 15
	for name, value := range checkpoints {
		r := newRig(t, 2, minutes(ttl)).with(map[string]int64{checkpointParam.Name: value})
		for range 2 { // nothing of one trial is left in the next
			r.reset(41)
			holder, waiter := r.lock(0, 0, 0), r.lock(1, time.Second, 0)
			r.runTo(minutes(1))
			r.clients[0].Crash(host.LoseUnsynced)
			r.runTo(minutes(9))
			promoted := r.crashLeader()
			left := minutes(ttl)
			if value != checkpointOff {
				left -= checkpointInterval
			}
			r.runTo(minutes(40))
			// The pass that makes the checkpoint comes up to 500 ms late, and what is left is
			// rounded up to whole seconds.
			freed := promoted.Add(left + time.Second)
			r.within(name+": granted", r.granted(waiter).At, freed.Add(-10*ms), freed.Add(time.Second+sweepInterval+slack))
			if until := r.promisedUntil(holder); r.granted(waiter).At < until {
				t.Errorf("%s: granted at %v, promised until %v", name, r.granted(waiter).At, until)
			}
		}
	}
}

// What checkpoints are for (pull request 9924): a lease of nobody's that outlives every
// leader. One that changes more often than every TTL gives it its whole TTL each time; with
// checkpoints it shrinks, as long as leaders live for longer than the interval.
func TestChangesOfLeaderKeepADeadHoldersLeaseAlive(t *testing.T) {
	for name, value := range checkpoints {
		r := newRig(t, 2, minutes(15)).with(map[string]int64{checkpointParam.Name: value}).reset(42)
		r.lock(0, 0, 0)
		waiter := r.lock(1, time.Second, 0)
		r.runTo(minutes(1))
		r.clients[0].Crash(host.LoseUnsynced)
		for at := 6; at <= 60; at += 6 {
			r.runTo(minutes(at))
			r.crashLeader()
		}
		// Each leader's checkpoint takes five minutes off, the last part is too short for one.
		if freed := waiter.acquired != 0; freed != (value != checkpointOff) {
			t.Errorf("%s: waiter acquired %v", name, waiter.acquired)
		}
	}
}

// A member that starts anew has its backend, and applies no entry again that is in it. So a
// checkpoint is lost with the members' memory unless it was written there as well
// (server/lease/lessor.go, Checkpoint, shouldPersistCheckpoints): after an outage of the
// whole cluster the lease begins anew.
func TestCheckpointSurvivesAnOutageOnlyIfPersisted(t *testing.T) {
	for name, value := range checkpoints {
		r := newRig(t, 2, minutes(15)).with(map[string]int64{checkpointParam.Name: value}).reset(44)
		r.lock(0, 0, 0)
		waiter := r.lock(1, time.Second, 0)
		r.runTo(minutes(1))
		r.clients[0].Crash(host.LoseUnsynced)
		r.runTo(minutes(9))
		for server := range r.system.servers {
			r.system.Restart(server)
		}
		for r.leader() == nil {
			r.runTo(r.world.Now().Duration() + ms)
		}
		promoted := r.world.Now()
		left := minutes(15)
		if value == checkpointPersist {
			left -= checkpointInterval
		}
		r.runTo(minutes(40))
		freed := promoted.Add(left + time.Second)
		r.within(name+": granted", r.granted(waiter).At, freed.Add(-10*ms), freed.Add(time.Second+sweepInterval+slack))
	}
}

// A lease of five minutes or less has no checkpoint (scheduleCheckpointIfNeeded), and a
// lease that was renewed within the last second gets none when it is due
// (findDueScheduledCheckpoints).
func TestWhichLeasesGetACheckpoint(t *testing.T) {
	l := lessor{checkpoints: true}
	l.promote(0)
	l.grant(1, checkpointInterval, 0)
	l.grant(2, checkpointInterval+time.Second, 0)
	l.grant(3, minutes(10), 0)
	if len(l.planned) != 2 {
		t.Fatalf("planned %v", l.planned)
	}
	due := clock.Mono(checkpointInterval)
	if got := l.dueCheckpoints(due-1, nil); len(got) != 0 {
		t.Errorf("early: %v", got)
	}
	l.find(2).refresh(due-clock.Mono(999*ms), 0)
	got := l.dueCheckpoints(due, nil)
	if len(got) != 1 || got[0].lease != 3 || got[0].seconds != 300 {
		t.Errorf("due: %v", got)
	}
	// What is left of it then is no longer than the interval.
	if l.checkpoint(3, minutes(5), due); len(l.planned) != 0 {
		t.Errorf("planned %v", l.planned)
	}
	if l.checkpoint(3, 0, due); len(l.planned) != 1 {
		t.Errorf("planned %v", l.planned)
	}
	if l.demote(); len(l.planned) != 0 {
		t.Errorf("a follower plans %v", l.planned)
	}
}

// One pass revokes 500 leases at most (lessor.go, leaseRevokeRate), the next one more.
func TestPassRevokesAtMost500(t *testing.T) {
	l := lessor{}
	for id := int64(1); id <= 1100; id++ {
		l.grant(id, seconds(2), 0)
	}
	l.promote(0)
	for pass, want := range []int{500, 500, 100, 0} {
		now := clock.Mono(seconds(10) + time.Duration(pass)*sweepInterval)
		if got := l.expired(now, nil); len(got) != want {
			t.Errorf("pass %d: %d leases, want %d", pass+1, len(got), want)
		}
	}
}

// Three changes of leader by restarts, one after the other, a while after a checkpoint
// (issue 17132): the first two leaders have seen the checkpoint in this life, the third is a
// member that started anew and knows of it only if it was persisted.
func TestThirdLeaderHasForgottenTheCheckpoint(t *testing.T) {
	for name, value := range checkpoints {
		r := newRig(t, 2, minutes(10)).with(map[string]int64{checkpointParam.Name: value}).reset(46)
		r.lock(0, 0, 0)
		r.runTo(minutes(1))
		lease := r.system.clients[0].session.lease
		r.clients[0].Crash(host.LoseUnsynced)
		r.runTo(minutes(7))
		fresh := map[string]bool{}
		for range 3 {
			fresh[r.leader().Name] = true
			r.crashLeader()
			r.runTo(r.world.Now().Duration() + 3*time.Second)
		}
		leader := r.system.cluster.Leader()
		if !fresh[leader.Host().Name] {
			t.Fatalf("%s leads and was never restarted", leader.Host().Name)
		}
		want := minutes(10)
		if value == checkpointPersist {
			want = minutes(5)
		}
		left := r.system.servers[leader.ID-1].lessor.find(lease).expiry.Sub(leader.Now())
		if left > want+time.Second || left < want-4*time.Second {
			t.Errorf("%s: %v is left, want %v", name, left, want)
		}
	}
}
