package zookeeper

import (
	"testing"
	"time"

	"fencepost/sim"
	"fencepost/sim/host"
)

// silence is a holder that is cut off from all servers at an instant while another client
// waits, and what came of it.
type silence struct {
	heard   sim.Time // when the holder last heard of a server
	touched sim.Time // when a server last answered it
	invalid sim.Time // when it said that it no longer holds the lock
	granted sim.Time // when the other client was let in
}

// overlap is how long both held the lock, as far as they knew; less than nothing is a margin.
func (s silence) overlap() time.Duration { return s.invalid.Sub(s.granted) }

// silences are of holders that fall silent for good, at drawn instants, once at a follower and once at the leader.
func silences(t *testing.T, params map[string]int64) (all []silence) {
	r := newRig(t, 2, params)
	for seed := uint64(1); seed <= 60; seed++ {
		r.reset(seed)
		holder := int(seed % 2)
		r.Lock(holder, second, 0)
		waiter := r.Lock(1-holder, 2*second, 0)
		cut := 5*second + time.Duration(seed)*173*ms
		r.Run(cut)
		r.partition(holder)
		s := silence{heard: r.heardAt(holder), touched: r.touchedAt(holder)}
		s.invalid = r.invalidAt(holder, 60*second)
		r.Run(60 * second)
		s.granted = r.granted(waiter).At
		if waiter.Acquired < s.granted {
			t.Fatalf("seed %d: acquired %v, granted %v", seed, waiter.Acquired, s.granted)
		}
		// The session outlives its timeout by up to a tick, and the last touch may come
		// half a tick late.
		r.within("granted", s.granted, s.touched.Add(T), s.touched.Add(T+3*tickTime/2+slack))
		if r.grants.Violated() {
			t.Errorf("seed %d: %+v", seed, r.grants.Findings())
		}
		all = append(all, s)
	}
	return all
}

// extremes are the shortest and the longest of a measure.
func extremes(all []silence, of func(silence) time.Duration) (lo, hi time.Duration) {
	lo, hi = of(all[0]), of(all[0])
	for _, s := range all[1:] {
		lo, hi = min(lo, of(s)), max(hi, of(s))
	}
	return lo, hi
}

func want(t *testing.T, what string, lo, hi, least, most time.Duration) {
	t.Helper()
	t.Logf("%s: %v to %v", what, lo, hi)
	if lo < least || hi > most {
		t.Errorf("%s: %v to %v, want it within %v to %v", what, lo, hi, least, most)
	}
}

// Disconnected comes 2T/3 after the last word. The session lives for T after the last touch,
// which is at most a message before that word if the reply was not lost, so T/3 are left.
func TestStoppingOnSuspendedLeavesAThirdOfTheTimeout(t *testing.T) {
	for _, recipe := range []int64{interProcessMutex, leaderLatch, plain} {
		all := silences(t, map[string]int64{"recipe": recipe})
		lo, hi := extremes(all, func(s silence) time.Duration { return s.invalid.Sub(s.heard) })
		want(t, "disconnected after the last word", lo, hi, 2*T/3, 2*T/3+2*ms)
		lo, hi = extremes(all, silence.overlap)
		want(t, "overlap", lo, hi, -T/3-3*tickTime/2-slack, -T/3+slack)
	}
}

// LOST comes T after Disconnected, so 5T/3 after the last word: 2T/3 too late, less what the
// session outlives its timeout. A client of 3.9.2 does not end its session before.
func TestStoppingOnLostOverlapsByTwoThirds(t *testing.T) {
	all := silences(t, map[string]int64{"stop-on": onLost, "client-version": 1})
	lo, hi := extremes(all, func(s silence) time.Duration { return s.invalid.Sub(s.heard) })
	want(t, "lost after the last word", lo, hi, 5*T/3, 5*T/3+2*ms)
	lo, hi = extremes(all, silence.overlap)
	want(t, "overlap", lo, hi, 2*T/3-3*tickTime/2-slack, 2*T/3)
	if hi < 2*T/3-second || lo > 2*T/3-2*second {
		t.Errorf("overlaps of %v to %v do not reach the bounds", lo, hi)
	}
}

