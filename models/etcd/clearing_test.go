package etcd

import (
	"testing"
	"time"

	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
)

// A renewal takes the checkpoint back before it is answered (Renew, clearRemainingTTL), so
// a holder that lives has its whole TTL at the next leader. A checkpoint that is not taken
// back would leave it 10 min here, and the next renewal comes within 5: it would survive
// that as well, which is why the lease itself is looked at.
func TestRenewalTakesTheCheckpointBack(t *testing.T) {
	r := newRig(t, 2, minutes(15)).with(map[string]int64{checkpointParam.Name: checkpointOn}).reset(43)
	holder, waiter := r.lock(1, 0, 0), r.lock(0, time.Second, 0) // the holder talks to a follower
	lease := func(server int) *lease {
		return r.system.servers[server].lessor.find(r.system.clients[1].session.lease)
	}
	r.runTo(minutes(5) - 100*ms)
	if lease(0).remaining != 0 {
		t.Fatalf("a checkpoint before its time: %v", lease(0).remaining)
	}
	r.on(1, "keepalive.send", func(h *host.Host) { h.Pause(r.world.Now().Add(seconds(2))) }) // let the checkpoint come first
	for lease(1).remaining == 0 && r.world.Now() < sim.Time(minutes(6)) {
		r.runTo(r.world.Now().Duration() + ms)
	}
	if left := lease(1).remaining; left < minutes(10) || left > minutes(10)+seconds(1) {
		t.Fatalf("at %v a follower knows of %v, want 10 min", r.world.Now(), left)
	}
	before := r.promisedUntil(holder)
	r.runTo(minutes(5) + seconds(4))
	for server := range r.system.servers {
		if left := lease(server).remaining; left != 0 {
			t.Errorf("member %d: %v is left after the renewal", server+1, left)
		}
	}
	if r.promisedUntil(holder) <= before {
		t.Error("the holder was not renewed")
	}
	promoted := r.crashLeader()
	leader := r.system.cluster.Leader()
	if le := lease(int(leader.ID) - 1); le.expiry.Sub(leader.Now()) < minutes(15) {
		t.Errorf("the new leader gives the lease %v, %v after %v", le.expiry.Sub(leader.Now()), r.world.Now(), promoted)
	}
	r.runTo(minutes(60))
	if !r.valid(1) || waiter.acquired != 0 {
		t.Errorf("valid %v, waiter acquired %v\n%s", r.valid(1), waiter.acquired, r.dump())
	}
}

// The renewal waits for the entry that takes the checkpoint back. Without a majority it is
// not committed and not answered; the holder is renewed once there is one.
func TestRenewalWaitsForTheClearingEntry(t *testing.T) {
	r := newRig(t, 2, minutes(15)).with(map[string]int64{checkpointParam.Name: checkpointOn}).reset(45)
	holder := r.lock(0, 0, 0)
	r.runTo(minutes(1))
	leader, client := r.system.servers[0], r.system.clients[0]
	leader.lessor.find(client.session.lease).remaining = minutes(10)
	for _, m := range r.system.cluster.Members()[1:] {
		m.Host().Pause(r.world.Now().Add(900 * ms)) // less than an election timeout
	}
	back := r.world.Now().Add(900 * ms)
	client.session.next = r.clients[0].Mono()
	sent := r.nextKeepalive(0)
	r.runTo(back.Duration() - ms)
	if at := r.renewedAfter(holder, sent); at != 0 || len(leader.clearing) != 1 {
		t.Errorf("renewed at %v, %d renewals wait", at, len(leader.clearing))
	}
	r.runTo(back.Duration() + time.Second)
	r.within("renewed", r.renewedAfter(holder, sent), back, back.Add(slack))
	if le := leader.lessor.find(client.session.lease); le.remaining != 0 || len(leader.clearing) != 0 {
		t.Errorf("%v is left, %d renewals wait", le.remaining, len(leader.clearing))
	}
}

