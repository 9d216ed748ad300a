package redlock

import (
	"errors"
	"testing"
	"time"

	"fencepost/checker/monitor"
	"fencepost/models"
	"fencepost/models/modeltest"
	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/host"
)

const (
	ms     = time.Millisecond
	second = time.Second
)

// newRig is redlock with its defaults: five servers, 10 s, 50 ms to wait for a reply.
func newRig(t *testing.T, clients int, params map[string]int64) *modeltest.Rig {
	return modeltest.New(t, New(), clients, params)
}

func equal(t *testing.T, what string, got, want sim.Time) {
	t.Helper()
	if got != want {
		t.Errorf("%s at %v, want %v", what, got, want)
	}
}

// keys counts the servers that have a key of a hold.
func keys(r *modeltest.Rig, u *modeltest.Use) int { return r.System.(*system).of(u.Hold).servers }

// cutOff cuts a client off some servers, both ways, and returns what heals that.
func cutOff(r *modeltest.Rig, client int, servers ...int) (heal func()) {
	var heals []func()
	for _, i := range servers {
		heals = append(heals, r.Cut(r.Env.Clients[client], r.Server("redis", i)), r.Cut(r.Server("redis", i), r.Env.Clients[client]))
	}
	return func() {
		for _, h := range heals {
			h()
		}
	}
}

// The promise is made when the client accepts, after one round trip, and counts from
// the start of the attempt: 10 s less 1 % less 2 ms.
func TestAcquireAndRelease(t *testing.T) {
	r := newRig(t, 1, nil)
	u := r.Lock(0, 5*ms, 100*ms)
	r.Run(50 * ms)
	if n := keys(r, u); n != 5 {
		t.Errorf("%d servers have the key, want all", n)
	}
	r.Run(second)
	g := r.Want(u.Hold, history.Grant)
	equal(t, "granted", g.At, sim.Time(7*ms))
	equal(t, "promised until", g.Until, sim.Time(5*ms+10*second-100*ms-2*ms))
	equal(t, "acquired", u.Acquired, sim.Time(7*ms))
	equal(t, "released", u.Released, sim.Time(109*ms))
	if end := r.Want(u.Hold, history.ServiceEnd); end.At != sim.Time(108*ms) || end.Text != "released" {
		t.Errorf("ended at %v: %s", end.At, end.Text)
	}
	if u.Err != nil || u.Token != 0 || keys(r, u) != 0 {
		t.Errorf("released with %v, token %d, %d keys", u.Err, u.Token, keys(r, u))
	}
}

// Three of five are a majority, two are not; of one server, one is.
func TestQuorum(t *testing.T) {
	for _, c := range []struct {
		servers int
		off     []int
		gets    bool
	}{
		{5, []int{0, 1}, true}, {5, []int{3, 4}, true}, {5, []int{0, 2, 4}, false},
		{4, []int{0}, true}, {4, []int{0, 1}, false}, {1, nil, true}, {3, []int{1}, true},
	} {
		r := newRig(t, 1, map[string]int64{"servers": int64(c.servers)})
		cutOff(r, 0, c.off...)
		u := r.Lock(0, 0, 0)
		r.Run(3 * second)
		if got := u.Acquired != 0; got != c.gets {
			t.Errorf("%d of %d servers out of reach: acquired %t, want %t", len(c.off), c.servers, got, c.gets)
		}
		if c.gets && len(c.off) > 0 { // the attempt waited for the timeout of 50 ms
			equal(t, "acquired", u.Acquired, sim.Time(50*ms))
		}
	}
}

// Validity is the TTL less the elapsed time less 1 % and 2 ms; none left is too little.
// With 100 ms, that is 100 - 1 - 2 - elapsed.
func TestElapsedCheck(t *testing.T) {
	for _, c := range []struct {
		pause time.Duration // before the replies are evaluated; the round trip takes 2 ms
		ok    bool
	}{{95*ms - 1, true}, {95 * ms, false}, {96 * ms, false}} {
		r := newRig(t, 1, map[string]int64{"ttl": int64(100 * ms)})
		attempts := 0
		var count func()
		count = func() { attempts++; r.OnStep(0, "acquire.send", count) }
		r.OnStep(0, "acquire.send", count)
		r.OnStep(0, "acquire.reply", func() { r.Env.Clients[0].Pause(sim.Time(2*ms + c.pause)) })
		u := r.Lock(0, 0, 0)
		r.Run(second)
		if ok := attempts == 1; ok != c.ok || u.Acquired == 0 {
			t.Errorf("a pause of %v: %d attempts, acquired at %v; the first is good: want %t", c.pause, attempts, u.Acquired, c.ok)
		}
		if g := r.Want(u.Hold, history.Grant); c.ok && g.Until != sim.Time(97*ms) {
			t.Errorf("promised until %v, want 97 ms", g.Until)
		}
	}
}

