package etcd

import (
	"testing"
	"time"

	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
)

// renewedAfter returns the first renewal of a hold after an instant, or 0.
func (r *rig) renewedAfter(u *use, at sim.Time) sim.Time {
	for n := 1; ; n++ {
		rec := r.find(history.Promise, u.hold, n)
		if rec == nil || rec.At > at {
			if rec == nil {
				return 0
			}
			return rec.At
		}
	}
}

// nextKeepalive runs until a client has sent another keepalive, and returns when.
func (r *rig) nextKeepalive(client int) sim.Time {
	sent := sim.Time(0)
	r.on(client, "keepalive.sent", func(*host.Host) { sent = r.world.Now() })
	for sent == 0 {
		r.runTo(r.world.Now().Duration() + 10*time.Microsecond)
	}
	return sent
}

// A keepalive that a member has forwarded to a leader that falls silent waits for the
// whole request, 5 s and two election timeouts (server/config/config.go, ReqTimeout):
// the connection has no timeout of its own (rafthttp/util.go, NewRoundTripper). The
// keepalives behind it on the stream wait with it (v3rpc/lease.go, leaseKeepAlive),
// though another member has long been elected, and the client's next stream begins up to
// 500 ms after the error. With a TTL of 10 s, of which 3.5 s had passed, that is too
// late; with 15 s it is not.
func TestForwardToASilentLeaderTakesTheWholeRequest(t *testing.T) {
	for ttl, survives := range map[int]bool{10: false, 15: true} {
		r := newRig(t, 2, seconds(ttl)).reset(15)
		holder := r.lock(1, 0, 0) // client 2 talks to member 2
		r.runTo(seconds(6))
		sent := r.nextKeepalive(1)
		r.leader().Crash(host.LoseUnsynced)
		r.runTo(sent.Duration() + seconds(7))
		if at := r.renewedAfter(holder, sent); at != 0 {
			t.Errorf("ttl %d s: renewed at %v, the keepalive was sent at %v\n%s", ttl, at, sent, r.dump())
		}
		r.runTo(sent.Duration() + seconds(7) + retryConnWait + slack)
		if at := r.renewedAfter(holder, sent); r.valid(1) != survives || (at != 0) != survives {
			t.Errorf("ttl %d s: valid %v, renewed at %v, the keepalive was sent at %v\n%s", ttl, r.valid(1), at, sent, r.dump())
		}
	}
}

// A member without a leader sleeps a whole election timeout before it looks again
// (v3_server.go, waitLeader), even if the leader is back at once.
func TestLeaderIsLookedForOnceAnElectionTimeout(t *testing.T) {
	r := newRig(t, 2, seconds(30)).reset(16)
	holder := r.lock(1, 0, 0)
	r.runTo(seconds(6))
	member := r.system.cluster.Members()[1]
	var cuts []*network.Rule
	for _, m := range r.system.cluster.Members() {
		if m != member {
			cuts = append(cuts, &network.Rule{From: member.Host().ID, To: m.Host().ID, Cut: true}, &network.Rule{From: m.Host().ID, To: member.Host().ID, Cut: true})
		}
	}
	for _, c := range cuts {
		r.net.Impose(c)
	}
	r.runTo(seconds(9))
	if member.Lead() != nil {
		t.Fatal("the member that is cut off still knows a leader")
	}
	r.system.clients[1].session.next = r.clients[1].Mono()
	sent := r.nextKeepalive(1)
	r.runTo(sent.Duration() + 100*ms)
	for _, c := range cuts {
		r.net.Lift(c)
	}
	r.runTo(sent.Duration() + 400*ms)
	if member.Lead() == nil {
		t.Fatal("the member has not found its leader again")
	}
	r.runTo(sent.Duration() + seconds(2))
	r.within("renewed", r.renewedAfter(holder, sent), sent.Add(seconds(1)), sent.Add(seconds(1)+slack))
}
