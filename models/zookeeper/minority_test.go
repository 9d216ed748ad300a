package zookeeper

import (
	"testing"
	"time"
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
