package monitor

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"fencepost/sim/history"
)

// drawn is what a resource serves to holds that are let in again and again.
type drawn struct {
	t       *rapid.T
	records []history.Record
	values  int64
	left    map[uint8]int64 // by object: the value that was written last
	gone    map[uint8]bool  // by object: it was deleted, and not made anew
}

const drawnHolds = 4

func drawRequests(t *rapid.T) []history.Record {
	d := &drawn{t: t, left: map[uint8]int64{}, gone: map[uint8]bool{}}
	objects := rapid.IntRange(1, 3).Draw(t, "objects")
	for i := range rapid.IntRange(0, 40).Draw(t, "steps") {
		r := history.Record{At: sec(i), Object: uint8(rapid.IntRange(0, objects-1).Draw(t, "object"))}
		switch rapid.IntRange(0, 3).Draw(t, "kind") {
		case 0:
			r = history.Record{At: r.At, Kind: history.Grant, Until: r.At}
		case 1:
			r.Kind, r.Effect = history.Read, history.ReadEffect
			r.Value = max(0, d.left[r.Object]-int64(rapid.SampledFrom([]int{0, 0, 0, 1, 2}).Draw(t, "age")))
		case 2:
			d.write(&r)
		case 3:
			r.Kind, r.Effect, r.Content = history.Perform, history.OutsideEffect, rapid.Int64Range(1, 12).Draw(t, "job")
			r.Until = r.At + sec(rapid.SampledFrom([]int{0, 0, 1, 3, 6}).Draw(t, "seconds"))
		}
		d.records = append(d.records, of(rapid.IntRange(1, drawnHolds).Draw(t, "hold"), r))
	}
	return d.records
}

// write draws a write: mostly a new one, and now and then one that was served before.
func (d *drawn) write(r *history.Record) {
	d.values++
	r.Kind, r.Effect, r.Value, r.Base = history.Write, history.WriteEffect, d.values, d.left[r.Object]
	r.Change = rapid.SampledFrom([]history.Change{history.Replaces, history.Counts, history.Appends, history.Refers,
		history.Deletes, history.Completes}).Draw(d.t, "change")
	if written := d.written(r.Object); len(written) > 0 && rapid.IntRange(0, 5).Draw(d.t, "copy") == 0 {
		of := rapid.SampledFrom(written).Draw(d.t, "of")
		r.Value, r.Change = of.Value, of.Change
	}
	switch {
	case r.Change == history.Deletes:
		d.gone[r.Object] = true
	case r.Change == history.Refers && (!d.gone[r.Object] || rapid.Bool().Draw(d.t, "makes it anew")):
		r.Content, d.gone[r.Object] = history.Referenced, false
	}
	d.left[r.Object] = r.Value
}

// written are the writes of an object so far.
func (d *drawn) written(object uint8) (all []history.Record) {
	for _, r := range d.records {
		if r.Kind == history.Write && r.Object == object {
			all = append(all, r)
		}
	}
	return all
}

// onObject are the records of one object, and those of none.
func onObject(records []history.Record, object uint8) (kept []history.Record) {
	for _, r := range records {
		if r.Kind == history.Grant || r.Object == object {
			kept = append(kept, r)
		}
	}
	return kept
}

// The oracle asks of each request what was served before it with the same object, from the beginning.
func TestResourceAgainstOracle(t *testing.T) {
	kinds := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		records := drawRequests(t)
		ordered := rapid.SampledFrom([][]history.Effect{nil, fenceWrites, fenceBoth,
			{history.WriteEffect, history.OutsideEffect}}).Draw(t, "ordered")
		m := &Resource{Ordered: ordered, Newest: rapid.Bool().Draw(t, "newest")}
		observe(m, records)
		var want []Finding
		losses, olds := 0, 0
		for k, r := range records {
			before, from := onObject(records[:k], r.Object), len(want)
			if hold, is := laterServed(before, r, ordered); is {
				want = append(want, stale(k, int(r.Hold), int(hold)))
			}
			if f, is := staleRead(before, r); is && m.Newest {
				want, olds = append(want, f), olds+1
			}
			if f, is := lostUpdate(before, r); is {
				want, losses = append(want, f), losses+1
			}
			want = append(want, doubledEffect(before, r)...)
			want = append(want, danglingReference(before, r)...)
			for i := from; i < len(want); i++ {
				want[i].Object = int(r.Object)
				kinds[want[i].Kind]++
			}
		}
		if m.LostUpdates != losses || m.StaleReads != olds {
			t.Fatalf("%d lost updates and %d stale reads, want %d and %d", m.LostUpdates, m.StaleReads, losses, olds)
		}
		sameFindings(t, m.Findings(), m.total, want)
	})
	for _, kind := range ResourceKinds {
		if kinds[kind] == 0 && !testing.Short() { // which draws few histories
			t.Errorf("no %s was drawn: %v", kind, kinds)
		}
	}
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
	replaces := r.Change == history.Replaces || r.Change == history.Counts || r.Change == history.Appends
	if r.Kind != history.Write || !replaces || last(before, r.Hold, history.Read) < 0 {
		return Finding{}, false
	}
	since := last(before, r.Hold, history.Read, history.Write)
	for j := len(before) - 1; j >= 0; j-- {
		if before[j].Kind == history.Write {
			if before[j].Hold == r.Hold || before[j].Value == before[since].Value {
				break
			}
			f := lost(int(r.At/s), int(before[j].Hold), int(r.Hold), before[j].Value, before[since].Value, r.Value)
			f.Change = r.Change
			return f, true
		}
	}
	return Finding{}, false
}

// doubledEffect looks for the same job, for what goes on, and for the same entry.
func doubledEffect(before []history.Record, r history.Record) (found []Finding) {
	again, longest := 0, history.Record{}
	for _, b := range before {
		switch {
		case r.Kind == history.Perform && b.Kind == history.Perform:
			if b.Content == r.Content {
				again = int(b.Hold)
			}
			if b.Hold != r.Hold && b.Until > max(r.At, longest.Until) {
				longest = b
			}
		case r.Kind == history.Write && r.Change == history.Appends && b.Change == history.Appends && b.Value == r.Value:
			return []Finding{enteredTwice(int(r.At/s), int(r.Hold), r.Value)}
		}
	}
	switch {
	case again != 0:
		return []Finding{doneAgain(int(r.At/s), again, int(r.Hold), r.Content)}
	case longest.Hold != 0:
		return []Finding{atOnce(int(r.At/s), int(min(longest.Until, r.Until)/s), int(longest.Hold), int(r.Hold))}
	}
	return nil
}

// danglingReference plays an object that is there or not, and the references to it that nobody
// has been told to be broken.
func danglingReference(before []history.Record, r history.Record) []Finding {
	var whole []history.HoldID
	deleted := history.HoldID(0)
	for _, b := range before {
		switch {
		case b.Kind == history.Write && b.Change == history.Deletes:
			whole, deleted = nil, b.Hold
		case b.Kind == history.Write && b.Change == history.Refers && b.Content != history.Gone:
			whole, deleted = append(whole, b.Hold), 0
		}
	}
	switch {
	case r.Kind != history.Write:
	case r.Change == history.Deletes && len(whole) > 0:
		return []Finding{dangling(int(r.At/s), int(whole[len(whole)-1]), int(r.Hold), r.Change)}
	case r.Change == history.Refers && r.Content == history.Gone && deleted != 0:
		return []Finding{dangling(int(r.At/s), int(deleted), int(r.Hold), r.Change)}
	}
	return nil
}
