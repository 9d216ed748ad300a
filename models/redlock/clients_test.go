package redlock

import (
	"errors"
	"slices"
	"testing"
	"time"

	"fencepost/models"
	"fencepost/sim"
	"fencepost/sim/history"
)

// Each client's own number of attempts and delays, where another client has the lock. An
// attempt and its undoing take a round trip of 2 ms each, or 2 ms for each of five servers
// where they are asked one after the other. node-redlock v5 undoes after the last alone.
func TestOwnAttempts(t *testing.T) {
	for _, c := range []struct {
		client   clientLibrary
		attempts int
		lo, hi   time.Duration // from attempt to attempt
		last     time.Duration // from the last attempt to its end
	}{
		{antirez, 3, 20 * ms, 219 * ms, 20 * ms},
		{redsync, 32, 54 * ms, 253 * ms, 4 * ms},
		{nodeV4, 11, 104 * ms, 303 * ms, 4 * ms},
		{nodeV5, 11, 102 * ms, 301 * ms, 4 * ms},
		{redlockRB, 4, 220 * ms, 269 * ms, 20 * ms},
	} {
		r := newClientRig(t, 2, c.client, map[string]int64{"ttl": int64(60 * second)})
		try(r, 0, 0)
		u := try(r, 1, second)
		r.Run(40 * second)
		name := clientParam.Choices[c.client]
		if len(u.sent) != c.attempts || !errors.Is(u.err, models.ErrNotAcquired) {
			t.Errorf("%s: %d attempts, %v", name, len(u.sent), u.err)
			continue
		}
		for i := 1; i < len(u.sent); i++ {
			if gap := u.sent[i].Sub(u.sent[i-1]); gap < c.lo || gap > c.hi {
				t.Errorf("%s: %v between two attempts", name, gap)
			}
		}
		equal(t, name+" gave up", u.ended, u.sent[c.attempts-1].Add(c.last))
	}
}

// How long each client needs for a lock when D and E, or A and B, do not answer, with its
// own timeout and a TTL of 10 s:
//
//   - spec waits 50 ms for all at once; the gem 100 ms for each.
//   - redsync waits for all, and go-redis 5 s for a reply. The context of the attempt has ended
//     after 5 % of the TTL, so that nothing is sent again; where it ends the wait, too, that is
//     over after 0.5 s.
//   - node-redlock v5 has its majority after one round trip. v4 waits for all replies, and
//     its Redis client until TCP gives the connection up; then the lock has expired, and it
//     tries again.
//   - antirez's client waits 5 s for each, so that 10 s have passed: no validity is left.
//   - Redisson waits 3 s for a reply and 3 s more to give that server's lock back. After A,
//     B and C a failure at D ends the round; setting a lease takes three round trips more. If
//     A and B are silent, 12 s are more than its budget of 7.5 s, or of up to 10 s for a lease.
func TestUnreachableServers(t *testing.T) {
	contextEnds, leased := map[string]int64{"context-timeout": 1}, map[string]int64{"watchdog": 1}
	for _, c := range []struct {
		client clientLibrary
		silent []int
		params map[string]int64
		want   time.Duration // 0 is never
	}{
		{specification, []int{3, 4}, nil, 50 * ms}, {redlockRB, []int{3, 4}, nil, 206 * ms},
		{redsync, []int{3, 4}, nil, 5 * second}, {redsync, []int{3, 4}, contextEnds, 500 * ms},
		{nodeV5, []int{3, 4}, nil, 2 * ms}, {nodeV4, []int{3, 4}, nil, 0}, {antirez, []int{3, 4}, nil, 0},
		{redisson, []int{3, 4}, nil, 6*ms + 6*second}, {redisson, []int{3, 4}, leased, 6*ms + 6*second + 6*ms},
		{redisson, []int{0, 1}, nil, 0}, {redisson, []int{0, 1}, leased, 0},
		{redlockRB, []int{0, 1}, nil, 206 * ms}, {antirez, []int{0, 1}, nil, 0}, {antirez, []int{1}, nil, 5*second + 8*ms},
	} {
		r := newClientRig(t, 1, c.client, c.params)
		cutOff(r, 0, c.silent...)
		u := try(r, 0, 0)
		r.Run(2000 * second)
		equal(t, clientParam.Choices[c.client]+" acquired", u.got, sim.Time(c.want))
	}
}

