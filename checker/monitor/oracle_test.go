package monitor

import (
	"cmp"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fencepost/sim"
	"fencepost/sim/history"
)

// sameFindings compares what a monitor kept with all that an oracle found, whatever
// the order among findings of one record.
func sameFindings(t *rapid.T, got []Finding, total int, want []Finding) {
	if total != len(want) {
		t.Fatalf("%d findings, want %d\n got %+v\nwant %+v", total, len(want), got, want)
	}
	if total > MaxFindings {
		return
	}
	order := func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.First, b.First), cmp.Compare(a.Second, b.Second),
			cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.From, b.From))
	}
	got = slices.SortedFunc(slices.Values(got), order)
	slices.SortFunc(want, order)
	if !slices.Equal(got, want) {
		t.Fatalf("\n got %+v\nwant %+v", got, want)
	}
}

// At each grant, every other hold is looked up from the beginning.
func TestGrantsAgainstOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		records := drawHistory(t)
		var want []Finding
		for k, r := range records {
			if r.Kind != history.Grant {
				continue
			}
			for hold, e := range holdsOf(records[:k]) {
				if until := promised(records[:k], hold, e); hold != r.Hold && until > r.At {
					want = append(want, broken(r.At, until, int(hold), int(r.Hold)))
				}
			}
		}
		m := &Grants{}
		observe(m, records)
		sameFindings(t, m.Findings(), m.total, want)
	})
}

// promised is the end of the promise to a hold, 0 if there is none.
func promised(records []history.Record, hold history.HoldID, e history.Executor) sim.Time {
	granted, released := last(records, hold, history.Grant), last(records, hold, history.ReleaseBegin)
	promise := last(records, hold, history.Grant, history.Promise)
	switch {
	case promise < 0, released > granted:
		return 0
	case last(records, hold, history.GiveUp) >= 0 && released > last(records, hold, history.GiveUp):
		return 0 // a late request of its own, before its release comes through
	case records[promise].Until == sim.Forever && crashed(records, e) >= 0:
		return 0
	}
	return records[promise].Until
}

// Beliefs are intervals of positions in the history; all pairs are compared.
func TestExclusionAgainstOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		records := drawHistory(t)
		m := &Exclusion{}
		observe(m, records)
		beliefs := beliefsOf(records)
		var want []Finding
		for j, b := range beliefs {
			for _, a := range beliefs[:j] {
				if a.end < b.begin {
					continue
				}
				f := Finding{Kind: "overlap", At: records[b.begin].At, From: records[b.begin].At, To: sim.Forever, First: a.hold, Second: b.hold}
				last := min(a.end, b.end)
				if last < len(records) {
					f.To = records[last].At
				}
				for _, r := range records[b.begin:last] {
					f.FirstActed = f.FirstActed || r.Kind == history.Request && r.Hold == a.hold
					f.SecondActed = f.SecondActed || r.Kind == history.Request && r.Hold == b.hold
				}
				want = append(want, f)
			}
		}
		sameFindings(t, m.Findings(), m.total, want)
		m.Finish(lastAt(records))
		if got := overlapOf(records, beliefs); m.Overlap != got {
			t.Fatalf("%v of overlap, want %v", m.Overlap, got)
		}
	})
}

// overlapOf adds up the time between records at which more than one belief was held.
func overlapOf(records []history.Record, beliefs []interval) (total time.Duration) {
	for i := 1; i < len(records); i++ {
		held := 0
		for _, b := range beliefs {
			if b.begin < i && b.end >= i {
				held++
			}
		}
		if held > 1 {
			total += records[i].At.Sub(records[i-1].At)
		}
	}
	return total
}

func lastAt(records []history.Record) sim.Time {
	if len(records) == 0 {
		return 0
	}
	return records[len(records)-1].At
}

type interval struct {
	hold       history.HoldID
	begin, end int
}

// beliefsOf returns all beliefs in the order in which they begin. One that does not end
// ends after the last record.
func beliefsOf(records []history.Record) (all []interval) {
	for i, r := range records {
		if r.Kind != history.BeliefBegin {
			continue
		}
		end := i + 1
		for end < len(records) && !(records[end].Executor == r.Executor &&
			(records[end].Kind == history.Crash || records[end].Kind == history.BeliefEnd && records[end].Hold == r.Hold)) {
			end++
		}
		all = append(all, interval{r.Hold, i, end})
	}
	return all
}

// Between any two records, it is asked again of every hold whether it was live.
func TestProgressAgainstOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		records := drawHistory(t)
		takeover := time.Duration(rapid.IntRange(0, 4).Draw(t, "takeover")) * time.Second
		ends := lastAt(records) + sec(rapid.IntRange(0, 9).Draw(t, "more"))
		m := &Progress{Takeover: takeover, StarvedAfter: rapid.IntRange(0, 2).Draw(t, "starved after")}
		observe(m, records)
		m.Finish(ends)
		o := oracle{records, sim.Time(takeover + Grace)}
		var want []Finding
		for k := range records {
			want = append(want, o.judge(k)...)
			want = append(want, o.starved(k, m.StarvedAfter)...)
		}
		want = append(want, o.stuck(len(records), ends, func(history.Record) bool { return true }, 1)...)
		sameFindings(t, m.Findings(), m.total, want)
	})
}

// oracle judges progress at each record from all that came before.
type oracle struct {
	records []history.Record
	limit   sim.Time
}

