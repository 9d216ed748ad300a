package zookeeper

import (
	"testing"
	"time"

	"fencepost/models"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
)

// A session is granted 2 to 20 ticks: Curator's 60 s become 40 s at ticks of 2 s.
func TestNegotiation(t *testing.T) {
	for _, c := range []struct{ asked, tick, granted time.Duration }{
		{60 * second, 2 * second, 40 * second},
		{10 * second, 2 * second, 10 * second},
		{second, 2 * second, 4 * second},
		{60 * second, 3 * second, 60 * second},
		{60 * second, 500 * ms, 10 * second},
	} {
		r := newRig(t, 1, map[string]int64{"ttl": int64(c.asked), "tick-time": int64(c.tick)})
		u := r.Lock(0, second, 0)
		r.Run(3 * second)
		g := r.granted(u)
		if got := r.system().clients[0].zk.timeout; got != c.granted || g.Until.Sub(g.At) > c.granted || g.Until.Sub(g.At) < c.granted-slack {
			t.Errorf("%v at ticks of %v: granted %v, promised until %v at %v", c.asked, c.tick, got, g.Until, g.At)
		}
	}
}

// gaps are how long sessions outlive its timeout after the last touch.
func gaps(t *testing.T, holder int) (lo, hi time.Duration) {
	r := newRig(t, 2, nil)
	lo = time.Hour
	for seed := uint64(1); seed <= 80; seed++ {
		r.reset(seed)
		r.Lock(holder, second, 0)
		waiter := r.Lock(1-holder, 2*second, 0)
		crash := 5*second + time.Duration(seed)*97*ms
		r.Run(crash)
		touched := r.touchedAt(holder)
		r.Env.Clients[holder].Crash(host.LoseMemory)
		r.Run(60 * second)
		end := r.granted(waiter).At
		gap := end.Sub(touched.Add(T))
		lo, hi = min(lo, gap), max(hi, gap)
		if end > at(crash+quietTakeover(r.Env.Params)) || quietTakeover(r.Env.Params) > New().Describe().Takeover(r.Env.Params) {
			t.Errorf("seed %d: granted at %v, later than the quiet takeover", seed, end)
		}
	}
	return lo, hi
}

// The leader lets a session expire at the end of the tick in which its timeout is over: more
// than the timeout after the last touch, and up to a tick more. The grid of the ticks has
// nothing to do with the touches, so over many trials both ends are reached.
func TestExpiryIsRoundedUpToATick(t *testing.T) {
	lo, hi := gaps(t, 0) // client 1 talks to server 1, which leads
	want(t, "beyond the timeout", lo, hi, 0, tickTime+slack)
	if lo > tickTime/4 || hi < tickTime*3/4 {
		t.Errorf("%v to %v beyond the timeout does not spread over a tick", lo, hi)
	}
}

// A follower tells the leader of its clients with its answer to the next ping: up to half a
// tick later, in the safe direction.
func TestFollowersTouchLate(t *testing.T) {
	lo, hi := gaps(t, 1) // client 2 talks to server 2
	want(t, "beyond the timeout", lo, hi, 0, 3*tickTime/2+slack)
	if hi < tickTime {
		t.Errorf("at most %v beyond the timeout: no touch came late", hi)
	}
}

// Touches whose message is lost are sent again with the next answer, as TCP would.
func TestLostTouchesAreSentAgain(t *testing.T) {
	r := newRig(t, 2, nil)
	u, waiter := r.Lock(1, second, 0), r.Lock(0, 2*second, 0)
	loss := 0
	for d := 3 * second; d < 60*second; d += 2 * second {
		var heal func()
		r.At(d, func() { heal = r.Cut(r.server(1), r.server(0)); loss++ })
		r.At(d+900*ms, func() { heal() }) // at most one answer is lost in a row
	}
	r.Run(60 * second)
	if ends := r.ends(u); len(ends) > 0 || waiter.Acquired > 0 || loss == 0 {
		t.Errorf("ended %v, the waiter acquired at %v", ends, waiter.Acquired)
	}
}

// Pings go out after a third of the timeout without another word. The limit of 10 s between
// two of them does not wake the client, so with the usual 40 s it is 13.3 s.
func TestPings(t *testing.T) {
	for ttl, every := range map[time.Duration]time.Duration{T: T / 3, 40 * second: 40 * second / 3} {
		r := newRig(t, 1, map[string]int64{"ttl": int64(ttl)})
		u := r.Lock(0, second, 0)
		r.Run(100 * second)
		promises := r.Records(u.Hold, history.Promise)
		n := len(promises)
		for i := n - 3; i < n; i++ {
			if got := promises[i].At.Sub(promises[i-1].At); got != every {
				t.Errorf("timeout %v: pings %v apart, want %v", ttl, got, every)
			}
		}
	}
}

