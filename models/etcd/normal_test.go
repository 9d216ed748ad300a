package etcd

import (
	"testing"
	"time"

	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/host"
)

const ms = time.Millisecond

// slack is ample for a few round trips and commits: 45 µs and at most 2 ms of fsync.
const slack = 30 * ms

// Clients start with the cluster: elections, grant and transaction take some commits.
// The key is the first thing that is ever written, at revision 2.
func TestAcquireAtTimeZero(t *testing.T) {
	r := newRig(t, 1, seconds(60))
	for seed := uint64(1); seed <= 50; seed++ {
		r.reset(seed)
		u := r.lock(0, 0, 0)
		r.runTo(time.Second)
		r.within("acquired", u.acquired, 1, sim.Time(20*ms))
		g := r.granted(u)
		if u.token != 2 || g.Token != 2 {
			t.Errorf("seed %d: tokens %d and %d, want 2", seed, u.token, g.Token)
		}
		if g.At > u.acquired {
			t.Errorf("seed %d: acquired at %v before the grant at %v", seed, u.acquired, g.At)
		}
		// The promise counts from the grant of the lease, which came before.
		r.within("promise", g.Until, sim.Time(seconds(60)), g.At.Add(seconds(60)))
	}
}

// A session is kept alive for as long as the client lives, TTL after TTL.
func TestRenewalKeepsTheLock(t *testing.T) {
	for _, ttl := range []int{2, 10, 60} {
		r := newRig(t, 2, seconds(ttl)).reset(uint64(ttl))
		holder := r.lock(0, 0, seconds(5*ttl))
		waiter := r.lock(1, time.Second, 0)
		for at := 1; at < 5*ttl; at++ {
			r.runTo(seconds(at))
			if !r.valid(0) || waiter.acquired != 0 {
				t.Fatalf("ttl %d s: at %d s valid %v, waiter acquired %v", ttl, at, r.valid(0), waiter.acquired)
			}
			if until := r.promisedUntil(holder); until <= r.world.Now() {
				t.Fatalf("ttl %d s: at %d s the last promise ended at %v", ttl, at, until)
			}
		}
		r.runTo(seconds(5*ttl + 1))
		r.within("released", holder.released, sim.Time(seconds(5*ttl)), sim.Time(seconds(5*ttl)+2*slack))
		r.within("handed over", waiter.acquired, holder.released.Add(-slack), holder.released.Add(slack))
		if end := r.ended(holder); end.Text != "released" || end.At > r.granted(waiter).At {
			t.Errorf("ttl %d s: ended %q at %v", ttl, end.Text, end.At)
		}
	}
}

// Keepalives go out a third of the TTL after the last reply, on a grid of 500 ms
// (client/v3/lease.go): for 60 s that is every 20 to 20.5 s.
func TestKeepaliveInterval(t *testing.T) {
	r := newRig(t, 1, seconds(60)).reset(1)
	u := r.lock(0, 0, 0)
	r.runTo(seconds(300))
	last := sim.Time(0)
	for n := 2; ; n++ { // the first keepalive is sent at once
		rec := r.find(history.Promise, u.hold, n)
		if rec == nil {
			if n < 15 {
				t.Errorf("only %d keepalives in 300 s", n-1)
			}
			return
		}
		if last != 0 {
			r.within("keepalive", rec.At, last.Add(seconds(20)-ms), last.Add(seconds(20)+501*ms))
		}
		last = rec.At
	}
}

// Waiters are served in the order of their create revisions, and tokens rise.
func TestHandOverIsFirstInFirstOut(t *testing.T) {
	r := newRig(t, 5, seconds(10)).reset(3)
	order := []int{2, 0, 4, 1, 3}
	uses := make([]*use, len(order))
	for i, client := range order {
		uses[i] = r.lock(client, time.Duration(i)*50*ms, 2*time.Second)
	}
	r.runTo(seconds(15))
	for i := 1; i < len(uses); i++ {
		before, after := uses[i-1], uses[i]
		if before.acquired == 0 || after.acquired <= before.acquired || after.token <= before.token {
			t.Fatalf("place %d: acquired %v token %d, then %v token %d", i, before.acquired, before.token, after.acquired, after.token)
		}
		r.within("next grant", r.granted(after).At, r.ended(before).At, r.ended(before).At)
	}
}

// A client that acquires again does so with the same session and a new key.
func TestSessionIsReused(t *testing.T) {
	r := newRig(t, 1, seconds(10)).reset(4)
	grants := 0
	var tokens []int64
	r.clients[0].Go("client", func(p *host.Process) {
		locker := r.system.clients[0]
		for range 3 {
			g, _ := locker.Acquire(p, r.env.Recorder.NewHold(0, 1))
			tokens = append(tokens, g.Token)
			p.Sleep(seconds(7))
			_ = locker.Release(p)
		}
	})
	r.on(0, "session.grant", func(*host.Host) { grants++; r.on(0, "session.grant", func(*host.Host) { grants++ }) })
	r.runTo(seconds(30))
	// Each cycle puts and deletes the key: revisions 2, 4 and 6.
	if grants != 1 || len(tokens) != 3 || tokens[0] != 2 || tokens[1] != 4 || tokens[2] != 6 {
		t.Errorf("%d sessions, tokens %v", grants, tokens)
	}
}

// Requests for less than 2 s, one and a half election timeouts in whole seconds, are
// raised; fractions of a second are rounded up.
func TestNegotiatedTTL(t *testing.T) {
	for _, c := range []struct{ ask, want time.Duration }{
		{time.Second, seconds(2)}, {seconds(2), seconds(2)}, {2500 * ms, seconds(3)}, {seconds(60), seconds(60)},
	} {
		r := newRig(t, 1, c.ask)
		if got := negotiated(ttlSeconds(r.env.Params)); got != c.want {
			t.Errorf("asked for %v: %v, want %v", c.ask, got, c.want)
		}
	}
}

func TestDescription(t *testing.T) {
	d := New().Describe()
	p := newRig(t, 1, seconds(10)).env.Params
	// 10 s of lease, 0.5 s of sweep, 0.5 s for a commit.
	if got := quietTakeover(p); got != seconds(11) {
		t.Errorf("quiet takeover %v", got)
	}
	// And, for one change of leader: 10 s, 4 s of election, 1 s of extension.
	if got := d.Takeover(p); got != seconds(26) {
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
