package monitor

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"fencepost/sim/history"
)

// drawRequests draws what a resource served to holds that are let in again and again.
func drawRequests(t *rapid.T) (records []history.Record) {
	value := int64(0)
	for i := range rapid.IntRange(0, 40).Draw(t, "steps") {
		hold := rapid.IntRange(1, 4).Draw(t, "hold")
		switch rapid.IntRange(0, 2).Draw(t, "kind") {
		case 0:
			records = append(records, grant(sec(i), hold, sec(i)))
		case 1:
			records = append(records, read(i, hold, max(0, value-int64(rapid.SampledFrom([]int{0, 0, 0, 1, 2}).Draw(t, "age")))))
		case 2:
			records = append(records, write(i, hold, value+1, value))
			value++
		}
	}
	return records
}

// The oracle asks of each request what was served before it, from the beginning.
func TestResourceAgainstOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		records := drawRequests(t)
		ordered := rapid.SampledFrom([][]history.Effect{nil, fenceWrites, fenceBoth}).Draw(t, "ordered")
		m := &Resource{Ordered: ordered, Newest: rapid.Bool().Draw(t, "newest")}
		observe(m, records)
		var want []Finding
		losses := 0
		for k, r := range records {
			if hold, is := laterServed(records[:k], r, ordered); is {
				want = append(want, stale(k, int(r.Hold), int(hold)))
			}
			if f, is := staleRead(records[:k], r); is && m.Newest {
				want = append(want, f)
			}
			if f, is := lostUpdate(records[:k], r); is {
				want, losses = append(want, f), losses+1
			}
		}
		if m.LostUpdates != losses {
			t.Fatalf("%d lost updates, want %d", m.LostUpdates, losses)
		}
		sameFindings(t, m.Findings(), m.total, want)
	})
}

// laterServed finds the latest hold that was served before, in the order of grants at
// the time when it was served, if it is later than that of the request.
func laterServed(before []history.Record, r history.Record, ordered []history.Effect) (history.HoldID, bool) {
	position := last(before, r.Hold, history.Grant)
	if !slices.Contains(ordered, r.Effect) || position < 0 {
		return 0, false
	}
	latest := position
	for j, served := range before {
		if slices.Contains(ordered, served.Effect) {
			latest = max(latest, last(before[:j], served.Hold, history.Grant))
		}
	}
	if latest == position {
		return 0, false
	}
	return before[latest].Hold, true
}

// staleRead compares a read with the last write before it.
func staleRead(before []history.Record, r history.Record) (Finding, bool) {
	writer, newest := 0, int64(0)
	for _, w := range before {
		if w.Kind == history.Write {
			writer, newest = int(w.Hold), w.Value
		}
	}
	return old(int(r.At/s), writer, int(r.Hold), newest, r.Value), r.Kind == history.Read && r.Value != newest
}

// lostUpdate finds out whether what a writer last read or wrote is not what another's write
// has left, which it replaces.
func lostUpdate(before []history.Record, r history.Record) (Finding, bool) {
	if r.Kind != history.Write || last(before, r.Hold, history.Read) < 0 {
		return Finding{}, false
	}
	since := last(before, r.Hold, history.Read, history.Write)
	for j := len(before) - 1; j >= 0; j-- {
		if before[j].Kind == history.Write {
			if before[j].Hold == r.Hold || before[j].Value == before[since].Value {
				break
			}
			return lost(int(r.At/s), int(before[j].Hold), int(r.Hold), before[j].Value, before[since].Value, r.Value), true
		}
	}
	return Finding{}, false
}