// The allowance and the TTL of each client, as the end of its promise shows: one counts from
// the start of the attempt, Redisson's lease from when it is set, and its lockWatchdogTimeout
// from when the first server was asked, both less Redis's granularity of 1 ms, because nothing
// is allowed for drift. Without a TTL each has its own.
func TestOwnPromises(t *testing.T) {
	for _, c := range []struct {
		client clientLibrary
		ttl    time.Duration
		want   time.Duration
		leased int64
	}{
		{specification, 10 * second, 9898 * ms, 0}, {antirez, 10 * second, 9898 * ms, 0}, {redlockRB, 10 * second, 9898 * ms, 0},
		{nodeV4, 10 * second, 9898 * ms, 0}, {nodeV5, 10 * second, 9898 * ms, 0}, {redsync, 10 * second, 9900 * ms, 0},
		{redisson, 10 * second, 9999 * ms, 0}, {redisson, 10 * second, 10*ms + 9999*ms, 1},
		{specification, 0, 9898 * ms, 0}, {redsync, 0, 7920 * ms, 0}, {redisson, 0, 29999 * ms, 0},
	} {
		r := newClientRig(t, 1, c.client, map[string]int64{"ttl": int64(c.ttl), "watchdog": c.leased})
		u := try(r, 0, 0)
		r.Run(second)
		equal(t, clientParam.Choices[c.client]+" is promised the lock until", r.Want(u.hold, history.Grant).Until, sim.Time(c.want))
	}
}

// Validity of exactly nothing is enough for the gem (validity >= 0) and for nobody else. The
// round trip takes 2 ms or 10 ms, and 98 ms are valid of 101 ms that 1.01 ms and 2 ms are
// taken from; the gem sees whole milliseconds.
func TestElapsedCheckAtTheEdge(t *testing.T) {
	for _, c := range []struct {
		client clientLibrary
		loose  bool
	}{{specification, false}, {antirez, false}, {nodeV4, false}, {redlockRB, true}} {
		r := newClientRig(t, 1, c.client, map[string]int64{"ttl": int64(100 * ms), "attempts": 1})
		r.OnStep(0, "acquire.reply", func() { r.Env.Clients[0].Pause(sim.Time(97 * ms)) })
		u := try(r, 0, 0)
		r.Run(second)
		if got := u.got != 0; got != c.loose {
			t.Errorf("%s: acquired without validity: %t", clientParam.Choices[c.client], got)
		}
	}
}

// Release says what the library says: a majority that has deleted the key, a majority that
// has answered anything, or nothing at all. After 12 s there is no key of 10 s any more.
func TestOwnReleases(t *testing.T) {
	for client, fails := range map[clientLibrary]bool{specification: true, redsync: true, antirez: false, nodeV4: false, redlockRB: false, redisson: false, nodeV5: true} {
		r := newClientRig(t, 1, client, nil)
		u := r.Lock(0, 0, 12*second)
		r.Run(20 * second)
		if got := errors.Is(u.Err, models.ErrNotHeld); got != fails || u.Released == 0 {
			t.Errorf("%s: released at %v with %v", clientParam.Choices[client], u.Released, u.Err)
		}
	}
	// node-redlock v4 is content with answers, but needs a majority of them. Without one it does
	// not know what became of the lock, and does not say that it was lost.
	r := newClientRig(t, 1, nodeV4, map[string]int64{"timeout": int64(50 * ms)})
	r.At(second, func() { cutOff(r, 0, 0, 1, 2) })
	u := r.Lock(0, 0, 2*second)
	r.Run(20 * second)
	if u.Err != errNotReleased {
		t.Errorf("released without a majority: %v", u.Err)
	}
	// node-redlock v5 asks ten times more, about 200 ms apart (issue 313).
	r = newClientRig(t, 1, nodeV5, nil)
	u = r.Lock(0, 0, 12*second)
	r.Run(20 * second)
	within(t, "v5 has given up its release", u.Released, sim.Time(13*second), sim.Time(15100*ms))
}

