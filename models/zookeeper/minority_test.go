package zookeeper

import (
	"testing"
	"time"

	"fencepost/models/modeltest"
)

// A holder is cut off together with its follower. The follower answers its pings until it has
// not heard of the leader for 5 ticks, which the model's looks at every half tick: until 5.5
// ticks after the cut at the latest. The leader counts from the last touch that came with an
// answer to its pings: the last answer is up to half a tick older than the cut, and the last
// touch before it up to T/3 older than that. So the session ends 2T/3 - tick/2 after the cut at
// the earliest, and a program that stops on SUSPENDED overlaps by up to 6 ticks - 2T/3. With
// T = 10 s and ticks of 2 s that is 5.33 s; from T = 9 ticks on there is no overlap. What the
// follower answers after the cut the leader never hears of, so that promise is broken whatever
// T is, unless the holder gives the lock back when it is sent away, as it does not here.
func TestHolderInTheMinorityWithItsFollower(t *testing.T) {
	modeltest.ManyTrials(t)
	for _, c := range []struct {
		recipe   int64
		ttl      time.Duration
		overlaps bool
	}{
		{interProcessMutex, T, true}, {leaderLatch, T, true}, {plain, T, true},
		{interProcessMutex, 9 * tickTime, false}, {leaderLatch, 9 * tickTime, false},
		{interProcessMutex, 20 * tickTime, false},
	} {
		r := newRig(t, 2, map[string]int64{"recipe": c.recipe, "ttl": int64(c.ttl)})
		var all []silence
		broken := 0
		for seed := uint64(1); seed <= 100; seed++ {
			r.reset(seed)
			r.Lock(1, second, 0) // at server 2
			waiter := r.Lock(0, 2*second, 0)
			cut := 20*second + time.Duration(seed)*173*ms
			r.Run(cut)
			r.isolate(r.server(1), r.servers()...)
			for _, i := range []int{0, 2} {
				r.isolate(r.Env.Clients[1], r.server(i))
			}
			s := silence{invalid: r.invalidAt(1, 200*second)}
			r.Run(200 * second)
			s.granted = r.granted(waiter).At
			r.within("sent away", s.invalid, at(cut+syncLimit*tickTime-tickTime/2), at(cut+syncLimit*tickTime+tickTime/2+slack))
			r.within("granted", s.granted, at(cut+2*c.ttl/3-tickTime/2), at(cut+c.ttl+tickTime+slack))
			all = append(all, s)
			if r.grants.Violated() {
				broken++
			}
		}
		lo, hi := extremes(all, silence.overlap)
		bound := (syncLimit+1)*tickTime - 2*c.ttl/3
		want(t, "overlap", lo, hi, (syncLimit-1)*tickTime-tickTime/2-c.ttl-slack, bound+slack)
		if broken < 80 || c.overlaps && hi < bound-2*second || !c.overlaps && hi > 0 {
			t.Errorf("recipe %d, timeout %v: %d promises broken, overlaps up to %v", c.recipe, c.ttl, broken, hi)
		}
	}
}

// The follower is cut off first and the holder from it 9 s later, before the follower gives up,
// so that the holder does not hear that it is sent away, and stops 2T/3 after its last word. Of
// its pings, T/3 apart, the follower has then answered some of which the leader never hears: k of
// them if the first and the last are less than 9 s and half a tick apart. The session ends T after
// the ping before them, or a little later, so the overlap is up to (k-1)T/3: 6.67 s with T = 10 s,
// 8 s with 24 s, and none with 40 s. It takes a timeout of 18 ticks to be safe, three times the 5.5
// ticks for which a follower answers and the half before them.
func TestHolderCutOffAfterItsFollower(t *testing.T) {
	modeltest.ManyTrials(t)
	const later = 9 * second
	for ttl, bound := range map[time.Duration]time.Duration{T: 2 * T / 3, 24 * second: 8 * second, 20 * tickTime: 0} {
		r := newRig(t, 2, map[string]int64{"ttl": int64(ttl)})
		var all []silence
		for seed := uint64(1); seed <= 100; seed++ {
			r.reset(seed)
			r.Lock(1, second, 0)
			waiter := r.Lock(0, 2*second, 0)
			cut := 20*second + time.Duration(seed)*173*ms
			r.Run(cut)
			r.isolate(r.server(1), r.servers()...)
			for _, i := range []int{0, 2} {
				r.isolate(r.Env.Clients[1], r.server(i))
			}
			r.Run(cut + later)
			r.isolate(r.Env.Clients[1], r.server(1))
			s := silence{invalid: r.invalidAt(1, 200*second)}
			r.Run(200 * second)
			s.granted = r.granted(waiter).At
			all = append(all, s)
		}
		lo, hi := extremes(all, silence.overlap)
		want(t, "overlap", lo, hi, -ttl/3-3*tickTime/2-slack, bound+slack)
		if hi < bound-2*second {
			t.Errorf("timeout %v: the longest overlap is %v, want up to %v", ttl, hi, bound)
		}
	}
}