// The clients of a server that dies are Disconnected after 2T/3 and resume their session
// elsewhere: nobody else gets the lock, and Valid is true again.
func TestSessionMovesToAnotherServer(t *testing.T) {
	for seed := uint64(1); seed <= 20; seed++ {
		r := newRig(t, 2, nil).reset(seed)
		u, waiter := r.Lock(1, second, 40*second), r.Lock(0, 2*second, 0)
		r.Run(5*second + time.Duration(seed)*101*ms)
		session := r.system().clients[1].zk.session
		r.server(1).Crash(host.LoseUnsynced)
		r.within("disconnected", r.invalidAt(1, 20*second), r.heardAt(1).Add(2*T/3), r.heardAt(1).Add(2*T/3+2*ms))
		r.Run(r.World.Now().Duration() + reconnectPause + slack)
		if !r.valid(1) || r.system().clients[1].zk.session != session {
			t.Fatalf("seed %d: valid %v in session %d, was %d", seed, r.valid(1), r.system().clients[1].zk.session, session)
		}
		r.Run(45 * second)
		if ends := r.ends(u); u.Err != nil || len(ends) != 1 || ends[0] != "released" || waiter.Acquired == 0 {
			t.Errorf("seed %d: released %v, ended %v, waiter acquired %v", seed, u.Err, ends, waiter.Acquired)
		}
	}
}

// What comes on the old connection of a session that has moved is refused: a create that was
// held back does not make a second node.
func TestOldConnectionIsRefused(t *testing.T) {
	r := newRig(t, 1, nil)
	r.Net.Hold(&network.Hold{From: r.Env.Clients[0].ID, To: r.server(0).ID, Op: OpCreate, Until: at(15 * second)})
	u := r.Lock(0, second, 0)
	r.Run(30 * second)
	if u.Acquired == 0 || u.Acquired > at(15*second) {
		t.Errorf("acquired at %v", u.Acquired)
	}
	for i, s := range r.system().servers {
		if len(s.tree.nodes) != 1 {
			t.Errorf("server %d has %d nodes", i+1, len(s.tree.nodes))
		}
	}
}

// Sessions are timed on monotonic clocks: steps of the servers' wall clocks change nothing,
// to the last bit, nor do those of clients that stop on SUSPENDED.
func TestWallClocksOfServersHaveNoEffect(t *testing.T) {
	trial := func(step time.Duration) uint64 {
		r := newRig(t, 2, nil)
		r.Lock(0, second, 20*second)
		r.Lock(1, 2*second, 0)
		for d := 2 * second; d < 30*second; d += second {
			r.Run(d)
			for _, h := range r.Fleet.Hosts {
				h.Clock.Step(step)
			}
			step = -2 * step / 3
		}
		return r.World.Digest().Sum()
	}
	if trial(0) != trial(3600*second) {
		t.Error("a step of the wall clock changed the run")
	}
}

// Words of recipes that contradict each other are refused.
func TestValidate(t *testing.T) {
	for _, c := range []struct {
		recipe, stop int64
		ok           bool
	}{
		{interProcessMutex, onLost, true}, {interProcessMutex, onExpired, false}, {interProcessMutex, never, true},
		{plain, onExpired, true}, {plain, onLost, false},
		{leaderLatch, onSuspended, true}, {leaderLatch, onLost, true}, {leaderLatch, onExpired, false}, {leaderLatch, never, false},
	} {
		p := models.Defaults(params)
		p["recipe"], p["stop-on"] = c.recipe, c.stop
		if err := validate(p); (err == nil) != c.ok {
			t.Errorf("recipe %d, stop-on %d: %v", c.recipe, c.stop, err)
		}
	}
}

// Ensembles of one and of five hand the lock over, and five bear the loss of two.
func TestSizes(t *testing.T) {
	for _, n := range []int64{1, 5} {
		r := newRig(t, 2, map[string]int64{"servers": n})
		r.Lock(0, second, 2*second)
		waiter := r.Lock(1, 2*second, 60*second)
		r.Run(5 * second)
		if n == 5 {
			r.server(0).Crash(host.LoseUnsynced)
			r.server(1).Crash(host.LoseUnsynced)
		}
		r.Run(80 * second)
		if waiter.Acquired == 0 || waiter.Released == 0 {
			t.Errorf("%d servers: acquired %v, released %v", n, waiter.Acquired, waiter.Released)
		}
	}
}