// Who cannot extend is no Renewer.
func TestWhoCanExtend(t *testing.T) {
	for client, can := range map[clientLibrary]bool{specification: true, antirez: false, redsync: true, nodeV4: true, nodeV5: true, redlockRB: true, redisson: false} {
		r := newClientRig(t, 1, client, nil)
		if _, ok := r.Lockers[0].(models.Renewer); ok != can {
			t.Errorf("%s can extend: %t", clientParam.Choices[client], ok)
		}
	}
	r := newClientRig(t, 1, nodeV5, map[string]int64{"using": 1})
	if _, ok := r.Lockers[0].(models.Renewer); ok {
		t.Error("using() extends by itself")
	}
}

// A program can tell that the lock is another's, on so many servers that a majority cannot be free, from that it had no
// majority in time: two servers of another's and two that are silent are not enough, and neither are five OKs of
// which the validity is over.
func TestWhyNoLock(t *testing.T) {
	for _, c := range []struct {
		name           string
		others, silent []int
		late, refused  bool
	}{
		{name: "another's on three", others: []int{0, 1, 2}, refused: true},
		{name: "another's on three, and two are silent", others: []int{0, 1, 2}, silent: []int{3, 4}, refused: true},
		{name: "another's on two, and two are silent", others: []int{0, 1}, silent: []int{2, 3}},
		{name: "three are silent", silent: []int{0, 1, 2}},
		{name: "too late", late: true},
	} {
		r := newClientRig(t, 2, redsync, map[string]int64{"attempts": 1, "timeout": int64(50 * ms), "command-retries": -1})
		for i := range 5 {
			if !slices.Contains(c.others, i) {
				cutOff(r, 0, i)
			}
		}
		try(r, 0, 0) // has its keys until it undoes them, at 50 ms, or longer
		r.At(5*ms, func() { cutOff(r, 1, c.silent...) })
		if c.late {
			r.OnStep(1, "acquire.reply", func() { r.Env.Clients[1].Pause(sim.Time(10 * second)) })
		}
		u := try(r, 1, 10*ms)
		r.Run(15 * second)
		if !errors.Is(u.err, models.ErrNotAcquired) || errors.Is(u.err, errNoMajority) == c.refused {
			t.Errorf("%s: %v", c.name, u.err)
		}
	}
}

// Who did not get the lock has no value to give back with redsync, whose Mutex has one once it is
// acquired; others delete what their last attempt may have left.
func TestValueOfNoLock(t *testing.T) {
	for client, none := range map[clientLibrary]bool{redsync: true, specification: false} {
		r := newClientRig(t, 2, client, map[string]int64{"ttl": int64(60 * second), "attempts": 1})
		try(r, 0, 0)
		u := try(r, 1, second)
		r.Run(2 * second)
		if !errors.Is(u.err, models.ErrNotAcquired) {
			t.Fatalf("client 2: %v", u.err)
		}
		if got := lockOf(r.Lockers[1]).value == 0; got != none {
			t.Errorf("%s: without a value %t, want %t", clientParam.Choices[client], got, none)
		}
	}
}

// lockOf is what a library knows of its lock.
func lockOf(l models.Locker) *lock {
	if hidden, ok := l.(bare); ok {
		l = hidden.Locker
	}
	return &l.(*library).lock
}