// clearInVain asks for a renewal at a leader that knows of a checkpoint and has no majority
// to take it back with.
func (r *rig) clearInVain(client int, cuts []*network.Rule) (leader *server, sent sim.Time) {
	r.runTo(minutes(1))
	leader = r.system.servers[0]
	leader.lessor.find(r.system.clients[client].session.lease).remaining = minutes(10)
	for _, c := range cuts {
		r.net.Impose(c)
	}
	r.system.clients[client].session.next = r.clients[client].Mono()
	sent = r.nextKeepalive(client)
	r.runTo(sent.Duration() + 400*ms)
	if len(leader.clearing) == 0 {
		r.t.Fatal("no renewal waits")
	}
	return leader, sent
}

// isolation cuts a member off from the others.
func (r *rig) isolation(member int) (cuts []*network.Rule) {
	members := r.system.cluster.Members()
	for i, m := range members {
		if i != member {
			one, other := members[member].Host().ID, m.Host().ID
			cuts = append(cuts, &network.Rule{From: one, To: other, Cut: true}, &network.Rule{From: other, To: one, Cut: true})
		}
	}
	return cuts
}

// If the leader is replaced meanwhile the renewal goes on to its successor
// (v3_server.go, LeaseRenew): the client need not wait for its own timeout of 7 s.
func TestRenewalLeavesALeaderThatCannotClear(t *testing.T) {
	r := newRig(t, 2, minutes(15)).with(map[string]int64{checkpointParam.Name: checkpointOn}).reset(47)
	holder := r.lock(0, 0, 0)
	cuts := r.isolation(0)
	leader, sent := r.clearInVain(0, cuts)
	r.runTo(sent.Duration() + seconds(3)) // check-quorum has found out
	if leader.member.IsLeader() || len(leader.clearing) != 0 {
		t.Fatalf("leads %v, %d renewals wait", leader.member.IsLeader(), len(leader.clearing))
	}
	for _, c := range cuts {
		r.net.Lift(c)
	}
	r.runTo(sent.Duration() + seconds(6))
	r.within("renewed", r.renewedAfter(holder, sent), sent.Add(seconds(3)), sent.Add(seconds(5)))
}

// The memory of a member that dies is gone, and with it whoever waits.
func TestRestartForgetsWhoWaits(t *testing.T) {
	r := newRig(t, 2, minutes(15)).with(map[string]int64{checkpointParam.Name: checkpointOn}).reset(48)
	r.lock(0, 0, 0)
	leader, _ := r.clearInVain(0, r.isolation(0))
	leader.suspects = append(leader.suspects, command{kind: revokeLease})
	leader.member.Host().Crash(host.LoseUnsynced)
	leader.member.Host().Restart(false)
	if len(leader.clearing) != 0 || len(leader.suspects) != 0 || len(leader.lessor.planned) != 0 {
		t.Errorf("%d renewals, %d commands and %d checkpoints wait", len(leader.clearing), len(leader.suspects), len(leader.lessor.planned))
	}
}

// A check of leadership that comes back to a member that does not lead, or does not come
// back: nothing is revoked, and the renewals that wait are refused, so that the members that
// forwarded them ask the next leader.
func TestNothingIsProposedWithoutLeading(t *testing.T) {
	for _, fails := range []bool{false, true} {
		r := newRig(t, 2, minutes(15)).with(map[string]int64{checkpointParam.Name: checkpointOn}).reset(49)
		holder := r.lock(0, 0, 0)
		r.runTo(seconds(5))
		follower := r.system.servers[1]
		self := follower.member.Host().Addr()
		follower.suspects = []command{{kind: revokeLease, lease: r.system.clients[0].session.lease}}
		follower.clearing = []renewal{{peer: true, client: network.Message{From: self, To: self}}}
		if fails {
			follower.leadershipUnknown()
		} else {
			follower.read(read{suspects: true})
		}
		r.runTo(seconds(6))
		if len(follower.suspects) != 0 || len(follower.clearing) != 0 {
			t.Errorf("fails %v: %d commands and %d renewals wait", fails, len(follower.suspects), len(follower.clearing))
		}
		if !r.valid(0) || r.find(history.ServiceEnd, holder.hold, 1) != nil {
			t.Errorf("fails %v: the lease was revoked", fails)
		}
	}
}
