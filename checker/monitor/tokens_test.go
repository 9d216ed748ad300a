package monitor

import (
	"testing"

	"pgregory.net/rapid"

	"fencepost/sim"
	"fencepost/sim/history"
)

// let lets a hold in with a token.
func let(t sim.Time, hold int, token int64) history.Record {
	return of(hold, history.Record{At: t, Kind: history.Grant, Until: t + s, Token: token})
}

// trust begins a belief in a token.
func trust(t sim.Time, hold int, token int64) history.Record {
	return of(hold, history.Record{At: t, Kind: history.BeliefBegin, Token: token})
}

// low is a finding about two holds and their tokens.
func low(kind string, at sim.Time, first, second int, token, lower int64) Finding {
	return Finding{Kind: kind, At: at, From: at, To: at, First: history.HoldID(first), Second: history.HoldID(second),
		FirstToken: token, SecondToken: lower}
}

func TestGrantOrder(t *testing.T) {
	for _, c := range []twins{{
		name: "a token that repeats",
		good: []history.Record{let(0, 1, 5), let(s, 2, 6)},
		bad:  []history.Record{let(0, 1, 5), let(s, 2, 5)},
		want: []Finding{low("grant-order", s, 1, 2, 5, 5)},
	}, {
		name: "a token that falls, however far back the higher one is",
		bad:  []history.Record{let(0, 1, 7), let(s, 2, 5), let(2*s, 3, 6)},
		want: []Finding{low("grant-order", s, 1, 2, 7, 5), low("grant-order", 2*s, 1, 3, 7, 6)},
	}, {
		name: "the same hold is let in again with its token or a higher one, not with a lower one",
		good: []history.Record{let(0, 1, 5), let(s, 1, 5), let(2*s, 1, 6), let(3*s, 2, 7)},
		bad:  []history.Record{let(0, 1, 5), let(s, 1, 4)},
		want: []Finding{low("grant-order", s, 1, 1, 5, 4)},
	}, {
		name: "the same hold again, but another was let in between",
		bad:  []history.Record{let(0, 1, 5), let(s, 2, 6), let(2*s, 1, 5)},
		want: []Finding{low("grant-order", 2*s, 2, 1, 6, 5)},
	}, {
		name: "of two with the highest token, the other one is named",
		bad:  []history.Record{let(0, 1, 5), let(s, 2, 5), let(2*s, 1, 5)},
		want: []Finding{low("grant-order", s, 1, 2, 5, 5), low("grant-order", 2*s, 2, 1, 5, 5)},
	}, {
		name: "a hold without a token is left out, and a renewal is no grant",
		good: []history.Record{let(0, 1, 5), let(s, 2, 0), of(1, history.Record{At: s, Kind: history.Promise, Token: 3}), let(2*s, 3, 6)},
	}, {
		name: "the release of a hold makes its token no older",
		bad:  []history.Record{let(0, 1, 5), release(s, 1), gone(s, 1), back(s, 1), crash(s, 1), let(2*s, 2, 4)},
		want: []Finding{low("grant-order", 2*s, 1, 2, 5, 4)},
	}} {
		c.check(t, &Tokens{}, func() {})
	}
}

