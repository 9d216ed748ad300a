package redlock

import (
	"testing"
	"time"

	"fencepost/models/modeltest"
	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/rng"
)

// Redlock in the simulator beside the published rules of published_test.go: the same servers,
// clients and TTL, a second for a tick. What the rules do in one step takes messages here, and
// what they call a clock that lags is a clock that stands or runs slow; a pause is no fault of
// the clock.

const tick = second

// newPublishedRig has the bounds of the published rules, which ask one instance after the
// other and allow nothing for drift.
func newPublishedRig(t *testing.T) *modeltest.Judged {
	t.Helper()
	return modeltest.NewJudged(t, New(), publishedClients, map[string]int64{
		"servers": publishedInstances, "ttl": int64(publishedTTL * tick),
		"order": int64(sequential) + 1, "drift": 0, "drift-fixed": 0,
	})
}

// runPublished runs for as long as the published rules let time go on.
func runPublished(r *modeltest.Judged) { r.Run(publishedEnd * tick) }

// holder is a client that acquires once.
type holder struct {
	at, length time.Duration
	// stops has it end when its own clock has reached its deadline, should that be earlier.
	stops bool
}

// goOn is longer than a run.
const goOn = 2 * publishedEnd * tick

// start lets a client be a holder, and sets when it got the lock.
func (h holder) start(r *modeltest.Judged, client int) (got *sim.Time) {
	hold := r.Recorder.NewHold(client, history.Executor(client+1))
	add := func(k history.Kind) { r.Recorder.Add(history.Record{Kind: k, Hold: hold}) }
	got = new(sim.Time)
	r.Env.Clients[client].Go(clientName(client), func(p *host.Process) {
		p.Sleep(h.at)
		add(history.Attempt)
		l := r.Lockers[client].(*library)
		if _, err := l.Acquire(p, hold); err != nil {
			panic(err) // it tries for ever
		}
		*got = r.World.Now()
		add(history.BeliefBegin)
		length := h.length
		if h.stops {
			length = min(length, l.deadline-l.now(p))
		}
		p.Sleep(length)
		add(history.BeliefEnd)
		add(history.ReleaseBegin)
		_ = l.Release(p)
	})
	return got
}

// stall stops a client until an instant, and its clock as well if that is to lag.
func stall(r *modeltest.Judged, client int, until time.Duration, lags bool) {
	h := r.Env.Clients[client]
	if lags {
		h.Freeze()
		r.At(until, h.Thaw) // first, so that the clock goes when the program does
	}
	h.Pause(sim.Time(until))
}

// othersTurn is when the second client comes, to whom the first one's keys are gone.
const othersTurn = publishedTTL*tick + 100*ms

// sound is the one variant of which the search finds no broken state.
var sound = variant{stops: true}

// One run for each way in which the published rules break, and its twin that keeps exclusion.
// Those that the search finds are among them: a holder that outlives its TTL, and a client
// that is slow to ask and does not know.
//
// The simulator tells more than the rules. It has a pause without a fault of the clock: the
// elapsed check sees one while the client asks, and nobody sees one while it holds, so that a
// holder that means to stop is then one that does not. And it asks whether a promise was
// broken, which is so only where a late client is let in beside another.
func TestPublishedRuns(t *testing.T) {
	for _, c := range []struct {
		name   string
		rules  variant // under which the same can happen
		stops  bool
		stage  func(r *modeltest.Judged)
		grants bool // violated
	}{
		{"a holder that outlives its TTL", variant{}, false, nil, false},
		{"a holder that stops", sound, true, nil, false},
		{"a holder that would stop and is paused", variant{}, true, stallHolding, false},
		{"pauses between two servers", sound, true, stallAsking(false), false},
		{"pauses between two servers, and the clock stands", asPublished, false, stallAsking(true), true},
		{"the same, and holders that stop", variant{lags: true, stops: true}, true, stallAsking(true), true},
		{"a holder that stops by a clock at half speed", variant{lags: true, stops: true}, true, halfSpeed, false},
	} {
		r := newPublishedRig(t)
		if c.stage != nil {
			c.stage(r)
		}
		holder{0, goOn, c.stops}.start(r, 0)
		other := holder{othersTurn, goOn, c.stops}.start(r, 1)
		runPublished(r)
		if got := r.Exclusion.Violated(); got != (c.rules != sound) {
			t.Errorf("%s: two holders: %t, want %t", c.name, got, c.rules != sound)
		}
		if got := r.Grants.Violated(); got != c.grants {
			t.Errorf("%s: a promise broken: %t, want %t", c.name, got, c.grants)
		}
		if *other == 0 {
			t.Errorf("%s: the second client never got in", c.name)
		}
	}
}