// The allowance is a share of the TTL and a fixed part, to the nanosecond.
func TestDriftAllowance(t *testing.T) {
	for _, c := range []struct {
		ttl   time.Duration
		share int64
		fixed time.Duration
		want  time.Duration
	}{
		{10 * second, 10_000, 2 * ms, 102 * ms},
		{30 * second, 10_000, 2 * ms, 302 * ms},
		{10 * second, 0, 0, 0},
		{10*ms + 500*time.Microsecond, 10_000, 0, 105 * time.Microsecond},
		{24 * 365 * time.Hour, 1_000_000, 0, 24 * 365 * time.Hour},
	} {
		p := models.Defaults(params())
		p["ttl"], p["drift"], p["drift-fixed"] = int64(c.ttl), c.share, int64(c.fixed)
		if got := behaviourOf(p).drift; got != c.want {
			t.Errorf("drift(%v, %d ppm, %v) = %v, want %v", c.ttl, c.share, c.fixed, got, c.want)
		}
	}
}

// A failed attempt is undone on every server, reached or not, before the next one, which
// comes after a random delay.
func TestReleasedEverywhereAfterFailure(t *testing.T) {
	for seed := uint64(1); seed <= 20; seed++ {
		r := newRig(t, 1, nil)
		r.Reset(seed)
		r.At(500*ms, cutOff(r, 0, 0, 1, 2))
		var sent []sim.Time
		var watch func()
		watch = func() {
			if sent = append(sent, r.World.Now()); len(sent) == 2 && keys(r, &modeltest.Use{Hold: 1}) != 0 {
				t.Errorf("seed %d: keys are left of the failed attempt", seed)
			}
			r.OnStep(0, "acquire.send", watch)
		}
		r.OnStep(0, "acquire.send", watch)
		u := r.Lock(0, 0, 0)
		r.Run(2 * second)
		for i := 1; i < len(sent) && sent[i] < sim.Time(500*ms); i++ { // 50 ms for the attempt, 50 ms to undo it, 50 to 250 ms
			if gap := sent[i].Sub(sent[i-1]); gap < 150*ms || gap > 350*ms {
				t.Errorf("seed %d: %v between two attempts", seed, gap)
			}
		}
		if len(sent) < 2 || u.Acquired == 0 || len(r.Records(u.Hold, history.Grant)) != 1 {
			t.Errorf("seed %d: %d attempts, acquired at %v", seed, len(sent), u.Acquired)
		}
	}
}

// SETs that were applied and whose replies were lost are deleted again; no promise was
// made, so nothing in the record ends.
func TestLostReplies(t *testing.T) {
	r := newRig(t, 1, nil)
	for i := range 3 {
		r.At(40*ms, r.Cut(r.Server("redis", i), r.Env.Clients[0]))
	}
	u := r.Lock(0, 0, 0)
	r.Run(45 * ms)
	if n := keys(r, u); n != 5 {
		t.Fatalf("%d keys, want 5: only the replies were lost", n)
	}
	r.Run(60 * ms)
	if n := keys(r, u); n != 0 || len(r.Records(u.Hold, history.Grant, history.ServiceEnd)) != 0 {
		t.Errorf("%d keys after the failure, records %+v", n, r.Recorder.Records)
	}
	r.Run(second)
	if r.Want(u.Hold, history.Grant); u.Acquired == 0 {
		t.Error("the next attempt has failed")
	}
}

