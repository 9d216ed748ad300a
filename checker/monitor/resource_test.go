package monitor

import (
	"testing"

	"fencepost/sim/history"
)

var (
	fenceWrites = []history.Effect{history.WriteEffect}
	fenceBoth   = []history.Effect{history.ReadEffect, history.WriteEffect}
)

func read(at int, hold int, value int64) history.Record {
	return of(hold, history.Record{At: sec(at), Kind: history.Read, Effect: history.ReadEffect, Value: value})
}

func write(at int, hold int, value, base int64) history.Record {
	return of(hold, history.Record{At: sec(at), Kind: history.Write, Effect: history.WriteEffect, Value: value, Base: base})
}

func lost(at, first, second int, replaced, seen, written int64) Finding {
	return Finding{Kind: "lost-update", At: sec(at), From: sec(at), To: sec(at), First: history.HoldID(first),
		Second: history.HoldID(second), Replaced: replaced, Seen: seen, Written: written}
}

func old(at, writer, reader int, newest, seen int64) Finding {
	return Finding{Kind: "stale-read", At: sec(at), From: sec(at), To: sec(at), First: history.HoldID(writer),
		Second: history.HoldID(reader), Newest: newest, Seen: seen}
}

func stale(at, first, second int) Finding {
	return Finding{Kind: "stale-order", At: sec(at), From: sec(at), To: sec(at),
		First: history.HoldID(first), Second: history.HoldID(second)}
}

// in puts the grants of holds 1, 2 and 3 before the records.
func in(records ...history.Record) []history.Record {
	return append([]history.Record{grant(0, 1, s), grant(0, 2, s), grant(0, 3, s)}, records...)
}

func TestLostUpdate(t *testing.T) {
	for _, c := range []twins{{
		name: "a write replaces what its own read has not seen",
		good: in(read(1, 1, 0), write(2, 1, 1, 0), read(3, 2, 1), write(4, 2, 2, 1)),
		bad:  in(read(1, 1, 0), read(2, 2, 0), write(3, 1, 1, 0), write(4, 2, 2, 1)),
		want: []Finding{lost(4, 1, 2, 1, 0, 2)},
	}, {
		name: "the late write of an earlier holder replaces that of a later one",
		bad:  in(read(1, 1, 0), read(2, 2, 0), write(3, 2, 1, 0), write(4, 1, 2, 1)),
		want: []Finding{lost(4, 2, 1, 1, 0, 2)},
	}, {
		name: "a late write harms nobody before a later hold has read",
		good: in(read(1, 1, 0), write(9, 1, 1, 0), read(10, 2, 1), write(11, 2, 2, 1)),
	}, {
		name: "a holder may write often, but not over another's write",
		good: in(read(1, 1, 0), write(2, 1, 1, 0), write(3, 1, 2, 1)),
		bad:  in(read(1, 1, 0), write(2, 1, 1, 0), read(3, 2, 1), write(4, 2, 2, 1), write(5, 1, 3, 2)),
		want: []Finding{lost(5, 2, 1, 2, 1, 3)},
	}, {
		name: "a read alone loses nothing, a write that was based on no read replaces what it will",
		good: in(read(1, 1, 0), read(2, 2, 0), write(3, 2, 1, 0), write(4, 3, 2, 1)),
	}, {
		name: "who reads again sees what the other wrote",
		good: in(read(1, 1, 0), read(2, 2, 0), write(3, 2, 1, 0), read(4, 1, 1), write(5, 1, 2, 1)),
	}, {
		name: "a rejected write replaces nothing",
		good: in(read(1, 1, 0), read(2, 2, 0), of(1, history.Record{Kind: history.Reject, Effect: history.WriteEffect}), write(4, 2, 1, 0)),
	}} {
		c.check(t, &Resource{}, func() {})
		for _, ordered := range [][]history.Effect{nil, fenceWrites, fenceBoth} { // judged under every guard
			m := &Resource{Ordered: ordered}
			if observe(m, c.bad); m.LostUpdates != len(c.want) {
				t.Errorf("%s: %d lost updates counted, want %d", c.name, m.LostUpdates, len(c.want))
			}
		}
	}
}

