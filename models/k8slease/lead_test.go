package k8slease

import (
	"errors"
	"testing"
	"time"

	"fencepost/models"
	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/host"
)

// believes watches what a client's library tells its program, every millisecond from an
// instant on, and returns until when that is yes.
func (r *rig) believes(client int, from time.Duration) *sim.Time {
	last := new(sim.Time)
	var look func()
	look = func() {
		if now := r.World.Now(); r.Lockers[client].Valid(nil) {
			*last = now
			r.At(time.Duration(now)+ms, look)
		}
	}
	r.At(from, look)
	return last
}

// A leader that was stopped for longer than its lease is told of that only at the renew
// deadline, which begins when it goes on: 10 s after a pause. A suspended machine sleeps the
// rest of its 2 s first. IsLeader knows at the first reply.
func TestResidualBelief(t *testing.T) {
	asleep := renewal(2) + 2*ms // its clock stands from right after a renewal
	for _, c := range []struct {
		name    string
		ask     int64
		suspend bool
		after   time.Duration
	}{
		{"pause", askContext, false, 10 * second},
		{"suspend", askContext, true, 12 * second},
		{"pause, is-leader", askIsLeader, false, 2 * ms},
		{"suspend, both", askBoth, true, 2*second + 4*ms}, // its own clock has it lead still: an update is refused first
	} {
		r := newRig(t, 2, given{"ask": c.ask}.quick())
		holder, other := r.Lock(0, 0, 0), r.Lock(1, 100*ms, 0)
		r.At(asleep+ms, func() {
			if c.suspend {
				r.Env.Clients[0].Suspend(at(40 * second))
			} else {
				r.Env.Clients[0].Pause(at(40 * second))
			}
		})
		until := r.believes(0, 30*second)
		r.Run(60 * second)
		between(t, c.name+": client 2 acquired", other.Acquired, at(asleep+15*second), at(asleep+15*second+2*quickLag+10*ms))
		between(t, c.name+": believed until", *until, at(40*second+c.after-2*ms), at(40*second+c.after))
		if c.ask == askContext {
			between(t, c.name+": stopped", r.stopped(holder), *until, until.Add(ms))
		}
		if r.Grants.Violated() || !r.Exclusion.Violated() {
			t.Errorf("%s: grants %v, exclusion %v", c.name, r.Grants.Findings(), r.Exclusion.Findings())
		}
	}
}

// A pause between two attempts of one poll ends with its deadline long past: nothing is
// left to wait for.
func TestPauseWithinAPoll(t *testing.T) {
	r := newRig(t, 1, nil)
	u := r.Lock(0, 0, 0)
	r.At(renewal(2)+2*ms, func() { r.cutOff(0) })
	r.At(renewal(3)+ms, func() { r.Env.Clients[0].Pause(at(40 * second)) })
	r.Run(60 * second)
	equal(t, "stopped", r.stopped(u), at(40*second))
}

// A leader that has lost the lease goes on polling, and may find it free: it leads again in
// the same term, under another token than its program has, and nobody tells the program.
func TestRegainsTheLeaseInOneTerm(t *testing.T) {
	r := newRig(t, 2, given{"release-on-cancel": releaseOnCancel, "token": tokenTransitions}.quick())
	holder, other := r.Lock(0, 0, 0), r.Lock(1, 100*ms, 25*second)
	r.At(renewal(2)+10*ms, func() { r.Env.Clients[0].Pause(at(40 * second)) })
	r.Run(80 * second)
	grants := r.Records(holder.Hold, history.Grant)
	if len(grants) != 2 || r.stopped(holder) != 0 || !r.Lockers[0].Valid(nil) {
		t.Fatalf("grants %+v, stopped at %v", grants, r.stopped(holder))
	}
	between(t, "regained", grants[1].At, other.Released, other.Released.Add(2*second+4*ms))
	if holder.Token != 1 || other.Token != 2 || grants[1].Token != 3 {
		t.Errorf("tokens %d, %d and %d", holder.Token, other.Token, grants[1].Token)
	}
}

// Cut off right after a renewal, the leader stops a retry period and a renew deadline after
// the last reply, 12 s. Nobody can have seen that renewal before it was applied, 1 ms before
// the reply, so there are 3 s left.
func TestSilentPartition(t *testing.T) {
	r := newRig(t, 2, given{}.quick())
	holder, other := r.Lock(0, 0, 0), r.Lock(1, 100*ms, 0)
	reply := renewal(2) + 2*ms
	r.At(reply+ms, func() { r.cutOff(0) })
	r.Run(60 * second)
	equal(t, "stopped", r.stopped(holder), at(reply+2*second+10*second))
	between(t, "client 2 granted", r.Want(other.Hold, history.Grant).At, at(reply-ms+15*second), at(reply+15*second+2*quickLag))
	if r.Grants.Violated() {
		t.Errorf("grants %v", r.Grants.Findings())
	}
}

