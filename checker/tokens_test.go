package checker

import (
	"testing"
	"time"

	"fencepost/sim"
	"fencepost/sim/history"
)

// let lets a hold in with a token, and no more.
func (x *run) let(t sim.Time, hold history.HoldID, token int64) *run {
	return x.add(t, history.Record{Kind: history.Grant, Hold: hold, Until: t + s, Token: token})
}

// trust begins a belief in a token.
func (x *run) trust(t sim.Time, hold history.HoldID, token int64) *run {
	return x.add(t, history.Record{Kind: history.BeliefBegin, Hold: hold, Token: token})
}

func TestTokens(t *testing.T) {
	for _, c := range []struct {
		name         string
		run          *run
		bound        string
		want         Status
		kind         string
		facts        TokenFacts
		text, blames string
	}{
		{name: "nobody has one", run: newRun().hold(0, 1, s, 0).release(s, 1), want: NotApplicable, blames: "Nobody: every property held."},
		{name: "nobody has one, up to a bound", run: newRun().hold(0, 1, s, 0).release(s, 1), bound: BoundUntil, want: NotApplicable},
		{name: "they rise", run: newRun().hold(0, 1, s, 4).release(s, 1).hold(2*s, 2, 3*s, 5).release(3*s, 2), want: OK, blames: "Nobody: every property held."},
		{name: "they rise, up to a bound", run: newRun().hold(0, 1, s, 4), bound: BoundUntil, want: Unknown},
		{name: "one repeats", run: newRun().hold(0, 1, s, 4).release(s, 1).hold(2*s, 2, 3*s, 4).release(3*s, 2), want: Violated, kind: "grant-order",
			facts: TokenFacts{Before: 4, Token: 4}, text: "at 2.000 s client 2 was let in with token 4, which is not above token 4 of client 1 before it",
			blames: "The tokens: at 2.000 s client 2 was let in with token 4, which is not above token 4 of client 1 before it. Comparing them does not tell the older holder from the newer."},
		{name: "one repeats, before a bound", run: newRun().let(0, 1, 4).let(0, 2, 4), bound: BoundUntil, want: Violated, kind: "grant-order",
			facts: TokenFacts{Before: 4, Token: 4}, text: "at 0.000 s client 2 was let in with token 4, which is not above token 4 of client 1 before it"},
		{name: "its own falls", run: newRun().let(0, 1, 4).let(s, 1, 3), want: Violated, kind: "grant-order",
			facts: TokenFacts{Before: 4, Token: 3}, text: "at 1.000 s client 1 was let in with token 3, which is not above token 4 of its own before"},
		{name: "a reply comes late", run: newRun().let(0, 1, 4).let(2*s, 2, 5).trust(2*s, 2, 5).release(3*s, 2).trust(4*s, 1, 4).release(5*s, 1),
			want: Violated, kind: "belief-order", facts: TokenFacts{Before: 5, Token: 4},
			text:   "at 4.000 s client 1 began to believe with token 4, which is not above token 5 of client 2 before it",
			blames: "The library of client 1: at 4.000 s client 1 began to believe with token 4, which is not above token 5 of client 2 before it. The service's own order was right."},
	} {
		v := c.run.verdict(t, 0, c.bound)
		if v.Tokens != c.want || c.run.Kinds()[Tokens] != c.kind {
			t.Errorf("%s: %s, %q, want %s, %q", c.name, v.Tokens, c.run.Kinds()[Tokens], c.want, c.kind)
		}
		if got := c.run.Cause(c.run.r, Setting{Guard: "none", HasToken: true, Bound: c.bound}).Text; c.blames != "" && got != c.blames {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.blames)
		}
		var told []Evidence
		for _, e := range c.run.Evidence(c.run.r) {
			if e.Property == Tokens {
				told = append(told, e)
			}
		}
		if c.want == Violated && (len(told) == 0 || *told[0].Tokens != c.facts || told[0].Text != c.text) {
			t.Errorf("%s:\n got %+v\nwant %+v, %s", c.name, told, c.facts, c.text)
		}
		if n := c.run.Harms(&v, Tokens); n != int64(len(told)) {
			t.Errorf("%s: %d harms, want %d", c.name, n, len(told))
		}
	}
}

// A stale read is a harm of its own: porcupine finds no order of the sections either, and no
// update needs to be lost for that.
func TestStaleReadIsNoDisagreement(t *testing.T) {
	x := newRun().hold(0, 1, 10*s, 0).read(s, 1, 0).send(s, 1, history.WriteEffect).write(2*s, 1, 1, 0).release(3*s, 1)
	x.hold(4*s, 2, 14*s, 0).read(5*s, 2, 0).release(6*s, 2)
	v := x.verdict(t, 1, "")
	e := x.Evidence(x.r)
	if v.Resource != Violated || v.LinearResource != Violated || len(e) != 1 || *e[0].Read != (ReadFacts{Value: 0, Newest: 1}) {
		t.Fatalf("%+v, %+v", v, e)
	}
	if want := "at 5.000 s the resource served client 2 v0, when the newest was v1 of client 1"; e[0].Text != want {
		t.Errorf("%q, want %q", e[0].Text, want)
	}
}

// For how long beliefs overlapped is known at the end of the run, and who starved if that is
// asked.
func TestOverlapAndStarved(t *testing.T) {
	x := newRun()
	x.Progress.StarvedAfter = 1
	x.at(0, history.Attempt, 3).hold(s, 1, 9*s, 0).hold(2*s, 2, 9*s, 0)
	x.now = 5 * s
	v := x.verdict(t, 0, "")
	if v.Exclusion != Violated || x.Exclusion.Overlap != 3*time.Second {
		t.Errorf("%s, for %v", v.Exclusion, x.Exclusion.Overlap)
	}
	all := x.Evidence(x.r)
	e := all[len(all)-1]
	if e.Kind != "starved" || e.Passed != 2 || e.Text != "client 3 was trying from 0.000 s and was passed over 2 times by 2.000 s" {
		t.Errorf("%+v", e)
	}
	x.Exclusion.Reset()
	x.Grants.Reset()
	if got, want := x.Cause(x.r, Setting{}).Text, "The lock: "+e.Text+"."; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// Nothing of a run is left for the next one.
func TestReset(t *testing.T) {
	x := newRun().let(0, 1, 4).let(0, 2, 4).hold(0, 1, 9*s, 4).hold(s, 2, 9*s, 5).read(s, 1, 7)
	x.now = 30 * s
	x.verdict(t, 0, BoundUntil)
	if len(x.Kinds()) < 4 {
		t.Fatalf("only %v in the first run", x.Kinds())
	}
	x.Reset()
	x.r.Reset()
	v := x.verdict(t, 0, "")
	if want := (Verdict{OK, OK, OK, OK, OK, OK, NotApplicable, ""}); v != want || len(x.Kinds()) > 0 || x.Exclusion.Overlap != 0 {
		t.Errorf("%+v, %v, %v", v, x.Kinds(), x.Exclusion.Overlap)
	}
}