func TestStaleOrder(t *testing.T) {
	twoWrites := in(write(1, 2, 1, 0), write(2, 1, 2, 1))
	readThenWrite := in(read(1, 2, 0), write(2, 1, 1, 0))
	writeThenRead := in(write(1, 2, 1, 0), read(2, 1, 1))
	twoReads := in(read(1, 2, 0), read(2, 1, 0))
	for _, c := range []struct {
		twins
		ordered []history.Effect
	}{
		{twins{name: "no guard, no order", good: twoWrites}, nil},
		{twins{name: "no guard, no order", good: readThenWrite}, nil},
		{twins{name: "writes are ordered", good: in(write(1, 1, 1, 0), write(2, 2, 2, 1)), bad: twoWrites, want: []Finding{stale(2, 1, 2)}}, fenceWrites},
		{twins{name: "a read raises nothing", good: readThenWrite}, fenceWrites},
		{twins{name: "a read is not checked", good: writeThenRead}, fenceWrites},
		{twins{name: "two writes", bad: twoWrites, want: []Finding{stale(2, 1, 2)}}, fenceBoth},
		{twins{name: "a read raises", bad: readThenWrite, want: []Finding{stale(2, 1, 2)}}, fenceBoth},
		{twins{name: "a read is checked", bad: writeThenRead, want: []Finding{stale(2, 1, 2)}}, fenceBoth},
		{twins{name: "two reads", bad: twoReads, want: []Finding{stale(2, 1, 2)}}, fenceBoth},
		{twins{name: "the same hold again", good: in(read(1, 2, 0), write(2, 2, 1, 0), write(3, 2, 2, 1))}, fenceBoth},
		{twins{name: "the latest of those served is named",
			bad: in(write(1, 3, 1, 0), write(2, 2, 2, 1), write(3, 1, 3, 2)), want: []Finding{stale(2, 2, 3), stale(3, 1, 3)}}, fenceWrites},
		{twins{name: "late, but no later hold has touched the resource",
			good: in(write(90, 1, 1, 0), write(91, 2, 2, 1))}, fenceBoth},
		{twins{name: "a rejected request has touched nothing",
			good: in(of(2, history.Record{Kind: history.Reject, Effect: history.WriteEffect}), write(2, 1, 1, 0))}, fenceBoth},
		{twins{name: "who was never let in has no place in the order",
			good: in(write(2, 2, 1, 0), write(3, 4, 2, 1))}, fenceBoth},
		{twins{name: "who is let in again is the later one",
			good: in(grant(1, 1, s), write(2, 2, 1, 0), write(3, 1, 2, 1)), bad: in(grant(1, 1, s), write(2, 1, 1, 0), write(3, 2, 2, 1)),
			want: []Finding{stale(3, 2, 1)}}, fenceWrites},
	} {
		c.check(t, &Resource{Ordered: c.ordered}, func() {})
	}
}

func TestStaleRead(t *testing.T) {
	for _, c := range []twins{{
		name: "a read of a value that was replaced",
		good: in(write(1, 1, 1, 0), read(2, 2, 1)),
		bad:  in(write(1, 1, 1, 0), read(2, 2, 0)),
		want: []Finding{old(2, 1, 2, 1, 0)},
	}, {
		name: "also by its own hold, and of its own",
		bad:  in(write(1, 1, 1, 0), write(2, 1, 2, 1), read(3, 1, 1)),
		want: []Finding{old(3, 1, 1, 2, 1)},
	}, {
		name: "of a value that nobody wrote",
		bad:  in(read(1, 2, 7)),
		want: []Finding{old(1, 0, 2, 0, 7)},
	}, {
		name: "the newest value is right, whoever reads it and however late",
		good: in(write(1, 2, 1, 0), read(90, 1, 1), read(91, 3, 1)),
	}, {
		name: "a rejected write is no newer value",
		good: in(write(1, 1, 1, 0), of(2, history.Record{Kind: history.Reject, Effect: history.WriteEffect, Value: 2}), read(3, 2, 1)),
	}} {
		m := &Resource{Newest: true}
		c.check(t, m, func() {})
		if m.StaleReads != len(c.want) || m.LostUpdates != 0 {
			t.Errorf("%s: %d stale reads and %d lost updates, want %d and none", c.name, m.StaleReads, m.LostUpdates, len(c.want))
		}
		m.Newest = false
		if observe(m, c.bad); m.Violated() {
			t.Errorf("%s: %+v, though nobody promised it", c.name, m.Findings())
		}
	}
}
