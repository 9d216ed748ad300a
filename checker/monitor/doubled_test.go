package monitor

import (
	"testing"

	"fencepost/sim/history"
)

// performs begins the effect of a job, which goes on for so many seconds.
func performs(at, hold int, job int64, seconds int) history.Record {
	return of(hold, history.Record{At: sec(at), Kind: history.Perform, Effect: history.OutsideEffect, Content: job, Until: sec(at + seconds)})
}

// appends puts an entry behind another.
func appends(at, hold int, value, base int64) history.Record {
	r := write(at, hold, value, base)
	r.Change = history.Appends
	return r
}

func doneAgain(at, first, second int, job int64) Finding {
	return Finding{Kind: "doubled-effect", At: sec(at), From: sec(at), To: sec(at), First: history.HoldID(first), Second: history.HoldID(second), Job: job}
}

func atOnce(at, to, first, second int) Finding {
	return Finding{Kind: "doubled-effect", At: sec(at), From: sec(at), To: sec(to), First: history.HoldID(first), Second: history.HoldID(second)}
}

func enteredTwice(at, hold int, value int64) Finding {
	return Finding{Kind: "doubled-effect", At: sec(at), From: sec(at), To: sec(at), First: history.HoldID(hold), Second: history.HoldID(hold),
		Change: history.Appends, Written: value}
}

func TestDoubledEffect(t *testing.T) {
	for _, c := range []twins{{
		name: "a job is done once, whoever does it",
		good: in(performs(1, 1, 1, 0), performs(2, 2, 2, 0), performs(3, 1, 3, 0)),
		bad:  in(performs(1, 1, 1, 0), performs(2, 2, 1, 0)),
		want: []Finding{doneAgain(2, 1, 2, 1)},
	}, {
		name: "also by one hold",
		good: in(performs(1, 1, 1, 0), performs(2, 1, 2, 0)),
		bad:  in(performs(1, 1, 1, 0), performs(2, 1, 1, 0)),
		want: []Finding{doneAgain(2, 1, 1, 1)},
	}, {
		name: "in no order: an earlier job that comes late is not done yet",
		good: in(performs(1, 2, 2, 0), performs(2, 1, 1, 0)),
	}, {
		name: "a third time is a finding of its own, against the second",
		bad:  in(performs(1, 1, 1, 0), performs(2, 2, 1, 0), performs(3, 3, 1, 0)),
		want: []Finding{doneAgain(2, 1, 2, 1), doneAgain(3, 2, 3, 1)},
	}, {
		name: "what goes on excludes what another hold begins, until the instant at which it is over",
		good: in(performs(1, 1, 1, 5), performs(6, 2, 2, 5)),
		bad:  in(performs(1, 1, 1, 5), performs(5, 2, 2, 5)),
		want: []Finding{atOnce(5, 6, 1, 2)},
	}, {
		name: "they go on at once until the first of them is over",
		bad:  in(performs(1, 1, 1, 9), performs(2, 2, 2, 3)),
		want: []Finding{atOnce(2, 5, 1, 2)},
	}, {
		name: "also what takes no time, while another's goes on",
		good: in(performs(1, 1, 1, 0), performs(1, 2, 2, 0)),
		bad:  in(performs(1, 1, 1, 9), performs(2, 2, 2, 0)),
		want: []Finding{atOnce(2, 2, 1, 2)},
	}, {
		name: "a hold's own effects may go on at once",
		good: in(performs(1, 1, 1, 5), performs(2, 1, 2, 5)),
	}, {
		name: "but not beside another's, though its own goes on longest",
		bad:  in(performs(1, 1, 1, 9), performs(2, 2, 2, 4), performs(3, 1, 3, 1)),
		want: []Finding{atOnce(2, 6, 1, 2), atOnce(3, 4, 2, 1)},
	}, {
		name: "a job that is done again while it goes on is one finding",
		bad:  in(performs(1, 1, 1, 5), performs(2, 2, 1, 5)),
		want: []Finding{doneAgain(2, 1, 2, 1)},
	}, {
		name: "an entry stands in the log once",
		good: in(read(0, 1, 0), appends(1, 1, 1, 0), appends(2, 1, 2, 1)),
		bad:  in(read(0, 1, 0), appends(1, 1, 1, 0), appends(2, 1, 1, 1)),
		want: []Finding{enteredTwice(2, 1, 1)},
	}, {
		name: "a copy that comes after the entry of another is behind what its hold has not seen, too",
		bad:  in(read(0, 1, 0), appends(1, 1, 1, 0), read(2, 2, 1), appends(3, 2, 2, 1), appends(4, 1, 1, 2)),
		want: []Finding{appendedUnseen(4, 2, 1, 2, 1, 1), enteredTwice(4, 1, 1)},
	}, {
		name: "what replaces, and is applied twice, leaves what it left",
		good: in(read(0, 1, 0), write(1, 1, 1, 0), write(2, 1, 1, 1)),
	}} {
		c.check(t, &Resource{}, func() {})
	}
}

// appendedUnseen is a lost update of a log.
func appendedUnseen(at, first, second int, replaced, seen, written int64) Finding {
	f := lost(at, first, second, replaced, seen, written)
	f.Change = history.Appends
	return f
}

// A monitor that is reset knows no job and no entry of the run before.
func TestDoubledEffectAfterReset(t *testing.T) {
	m := &Resource{}
	records := in(performs(1, 1, 1, 50), appends(2, 1, 1, 0))
	for range 2 {
		observe(m, records)
		if m.Violated() {
			t.Fatalf("%+v", m.Findings())
		}
	}
	if observe(m, in(performs(3, 2, 2, 1))); m.Violated() {
		t.Errorf("an effect of the run before goes on: %+v", m.Findings())
	}
}