// stallAsking is what the search finds for clocks that lag. The first client stalls when one
// server has said yes, until that key is gone, and when the next one has. The other client
// then gets the first and the last server, and each has heard two of three say yes.
func stallAsking(lags bool) func(r *modeltest.Judged) {
	return func(r *modeltest.Judged) {
		r.OnStep(0, stepServer, func() {
			stall(r, 0, othersTurn, lags)
			r.OnStep(0, stepServer, func() { stall(r, 0, othersTurn+100*ms, lags) })
		})
	}
}

// stallHolding pauses the first client while it holds, until its deadline is over.
func stallHolding(r *modeltest.Judged) { r.At(tick, func() { stall(r, 0, 5*tick, false) }) }

func halfSpeed(r *modeltest.Judged) { r.Env.Clients[0].SetRate(-500_000_000) }

// randomly is a trial with drawn starts and lengths, in which clients stall in their attempts,
// servers stand still for a while, and messages are slow. No stall covers the time in which
// a client holds: the rules have no such thing. It reports whether both got the lock.
func (v variant) randomly(r *modeltest.Judged, seed uint64) (both bool) {
	draw := r.Begin(seed)
	some := func(what string, lo, hi time.Duration) time.Duration {
		return time.Duration(draw(what, int(lo/ms), int(hi/ms))) * ms
	}
	var got [publishedClients]*sim.Time
	for client, h := range r.Env.Clients {
		if v.lags && draw("slow clock", 0, 1) == 1 {
			h.SetRate(-100_000_000 * int64(draw("tenths", 1, 9)))
		}
		for _, step := range []string{"acquire.send", stepServer, "acquire.reply"} {
			v.stallAt(r, draw, client, step)
		}
		use := holder{some("at", 0, 4*tick), some("length", 100*ms, 2*publishedTTL*tick), v.stops}
		got[client] = use.start(r, client)
	}
	for i := range publishedInstances {
		server := r.Server("redis", i)
		for _, h := range r.Env.Clients {
			delay := rng.Exponential(some("delay", ms, 30*ms))
			r.Net.SetDelay(h.ID, server.ID, delay)
			r.Net.SetDelay(server.ID, h.ID, delay)
		}
		at := some("stands at", 0, publishedEnd*tick)
		until := at + some("for", 0, publishedTTL*tick)
		r.At(at, func() { server.Pause(sim.Time(until)) })
	}
	runPublished(r)
	return *got[0] != 0 && *got[1] != 0
}

// stallAt has a client stall at every fourth pass, or so, of a step of its attempts.
func (v variant) stallAt(r *modeltest.Judged, draw modeltest.Draw, client int, step string) {
	var pass func()
	pass = func() {
		r.OnStep(client, step, pass)
		if draw("stall", 0, 3) == 0 {
			until := r.World.Now().Duration() + time.Duration(draw("ms", 1, 4000))*ms
			stall(r, client, until, v.lags && draw("clock stands", 0, 1) == 1)
		}
	}
	r.OnStep(client, step, pass)
}

// With right clocks and holders that stop, exclusion holds in every random run, as it does in
// the whole space of the published rules. It is not for want of trying: draws of the same
// kind break it under each of the other variants, both clients get the lock in many runs, and
// many attempts are refused because the elapsed check finds them late.
func TestPublishedRulesAtRandom(t *testing.T) {
	modeltest.ManyTrials(t)
	const trials = 3000
	r := newPublishedRig(t)
	for _, v := range []variant{asPublished, {}, sound, {lags: true, stops: true}} {
		broken, both, refused := 0, 0, 0
		for seed := range uint64(trials) {
			if v.randomly(r, seed) {
				both++
			}
			if r.Exclusion.Violated() {
				broken++
			}
			refused += refusals(r)
		}
		t.Logf("%+v: of %d runs %d broken, %d with both, %d attempts too late", v, trials, broken, both, refused)
		if v == sound && broken > 0 || v != sound && broken < trials/50 {
			t.Errorf("%+v: %d runs of %d are broken", v, broken, trials)
		}
		if both < trials/10 || refused < trials/50 {
			t.Errorf("%+v: %d runs of %d in which both get the lock, %d attempts too late", v, both, trials, refused)
		}
	}
}

// refusals counts the attempts that had a majority and no validity left.
func refusals(r *modeltest.Judged) (n int) {
	for _, rec := range r.Recorder.Records {
		if rec.Kind == history.Refuse {
			n++
		}
	}
	return n
}
