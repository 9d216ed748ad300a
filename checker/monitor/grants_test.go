package monitor

import (
	"testing"

	"fencepost/sim"
	"fencepost/sim/history"
)

func broken(at, to sim.Time, first, second int) Finding {
	return Finding{Kind: "promise-broken", At: at, From: at, To: to,
		First: history.HoldID(first), Second: history.HoldID(second)}
}

func TestGrants(t *testing.T) {
	endless := sim.Forever
	for _, c := range []twins{{
		name: "a promise is over at the instant at which it ends",
		good: []history.Record{grant(0, 1, 10*s), grant(10*s, 2, 20*s)},
		bad:  []history.Record{grant(0, 1, 10*s), grant(10*s-1, 2, 20*s)},
		want: []Finding{broken(10*s-1, 10*s, 1, 2)},
	}, {
		name: "a release that has begun ends the promise, also at the same instant; the end of a belief does not",
		good: []history.Record{grant(0, 1, 10*s), end(5*s, 1), release(5*s, 1), grant(5*s, 2, 20*s)},
		bad:  []history.Record{grant(0, 1, 10*s), end(5*s, 1), grant(5*s, 2, 20*s), release(5*s, 1)},
		want: []Finding{broken(5*s, 10*s, 1, 2)},
	}, {
		name: "a crash ends a promise without end, but not a lease",
		good: []history.Record{grant(0, 1, endless), crash(5*s, 1), grant(5*s, 2, endless)},
		bad:  []history.Record{grant(0, 1, 10*s), crash(5*s, 1), grant(5*s, 2, 20*s)},
		want: []Finding{broken(5*s, 10*s, 1, 2)},
	}, {
		name: "a crash of somebody else ends nothing",
		bad:  []history.Record{grant(0, 1, endless), crash(5*s, 3), grant(5*s, 2, endless)},
		want: []Finding{broken(5*s, endless, 1, 2)},
	}, {
		name: "who has crashed is promised nothing without end, but a lease",
		good: []history.Record{crash(0, 1), grant(1*s, 1, endless), grant(2*s, 2, endless)},
		bad:  []history.Record{crash(0, 1), grant(1*s, 1, 10*s), grant(2*s, 2, 20*s)},
		want: []Finding{broken(2*s, 10*s, 1, 2)},
	}, {
		name: "a renewal extends the promise",
		good: []history.Record{grant(0, 1, 10*s), renew(5*s, 1, 15*s), grant(15*s, 2, 25*s)},
		bad:  []history.Record{grant(0, 1, 10*s), renew(5*s, 1, 15*s), grant(14*s, 2, 24*s)},
		want: []Finding{broken(14*s, 15*s, 1, 2)},
	}, {
		name: "a renewal after the end of the promise is a promise again",
		bad:  []history.Record{grant(0, 1, 10*s), grant(11*s, 2, 12*s), renew(13*s, 1, 20*s), grant(14*s, 3, 20*s)},
		want: []Finding{broken(14*s, 20*s, 1, 3)},
	}, {
		name: "a renewal after the release began promises nothing",
		good: []history.Record{grant(0, 1, 10*s), release(5*s, 1), renew(6*s, 1, 16*s), grant(7*s, 2, 17*s)},
		bad:  []history.Record{grant(0, 1, 10*s), renew(6*s, 1, 16*s), grant(7*s, 2, 17*s)},
		want: []Finding{broken(7*s, 16*s, 1, 2)},
	}, {
		name: "who gave up and releases is promised nothing by its own late request; who only gave up is",
		good: []history.Record{giveUp(1*s, 1), release(1*s, 1), grant(2*s, 1, 12*s), grant(3*s, 2, 13*s)},
		bad:  []history.Record{giveUp(1*s, 1), grant(2*s, 1, 12*s), grant(3*s, 2, 13*s)},
		want: []Finding{broken(3*s, 12*s, 1, 2)},
	}, {
		name: "the end on the service's side, whatever its reason, does not end the promise",
		bad:  []history.Record{grant(0, 1, 10*s), gone(5*s, 1), grant(5*s, 2, 20*s)},
		want: []Finding{broken(5*s, 10*s, 1, 2)},
	}, {
		name: "the same hold is let in again: its own promise is not broken, and the new one counts",
		good: []history.Record{grant(0, 1, 10*s), release(1*s, 1), grant(2*s, 1, 12*s)},
		bad:  []history.Record{grant(0, 1, 10*s), release(1*s, 1), grant(2*s, 1, 12*s), grant(11*s, 2, 21*s)},
		want: []Finding{broken(11*s, 12*s, 1, 2)},
	}, {
		name: "two holds of one executor are two holds",
		bad:  []history.Record{grant(0, 1, 10*s), of(2, history.Record{At: 5 * s, Kind: history.Grant, Executor: 1, Until: 15 * s})},
		want: []Finding{broken(5*s, 10*s, 1, 2)},
	}, {
		name: "each broken promise is a finding",
		bad:  []history.Record{grant(0, 1, 10*s), grant(1*s, 2, 20*s), grant(2*s, 3, 30*s)},
		want: []Finding{broken(1*s, 10*s, 1, 2), broken(2*s, 10*s, 1, 3), broken(2*s, 20*s, 2, 3)},
	}} {
		c.check(t, &Grants{}, func() {})
	}
}
