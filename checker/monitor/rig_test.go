package monitor

import (
	"slices"
	"testing"

	"fencepost/sim"
	"fencepost/sim/history"
)

// s is a second of true time.
const s = sim.Time(1e9)

// judged is a monitor, as tests use it.
type judged interface {
	history.Observer
	Reset()
	Findings() []Finding
	Violated() bool
}

// observe shows records to a monitor that has seen another run before.
func observe(m judged, records []history.Record) []Finding {
	for _, k := range []history.Kind{history.Grant, history.BeliefBegin, history.Attempt} {
		m.Observe(&history.Record{Kind: k, Hold: 1, Executor: 1, Token: 99, Until: sim.Forever})
	}
	m.Observe(&history.Record{Kind: history.BeliefBegin, Hold: 3, Executor: 3})
	m.Observe(&history.Record{Kind: history.BeliefEnd, Hold: 3, Executor: 3, At: s})
	m.Observe(&history.Record{Kind: history.Read, Hold: 3, Executor: 3, Value: 99})
	m.Observe(&history.Record{Kind: history.Crash, Executor: 2})
	m.Observe(&history.Record{Kind: history.ReleaseBegin, Hold: 2, Executor: 2})
	m.Reset()
	for i := range records {
		m.Observe(&records[i])
	}
	return m.Findings()
}

// twins is one rule: a history that keeps it and one, hardly different, that does not.
type twins struct {
	name string
	good []history.Record
	bad  []history.Record
	want []Finding // of the bad one
}

func (c *twins) check(t *testing.T, m judged, finish func()) {
	t.Helper()
	for _, side := range []struct {
		records []history.Record
		want    []Finding
	}{{c.good, nil}, {c.bad, c.want}} {
		if side.records == nil {
			continue
		}
		observe(m, side.records)
		finish()
		if got := m.Findings(); !slices.Equal(got, side.want) || m.Violated() != (len(side.want) > 0) {
			t.Errorf("%s:\n got %+v\nwant %+v\n in %+v", c.name, got, side.want, side.records)
		}
	}
}

// The executor of a hold has its number, unless a record says otherwise.
func of(hold int, r history.Record) history.Record {
	r.Hold = history.HoldID(hold)
	if r.Executor == 0 {
		r.Executor = history.Executor(hold)
	}
	return r
}

func at(t sim.Time, k history.Kind, hold int) history.Record {
	return of(hold, history.Record{At: t, Kind: k})
}

func attempt(t sim.Time, hold int) history.Record { return at(t, history.Attempt, hold) }
func giveUp(t sim.Time, hold int) history.Record  { return at(t, history.GiveUp, hold) }
func begin(t sim.Time, hold int) history.Record   { return at(t, history.BeliefBegin, hold) }
func end(t sim.Time, hold int) history.Record     { return at(t, history.BeliefEnd, hold) }
func release(t sim.Time, hold int) history.Record { return at(t, history.ReleaseBegin, hold) }
func back(t sim.Time, hold int) history.Record    { return at(t, history.ReleaseEnd, hold) }
func gone(t sim.Time, hold int) history.Record    { return at(t, history.ServiceEnd, hold) }
func request(t sim.Time, hold int) history.Record { return at(t, history.Request, hold) }

func grant(t sim.Time, hold int, until sim.Time) history.Record {
	return of(hold, history.Record{At: t, Kind: history.Grant, Until: until})
}

func renew(t sim.Time, hold int, until sim.Time) history.Record {
	return of(hold, history.Record{At: t, Kind: history.Promise, Until: until})
}

func crash(t sim.Time, e int) history.Record {
	return history.Record{At: t, Kind: history.Crash, Executor: history.Executor(e)}
}

func pause(t sim.Time, e int, until sim.Time) history.Record {
	return history.Record{At: t, Kind: history.Pause, Executor: history.Executor(e), Until: until}
}

// sec is an instant in seconds.
func sec(n int) sim.Time { return s * sim.Time(n) }