// slowToStop makes a client acquire at once and work until its library tells it to stop, and for
// so long after that.
func (r *rig) slowToStop(client int, latency time.Duration) history.HoldID {
	hold := r.Recorder.NewHold(client, history.Executor(client+1))
	add := func(k history.Kind) { r.Recorder.Add(history.Record{Kind: k, Hold: hold}) }
	r.Env.Clients[client].Go("client", func(p *host.Process) {
		add(history.Attempt)
		_, _ = r.Lockers[client].Acquire(p, hold)
		add(history.BeliefBegin)
		for r.Lockers[client].Valid(p) {
			p.Sleep(ms)
		}
		p.Sleep(latency)
		add(history.BeliefEnd)
	})
	return hold
}

// OnStoppedLeading begins a shutdown that waits for something, and the program leads on
// meanwhile (cilium/cilium pull request 42920). That takes the 5 s between renew deadline and
// lease for its grace. It has 3 s: the deadline begins a retry period after the last renewal.
func TestProgramThatIsSlowToStop(t *testing.T) {
	reply := renewal(2) + 2*ms
	for _, latency := range []time.Duration{0, 2900 * ms, 3500 * ms, 5 * second, 30 * second} {
		r := newRig(t, 2, given{}.quick())
		holder, other := r.slowToStop(0, latency), r.Lock(1, 100*ms, 0)
		r.At(reply+ms, func() { r.cutOff(0) })
		r.Run(60 * second)
		stopped := r.Want(holder, history.BeliefEnd).At
		between(t, "stopped", stopped, at(reply+12*second+latency), at(reply+12*second+latency+ms))
		overlap, longest := stopped.Sub(other.Acquired), latency-3*second
		if overlap > longest+ms || overlap < longest-2*quickLag-ms {
			t.Errorf("latency %v: overlap %v, want %v and up to %v less", latency, overlap, longest, 2*quickLag)
		}
		if r.Grants.Violated() || r.Exclusion.Violated() != (overlap > 0) {
			t.Errorf("latency %v: grants %v, exclusion %v", latency, r.Grants.Findings(), r.Exclusion.Findings())
		}
	}
}

// The other question has the other weakness: a leader that is cut off reads nobody else's
// name, and IsLeader stays true for ever. A program that asks both has none of the two.
func TestWhatTheProgramAsksInAPartition(t *testing.T) {
	reply := renewal(2) + 2*ms
	for ask, want := range map[int64]time.Duration{askContext: reply + 12*second, askIsLeader: 100 * second, askBoth: reply + 12*second} {
		r := newRig(t, 1, given{"ask": ask})
		r.Lock(0, 0, 0)
		r.At(reply+ms, func() { r.cutOff(0) })
		until := r.believes(0, 10*second)
		r.Run(100 * second)
		between(t, askParam.Choices[ask]+": believed until", *until, at(want-ms), at(want))
	}
}

// No request outlives the renew deadline.
func TestDeadlineEndsARequest(t *testing.T) {
	r := newRig(t, 1, given{"timeout": int64(60 * second)})
	u := r.Lock(0, 0, 0)
	r.At(renewal(2)+3*ms, func() { r.cutOff(0) })
	r.Run(30 * second)
	equal(t, "stopped", r.stopped(u), at(renewal(3)+10*second))
}

// The reply to a renewal that the program has cancelled makes nobody a leader again.
func TestReplyAfterTheRelease(t *testing.T) {
	r := newRig(t, 1, given{"release-on-cancel": releaseOnCancel})
	r.At(renewal(2), func() { r.holdReply(0, renewal(2)+second) })
	u := r.Lock(0, 0, renewal(2)+6*ms) // the renewal is applied
	r.Run(10 * second)
	if e := r.Lockers[0].(*elector); e.isLeader() || u.Err != nil {
		t.Errorf("released with %v, and leads: %v", u.Err, e.isLeader())
	}
	r.Sound()
}

// The reply to the last renewal takes d: the leader counts from the reply, and believes for
// 12 s + d from when it was applied. The other one is in after 15 s and its lag of up to
// 2·222 ms. So the overlap is d - 3 s less the lag. A request takes 5 s at most.
func TestSlowReplyThenPartition(t *testing.T) {
	for _, d := range []time.Duration{2500 * ms, 4 * second, 4900 * ms} {
		r := newRig(t, 2, given{}.quick())
		holder, other := r.Lock(0, 0, 0), r.Lock(1, 100*ms, 0)
		applied := renewal(2) + ms
		r.At(renewal(2), func() { r.holdReply(0, applied+d) })
		r.At(applied+d+ms, func() { r.cutOff(0) })
		r.Run(60 * second)
		stopped, granted := r.stopped(holder), r.Want(other.Hold, history.Grant).At
		equal(t, "stopped", stopped, at(applied+d+12*second))
		between(t, "granted", granted, at(applied+15*second), at(applied+15*second+2*quickLag))
		if overlap := stopped.Sub(granted); (overlap > 0) != (d > 3*second) || overlap > d-3*second || overlap < d-3*second-2*quickLag {
			t.Errorf("d %v: overlap %v", d, overlap)
		}
	}
}