// The holder crashes: the keys expire, and a waiter gets in. Nobody is promised more
// than the lease, and the lock moves on within its takeover.
func TestCrashOfHolder(t *testing.T) {
	for seed := uint64(1); seed <= 20; seed++ {
		r := newRig(t, 3, nil)
		r.Reset(seed)
		grants, progress := &monitor.Grants{}, &monitor.Progress{Takeover: New().Describe().Takeover(r.Env.Params)}
		r.Recorder.Observers = append(r.Recorder.Observers, grants, progress)
		holder, waiters := r.Lock(0, 0, 0), []*modeltest.Use{r.Lock(1, 100*ms, 0), r.Lock(2, 130*ms, 0)}
		r.At(second, func() { r.Env.Clients[0].Crash(host.LoseUnsynced) })
		r.Run(30 * second)
		end := r.Want(holder.Hold, history.ServiceEnd)
		if end.Text != "expired" || end.At < sim.Time(10*second) {
			t.Errorf("seed %d: ended at %v, %s", seed, end.At, end.Text)
		}
		if waiters[0].Acquired == 0 && waiters[1].Acquired == 0 {
			t.Errorf("seed %d: nobody got in", seed)
		}
		progress.Finish(r.World.Now())
		if grants.Violated() || progress.Violated() {
			t.Errorf("seed %d: %+v %+v", seed, grants.Findings(), progress.Findings())
		}
	}
}

// Who releases late deletes nothing of the next holder's, and is told.
func TestCompareAndDelete(t *testing.T) {
	r := newRig(t, 2, nil)
	late, next := r.Lock(0, 0, 11*second), r.Lock(1, 100*ms, 0)
	r.Run(15 * second)
	if !errors.Is(late.Err, models.ErrNotHeld) || keys(r, next) != 5 {
		t.Errorf("released with %v, %d keys of the next holder are left", late.Err, keys(r, next))
	}
}

// The library's deadline is the start of the attempt and the validity, on its own clock.
func TestValid(t *testing.T) {
	r := newRig(t, 1, nil)
	var before, after bool
	r.Env.Clients[0].Go("client 1", func(p *host.Process) {
		locker := r.Lockers[0]
		_, _ = locker.Acquire(p, r.Recorder.NewHold(0, 1))
		p.Sleep(9898*ms - 2*ms - 1)
		before = locker.Valid(p)
		p.Sleep(1)
		after = locker.Valid(p)
	})
	r.Run(20 * second)
	if !before || after {
		t.Errorf("valid before the deadline: %t, at it: %t", before, after)
	}
}

// A lower bound above the default of the upper one is a fixed delay.
func TestRetryDelay(t *testing.T) {
	r := newRig(t, 2, map[string]int64{"retry-base": int64(second), "retry-jitter": 0})
	r.Lock(0, 0, 500*ms)
	waiter := r.Lock(1, 100*ms, 0)
	r.Run(5 * second)
	equal(t, "acquired", waiter.Acquired, sim.Time(100*ms+2*2*ms+second+2*ms)) // refused, undone, granted
}

// Servers without persistence that crash and come back at once have forgotten the key: a
// majority of them lets the next client in beside the holder, a minority does not
// (redis.io, Distributed Locks, "Performance, Crash Recovery and fsync"; the documented
// remedy is to stay down for longer than a TTL).
func TestRestartedServersHaveForgottenTheKey(t *testing.T) {
	for _, c := range []struct {
		servers int
		delay   time.Duration
		broken  bool
	}{{2, ms, false}, {3, ms, true}, {3, 10 * second, false}} {
		r := newRig(t, 2, nil)
		grants := &monitor.Grants{}
		r.Recorder.Observers = append(r.Recorder.Observers, grants)
		holder, waiter := r.Lock(0, 0, 0), r.Lock(1, 2*second, 0)
		r.At(second, func() {
			for i := range c.servers {
				server := r.Server("redis", i)
				server.Crash(host.LoseMemory)
				server.RestartAt(r.World.Now().Add(c.delay), false)
			}
		})
		r.Run(9 * second)
		if early := waiter.Acquired != 0; early != c.broken || grants.Violated() != c.broken {
			t.Errorf("%d servers away for %v: acquired at %v, promise broken: %v", c.servers, c.delay, waiter.Acquired, grants.Violated())
		}
		if end := r.Records(holder.Hold, history.ServiceEnd); c.broken && (len(end) != 1 || end[0].Text != "lost") {
			t.Errorf("ended with %+v", end)
		}
	}
}