func TestBeliefOrder(t *testing.T) {
	for _, c := range []twins{{
		name: "a token that repeats",
		good: []history.Record{trust(0, 1, 5), end(s, 1), trust(2*s, 2, 6)},
		bad:  []history.Record{trust(0, 1, 5), end(s, 1), trust(2*s, 2, 5)},
		want: []Finding{low("belief-order", 2*s, 1, 2, 5, 5)},
	}, {
		name: "beliefs that overlap are not compared; at one instant order decides",
		good: []history.Record{trust(0, 1, 5), trust(s, 2, 4), end(s, 1), end(2*s, 2)},
		bad:  []history.Record{trust(0, 1, 5), end(s, 1), trust(s, 2, 4)},
		want: []Finding{low("belief-order", s, 1, 2, 5, 4)},
	}, {
		name: "a crash ends a belief, that of another executor does not",
		good: []history.Record{trust(0, 1, 5), crash(s, 3), trust(2*s, 2, 4)},
		bad:  []history.Record{trust(0, 1, 5), crash(s, 1), trust(2*s, 2, 4)},
		want: []Finding{low("belief-order", 2*s, 1, 2, 5, 4)},
	}, {
		name: "the same hold resumes with its token, unless another had a higher one meanwhile",
		good: []history.Record{trust(0, 1, 5), end(s, 1), trust(2*s, 1, 5), end(3*s, 1), trust(4*s, 2, 6)},
		bad:  []history.Record{trust(0, 1, 5), end(s, 1), trust(2*s, 2, 6), end(3*s, 2), trust(4*s, 1, 5)},
		want: []Finding{low("belief-order", 4*s, 2, 1, 6, 5)},
	}, {
		name: "a reply that comes late: the service counted rightly, the belief is too late",
		bad:  []history.Record{let(0, 1, 5), gone(s, 1), let(2*s, 2, 6), trust(2*s, 2, 6), end(3*s, 2), trust(4*s, 1, 5)},
		want: []Finding{low("belief-order", 4*s, 2, 1, 6, 5)},
	}, {
		name: "a late reply to a holder while another believes is a matter of exclusion",
		good: []history.Record{let(0, 1, 5), let(2*s, 2, 6), trust(2*s, 2, 6), trust(3*s, 1, 5), end(4*s, 2), end(5*s, 1)},
	}, {
		name: "a belief without a token is left out",
		good: []history.Record{trust(0, 1, 5), end(s, 1), trust(s, 2, 0), end(2*s, 2), trust(2*s, 3, 6)},
	}, {
		name: "the highest token that has ended counts, not the last one",
		bad:  []history.Record{trust(0, 1, 7), trust(0, 2, 5), end(s, 1), end(2*s, 2), trust(3*s, 3, 6)},
		want: []Finding{low("belief-order", 3*s, 1, 3, 7, 6)},
	}} {
		m := &Tokens{}
		c.check(t, m, func() {})
		if m.BeliefOrder != len(c.want) {
			t.Errorf("%s: %d counted, want %d", c.name, m.BeliefOrder, len(c.want))
		}
	}
}

// Where nobody has a token, nothing was compared.
func TestTokensSeen(t *testing.T) {
	m := &Tokens{}
	if observe(m, cycles(3)); m.Seen != 0 {
		t.Errorf("%d tokens seen, want none", m.Seen)
	}
	if observe(m, []history.Record{let(0, 1, 5), trust(s, 1, 5)}); m.Seen != 2 {
		t.Errorf("%d tokens seen, want 2", m.Seen)
	}
}

// The oracle compares each grant and each belief with all before it.
func TestTokensAgainstOracle(t *testing.T) {
	violated := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		records := drawHistory(t)
		for i := range records {
			if k := records[i].Kind; k == history.Grant || k == history.BeliefBegin {
				records[i].Token = int64(rapid.IntRange(0, 1+i/4).Draw(t, "token"))
			}
		}
		var want []Finding
		for k, r := range records {
			if r.Token == 0 {
				continue
			}
			kind, before := "grant-order", grantsOf(records[:k])
			if r.Kind == history.BeliefBegin {
				kind, before = "belief-order", endedOf(records[:k])
			}
			if first, token, is := tooLow(before, r); is {
				want = append(want, low(kind, r.At, int(first), int(r.Hold), token, r.Token))
				violated[kind]++
			}
		}
		m := &Tokens{}
		observe(m, records)
		sameFindings(t, m.Findings(), m.total, want)
	})
	if !testing.Short() && (violated["grant-order"] == 0 || violated["belief-order"] == 0) {
		t.Errorf("the histories are of one kind: %v", violated)
	}
}

// grantsOf returns the grants of a history.
func grantsOf(records []history.Record) (all []history.Record) {
	for _, r := range records {
		if r.Kind == history.Grant {
			all = append(all, r)
		}
	}
	return all
}

// endedOf returns the beginnings of those beliefs that have ended, in the order of their ends.
func endedOf(records []history.Record) (all []history.Record) {
	beliefs := beliefsOf(records)
	for end := range records {
		for _, b := range beliefs {
			if b.end == end {
				all = append(all, records[b.begin])
			}
		}
	}
	return all
}

// tooLow looks for tokens that another hold has had and that are not below a record's, or
// that its own hold has had and that are above it. It names the first hold with the highest
// one; of two with the highest one, not the record's own.
func tooLow(before []history.Record, r history.Record) (hold history.HoldID, token int64, is bool) {
	for _, b := range before {
		token = max(token, b.Token)
	}
	for _, b := range before {
		if b.Token == token && (hold == 0 || hold == r.Hold && b.Hold != r.Hold) {
			hold = b.Hold
		}
		is = is || b.Hold != r.Hold && b.Token >= r.Token || b.Token > r.Token
	}
	return hold, token, is
}