// A client of 3.9.3 expires by itself after 4T/3, at which it looks when its second attempt
// to connect times out: Disconnected at 2T/3, and twice a pause of up to a second and T/3. So
// the overlap is up to T/3 as one would think, and up to two seconds more.
func TestStoppingOnExpiredOverlapsByAThirdAndTwoPauses(t *testing.T) {
	for _, params := range []map[string]int64{
		{"recipe": plain, "stop-on": onExpired},
		{"stop-on": onLost}, // Curator hears of Expired, before SUSPENDED has lasted for T
	} {
		all := silences(t, params)
		lo, hi := extremes(all, func(s silence) time.Duration { return s.invalid.Sub(s.heard) })
		want(t, "expired after the last word", lo, hi, 4*T/3, 4*T/3+2*reconnectPause+2*ms)
		lo, hi = extremes(all, silence.overlap)
		want(t, "overlap", lo, hi, T/3-3*tickTime/2-slack, T/3+2*reconnectPause)
		if hi <= T/3 {
			t.Errorf("no overlap is longer than T/3, the longest is %v", hi)
		}
	}
}

// Before 3.9.3 the bare client learns only from a server that its session is over. And who
// stops on nothing never stops.
func TestSilenceWithoutAnEnd(t *testing.T) {
	for _, params := range []map[string]int64{
		{"recipe": plain, "stop-on": onExpired, "client-version": 1},
		{"recipe": plain, "stop-on": never},
		{"recipe": interProcessMutex, "stop-on": never},
	} {
		r := newRig(t, 2, params)
		r.Lock(0, second, 0)
		waiter := r.Lock(1, 2*second, 0)
		r.Run(5 * second)
		heal := r.partition(0)
		if got := r.invalidAt(0, 300*second); got != sim.Forever {
			t.Errorf("%v: stopped at %v", params, got)
		}
		if waiter.Acquired == 0 || !r.exclusion.Violated() {
			t.Error("nobody else was let in")
		}
		heal()
		r.Run(320 * second)
		if stops := !r.valid(0); stops != (params["stop-on"] == onExpired) {
			t.Errorf("%v: after the partition it has stopped: %v", params, stops)
		}
	}
}

// A holder that sleeps past its session finds the connection closed when it wakes, so it
// knows at once that it is Disconnected. That it has Expired a client of 3.9.2 learns from
// the next server: after a pause of up to a second, which is longer than the two round trips
// of the protocol. One of 3.9.3 knows by itself, before the pause if its timer comes first.
func TestResidualBeliefAfterAPause(t *testing.T) {
	for _, c := range []struct {
		wake        host.Wake
		stop        int64
		version     int64
		least, most time.Duration // of the longest
	}{
		{host.DueOrder, onSuspended, 0, 0, 0},
		{host.TimersFirst, onSuspended, 1, 0, 0},
		{host.MessagesFirst, onSuspended, 0, 0, 0},
		{host.DueOrder, onLost, 0, 0, 0},
		{host.MessagesFirst, onLost, 0, reconnectPause / 2, reconnectPause},
		{host.DueOrder, onLost, 1, reconnectPause / 2, reconnectPause + slack},
		{host.MessagesFirst, onLost, 1, reconnectPause / 2, reconnectPause + slack},
	} {
		r := newRig(t, 2, map[string]int64{"stop-on": c.stop, "client-version": c.version})
		r.Fleet.Wake = c.wake
		longest := time.Duration(0)
		for seed := uint64(1); seed <= 20; seed++ {
			r.reset(seed)
			holder, waiter := r.Lock(0, second, 0), r.Lock(1, 2*second, 0)
			r.Run(5*second + time.Duration(seed)*211*ms)
			r.Env.Clients[0].Pause(at(40 * second))
			r.Run(40*second - ms)
			if !r.valid(0) || waiter.Acquired == 0 || waiter.Token <= holder.Token {
				t.Fatalf("valid %v, waiter acquired %v, tokens %d and %d", r.valid(0), waiter.Acquired, holder.Token, waiter.Token)
			}
			r.Run(40 * second)
			longest = max(longest, r.invalidAt(0, 60*second).Sub(at(40*second)))
		}
		want(t, "believed after waking for at most", longest, longest, c.least, c.most)
	}
}

// Curator's LOST is measured by the wall clock: one that is set back while SUSPENDED lasts
// puts it off by as much. Set forward, it changes nothing, as nobody looks earlier.
func TestWallClockMovesLost(t *testing.T) {
	for _, c := range []struct{ step, late time.Duration }{{-25 * second, 25 * second}, {30 * second, 0}} {
		r := newRig(t, 1, map[string]int64{"stop-on": onLost, "client-version": 1})
		r.Lock(0, second, 0)
		r.Run(5 * second)
		r.partition(0)
		r.Run(14 * second)
		if !r.system().clients[0].suspended.on {
			t.Fatal("the client is not suspended")
		}
		since := r.system().clients[0].suspended.since
		r.Env.Clients[0].Clock.Step(c.step)
		lost := r.invalidAt(0, 120*second)
		r.within("lost", lost, sim.Time(since).Add(T+c.late), sim.Time(since).Add(T+c.late+2*ms))
	}
}