// With a reply that takes longer than a request may, the leader asks again and learns that
// its update was applied.
func TestReplySlowerThanTheTimeout(t *testing.T) {
	r := newRig(t, 1, nil)
	u := r.Lock(0, 0, 0)
	r.At(renewal(2), func() { r.holdReply(0, renewal(2)+5100*ms) })
	r.Run(20 * second)
	// The get waits behind the late reply on the same connection, for 98 ms.
	promises := r.Records(u.Hold, history.Promise)
	equal(t, "renewed", promises[3].At, at(renewal(2)+5100*ms+ms))
	if r.stopped(u) != 0 {
		t.Errorf("stopped at %v", r.stopped(u))
	}
	r.Sound()
}

// With ReleaseOnCancel, a leader that is cut off tries to give the lease back before its
// program is told to stop: that takes a request's 5 s, and 12 s become 17 s, more than the
// lease. The overlap is 2 s less the lag of the other one.
func TestReleaseOnCancelDelaysTheLossSignal(t *testing.T) {
	r := newRig(t, 2, given{"release-on-cancel": releaseOnCancel}.quick())
	holder, other := r.Lock(0, 0, 0), r.Lock(1, 100*ms, 0)
	reply := renewal(2) + 2*ms
	r.At(reply+ms, func() { r.cutOff(0) })
	until := r.believes(0, 10*second)
	r.Run(60 * second)
	equal(t, "stopped", r.stopped(holder), at(reply+17*second))
	between(t, "believed until", *until, at(reply+17*second-ms), at(reply+17*second))
	granted := r.Want(other.Hold, history.Grant).At
	between(t, "client 2 granted", granted, at(reply+15*second-ms), at(reply+15*second+2*quickLag))
	if r.Grants.Violated() || len(r.Records(holder.Hold, history.ReleaseBegin)) != 0 {
		t.Errorf("grants %v", r.Grants.Findings())
	}
}

// The release gets through and its reply does not: the program is told 5 s after the lease
// was given back, and the other one does not wait for that.
func TestReleasedBeforeTheProgramIsTold(t *testing.T) {
	r := newRig(t, 2, given{"release-on-cancel": releaseOnCancel}.quick())
	holder, other := r.Lock(0, 0, 0), r.Lock(1, 100*ms, 0)
	gaveUp := renewal(3) + 10*second
	var heal func()
	r.At(renewal(3), func() { heal = r.cutOff(0) })
	r.At(gaveUp, func() { heal() })
	r.At(gaveUp+3*ms, func() { r.Cut(r.Server("apiserver", 0), r.Env.Clients[0]) })
	r.Run(60 * second)
	r.ended(t, holder, at(gaveUp+3*ms), "released")
	equal(t, "begins to release", r.Want(holder.Hold, history.ReleaseBegin).At, at(gaveUp+2*ms))
	equal(t, "stopped", r.stopped(holder), at(gaveUp+2*ms+5*second))
	between(t, "client 2 granted", r.Want(other.Hold, history.Grant).At, at(gaveUp+3*ms), at(gaveUp+2*quickLag))
	if r.Grants.Violated() || !r.Exclusion.Violated() {
		t.Errorf("grants %v, exclusion %v", r.Grants.Findings(), r.Exclusion.Findings())
	}
}

// A program that releases while the library does so by itself waits for that.
func TestReleaseWhileGivingUp(t *testing.T) {
	r := newRig(t, 1, given{"release-on-cancel": releaseOnCancel})
	gaveUp := renewal(3) + 10*second
	u := r.Lock(0, 0, gaveUp+second-4*ms)
	r.At(renewal(3), func() { r.cutOff(0) })
	r.Run(60 * second)
	equal(t, "released", u.Released, at(gaveUp+5*second))
	if !errors.Is(u.Err, models.ErrNotHeld) {
		t.Errorf("released with %v", u.Err)
	}
}

// A leader that has read another's name, and gives up at last, releases nothing.
func TestDeposedLeaderReleasesNothing(t *testing.T) {
	r := newRig(t, 2, given{"release-on-cancel": releaseOnCancel}.quick())
	holder, other := r.Lock(0, 0, 55*second), r.Lock(1, 100*ms, 0)
	r.At(renewal(2)+10*ms, func() { r.Env.Clients[0].Pause(at(40 * second)) })
	r.Run(80 * second)
	equal(t, "stopped", r.stopped(holder), at(50*second+2*ms)) // it has looked whose the record is
	if !errors.Is(holder.Err, models.ErrNotHeld) || len(r.Records(other.Hold, history.ServiceEnd)) != 0 {
		t.Errorf("released with %v", holder.Err)
	}
}