func (o *oracle) judge(k int) []Finding {
	r := o.records[k]
	anybody := func(history.Record) bool { return true }
	switch r.Kind {
	case history.Grant:
		return o.stuck(k, r.At, anybody, 1)
	case history.Promise:
		if len(o.live(k, r.At)) == 0 && len(o.live(k+1, r.At)) > 0 {
			return o.stuck(k, r.At, anybody, 1)
		}
	case history.GiveUp, history.BeliefBegin:
		return o.stuck(k, r.At, func(try history.Record) bool { return try.Hold == r.Hold }, 99)
	case history.Pause, history.Crash:
		return o.stuck(k, r.At, func(try history.Record) bool { return try.Executor == r.Executor }, 99)
	case history.ServiceEnd:
		return o.serviceEnd(k)
	}
	return nil
}

// stuck returns who has been stuck before record k, at most so many.
func (o *oracle) stuck(k int, now sim.Time, who func(history.Record) bool, most int) (all []Finding) {
	for _, try := range o.tries(k) {
		since := max(try.At, o.lastLive(k, now))
		if who(try) && now-since > o.limit && len(all) < most {
			all = append(all, stuck(since, now, int(try.Hold)))
		}
	}
	return all
}

// tries returns the attempts that are going on before record k, each at the instant
// from which on it was not paused.
func (o *oracle) tries(k int) (open []history.Record) {
	for i, r := range o.records[:k] {
		if r.Kind != history.Attempt {
			continue
		}
		over := false
		for _, later := range o.records[i:k] {
			over = over || later.Hold == r.Hold && (later.Kind == history.GiveUp || later.Kind == history.BeliefBegin) ||
				later.Executor == r.Executor && later.Kind == history.Crash
			if later.Kind == history.Pause && later.Executor == r.Executor {
				r.At = max(r.At, later.Until)
			}
		}
		if !over {
			open = append(open, r)
		}
	}
	return open
}

// lastLive is the last instant up to now at which a hold was live, or was let in.
func (o *oracle) lastLive(k int, now sim.Time) (latest sim.Time) {
	for j := 1; j <= k; j++ {
		from, to := o.records[j-1].At, now
		if j < k {
			to = o.records[j].At
		}
		if o.records[j-1].Kind == history.Grant {
			latest = max(latest, from)
		}
		for _, until := range o.live(j, from) {
			latest = max(latest, min(until, to))
		}
	}
	return latest
}

// starved returns who is passed over once too often by record k.
func (o *oracle) starved(k, most int) (all []Finding) {
	for _, try := range o.tries(k) {
		if n := o.passed(k+1, try.Hold); most > 0 && n == most+1 && n > o.passed(k, try.Hold) {
			asked := o.records[last(o.records, try.Hold, history.Attempt)].At
			all = append(all, starved(asked, o.records[k].At, int(try.Hold), int(o.records[k].Hold), n))
		}
	}
	return all
}

// passed counts in the first k records the grants to holds that were asked for after one, when
// both were being tried and its client was not paused, since it was last let in itself.
func (o *oracle) passed(k int, hold history.HoldID) (n int) {
	for j, r := range o.records[:k] {
		tries := o.tries(j)
		mine := slices.IndexFunc(tries, func(t history.Record) bool { return t.Hold == hold })
		its := slices.IndexFunc(tries, func(t history.Record) bool { return t.Hold == r.Hold })
		if r.Kind == history.Grant && r.Hold == hold {
			n = 0
		}
		if r.Kind == history.Grant && mine >= 0 && its > mine && tries[mine].At <= r.At {
			n++
		}
	}
	return n
}

// live returns until when the holds are live that are so after the first j records, at
// an instant, if nothing else happens.
func (o *oracle) live(j int, now sim.Time) (until []sim.Time) {
	seen := o.records[:j]
	for hold, e := range holdsOf(seen) {
		granted, promise := last(seen, hold, history.Grant), last(seen, hold, history.Grant, history.Promise)
		gone := crashed(seen, e) >= 0 || last(seen, hold, history.GiveUp) >= 0
		switch {
		case promise < 0 || last(seen, hold, history.ReleaseBegin) > granted:
		case !gone:
			until = append(until, sim.Forever)
		case last(seen, hold, history.ServiceEnd) > granted:
		case seen[promise].Until > now && seen[promise].Until < sim.Forever:
			until = append(until, seen[promise].Until)
		}
	}
	return until
}

func (o *oracle) serviceEnd(k int) []Finding {
	r, seen := o.records[k], o.records[:k]
	granted, promise := last(seen, r.Hold, history.Grant), last(seen, r.Hold, history.Grant, history.Promise)
	gone, ownerless := o.ownerless(k, r.Hold, r.Executor, granted)
	switch {
	case !ownerless && promise >= 0 && r.At < seen[promise].Until:
		return []Finding{lostEarly(r.At, seen[promise].Until, int(r.Hold))}
	case !ownerless:
		return nil
	}
	for _, try := range o.tries(k) {
		if r.At-max(gone, try.At) > o.limit {
			return []Finding{endedLate(gone, r.At, int(r.Hold))}
		}
	}
	return nil
}

// ownerless returns since when a hold that was let in has been released, given up or
// without a process.
func (o *oracle) ownerless(k int, hold history.HoldID, e history.Executor, granted int) (sim.Time, bool) {
	seen := o.records[:k]
	if last(seen, hold, history.ReleaseBegin) > granted {
		return seen[last(seen, hold, history.ReleaseBegin, history.ReleaseEnd)].At, true
	}
	at, is := sim.Forever, false
	if i := last(seen, hold, history.GiveUp); i >= 0 {
		at, is = seen[i].At, true
	}
	if i := crashed(seen, e); i >= 0 {
		at, is = min(at, seen[i].At), true
	}
	return max(at, seen[granted].At), is
}
