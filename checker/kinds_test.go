package checker

import (
	"strings"
	"testing"

	"fencepost/sim"
	"fencepost/sim/history"
)

// then adds records, one a second, from an instant on.
func (x *run) then(at sim.Time, records ...history.Record) *run {
	for i, r := range records {
		x.add(at+s*sim.Time(i), r)
	}
	return x
}

func TestSentencesOfKinds(t *testing.T) {
	const there, gone = history.Referenced, history.Gone
	for _, c := range []struct {
		want    string
		records []history.Record
	}{
		{"at 2.000 s client 2 did job 3, which client 1 had done", []history.Record{does(1, 3, s), does(2, 3, 2*s)}},
		{"at 2.000 s job 3 was done a second time for client 1", []history.Record{does(1, 3, s), does(1, 3, 2*s)}},
		{"client 2 began its job at 2.000 s, when that of client 1 went on for another 5.000 s", []history.Record{does(1, 3, 7*s), does(2, 4, 9*s)}},
		{"client 2 began its job at 2.000 s, when that of client 1 went on for another 5.000 s", []history.Record{does(1, 3, 7*s), does(2, 4, 3*s)}},
		{"at 2.000 s v7 of client 1 was appended a second time", []history.Record{changes(1, history.Appends, 1, 7, 0), changes(1, history.Appends, 2, 7, 7)}},
		{"at 4.000 s client 2 appended v8 after v7 of client 1, having read v0", []history.Record{sees(1, history.Appends, 0, 0), sees(2, history.Appends, 0, 0),
			changes(1, history.Appends, 1, 7, 0), changes(2, history.Appends, 2, 8, 7)}},
		{"at 4.000 s client 2 wrote v8 over v7 of client 1, having read v0", []history.Record{sees(1, history.Counts, 0, 0), sees(2, history.Counts, 0, 0),
			changes(1, history.Counts, 1, 7, 0), changes(2, history.Counts, 1, 8, 7)}},
		{"at 2.000 s client 1 deleted what client 2 had referred to", []history.Record{changes(2, history.Refers, there, 7, 0), changes(1, history.Deletes, gone, 8, 7)}},
		{"at 2.000 s client 2 referred to what client 1 had deleted", []history.Record{changes(1, history.Deletes, gone, 7, 0), changes(2, history.Refers, gone, 8, 7)}},
	} {
		x := newRun().then(s, c.records...)
		all := x.Evidence(x.r)
		if len(all) != 1 || all[0].Text != c.want || all[0].Object != 0 {
			t.Errorf("got %+v\nwant %s", all, c.want)
		}
		several := newRun()
		for i := range c.records {
			several.add(s*sim.Time(i+1), on(2, c.records[i]))
		}
		all = several.Evidence(several.r)
		if want := c.want + " (object 2)"; len(all) != 1 || all[0].Text != want || all[0].Object != 2 {
			t.Errorf("of several: got %+v\nwant %s", all, want)
		}
	}
}

// The job that was done twice is a fact of its own; two at once are none.
func TestJobInEvidence(t *testing.T) {
	x := newRun().then(s, does(1, 3, s), does(2, 3, 2*s))
	if e := x.Evidence(x.r)[0]; e.Job != 3 || e.Kind != "doubled-effect" || len(e.Holds) != 2 {
		t.Errorf("%+v", e)
	}
	x = newRun().then(s, does(1, 3, 9*s), does(2, 4, 5*s))
	if e := x.Evidence(x.r)[0]; e.Job != 0 || e.From != int64(2*s) || e.To == nil || *e.To != int64(5*s) {
		t.Errorf("%+v", e)
	}
}

// Client 1 has ended when client 2 begins, so that no two held the lock at once.
func TestCauseWithoutOverlap(t *testing.T) {
	const w, again = history.WriteEffect, history.Completes
	first := func() *run { return newRun().hold(0, 1, 10*s, 1) }
	next := func(x *run) *run { return x.release(3*s, 1).hold(4*s, 2, 14*s, 2) }
	const held = "The network: the request for an effect of client 1 (token 1) was held back by the network (hold client/1 effect for 4s) for 4.000 s, and took effect after its hold had ended. No lock can call a request back; the resource could have rejected its token."
	for _, c := range []struct {
		name string
		run  *run
		want string
	}{
		{"it ended between the job and its record", next(first().add(s, does(1, 1, s))).add(5*s, does(2, 1, 5*s)),
			"Nobody could tell: client 1 (token 1) did job 1 at 1.000 s, and ended before it was recorded as done. A lock does not make the effect and its record one step."},
		{"its record came later still", next(first().add(s, does(1, 1, s)).send(2*s, 1, w)).add(5*s, does(2, 1, 5*s)).add(6*s, changes(1, again, 1, 1, 0)),
			"Nobody could tell: client 1 (token 1) did job 1 at 1.000 s, and ended before it was recorded as done. A lock does not make the effect and its record one step."},
		{"its record came after the read of the next", next(first().add(s, does(1, 1, s)).send(2*s, 1, w)).then(5*s, sees(2, again, 0, 0), changes(1, again, 1, 1, 0), does(2, 1, 7*s)),
			"The network: the write of client 1 (token 1) was under way for 4.000 s, and took effect after its hold had ended. No lock can call a request back; the resource could have rejected its token."},
		{"its request came after the next one had done the job", next(first().add(2*s, asks(1)).fault(2*s, 1, "hold client/1 effect for 4s")).add(5*s, does(2, 1, 5*s)).add(6*s, does(1, 1, 6*s)), held},
		{"its request came when the next one's job went on", next(first().add(2*s, asks(1)).fault(2*s, 1, "hold client/1 effect for 4s")).add(5*s, does(2, 2, 9*s)).add(6*s, does(1, 1, 7*s)), held},
		{"its job went on", next(first().add(s, does(1, 1, 9*s))).add(5*s, does(2, 2, 6*s)),
			"The job: that of client 1 (token 1) went on when its hold had ended. No lock and no guard ends what has begun."},
		{"its request for the job came twice", first().add(s, does(1, 1, s)).add(2*s, does(1, 1, 2*s)),
			"The resource: a request of client 1 (token 1) came twice, and took effect twice. It has no key by which it could tell."},
		{"its entry came twice", first().send(s, 1, w).add(s, changes(1, history.Appends, 1, 1, 0)).add(2*s, changes(1, history.Appends, 2, 1, 1)),
			"The resource: a request of client 1 (token 1) came twice, and took effect twice. It has no key by which it could tell."},
		{"its deletion came when the next one had referred", next(first().send(2*s, 1, w).fault(2*s, 1, "hold client/1 write for 4s")).
			add(5*s, changes(2, history.Refers, history.Referenced, 1, 0)).add(6*s, changes(1, history.Deletes, history.Gone, 2, 1)),
			"The network: the write of client 1 (token 1) was held back by the network (hold client/1 write for 4s) for 4.000 s, and took effect after its hold had ended. No lock can call a request back; the resource could have rejected its token."},
		{"it recorded the job of another object", next(first().add(s, on(1, does(1, 1, s))).add(2*s, on(2, does(1, 1, 2*s))).add(2*s, on(1, changes(1, again, 1, 1, 0)))).add(5*s, on(2, does(2, 1, 5*s))),
			"Nobody could tell: client 1 (token 1) did job 1 at 2.000 s, and ended before it was recorded as done. A lock does not make the effect and its record one step."},
		{"also the other way round", next(first().add(s, on(1, does(1, 1, s))).add(2*s, on(2, does(1, 1, 2*s))).add(2*s, on(2, changes(1, again, 1, 1, 0)))).add(5*s, on(1, does(2, 1, 5*s))),
			"Nobody could tell: client 1 (token 1) did job 1 at 1.000 s, and ended before it was recorded as done. A lock does not make the effect and its record one step."},
	} {
		if got := c.run.Cause(c.run.r, Setting{Guard: "none", HasToken: true}).Text; got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

// Client 1 believes for too long, and a guard, or none, stands before what it harms.
func TestWhyAGuardLetAKindPass(t *testing.T) {
	const r, w = history.ReadEffect, history.WriteEffect
	jobTwice := func() *run {
		return outlived(newRun(w), 1).then(12*s, does(2, 1, 12*s), does(1, 1, 13*s))
	}
	goesOn := func() *run {
		x := newRun(r, w).hold(0, 1, 10*s, 1).add(s, does(1, 1, 20*s)).fault(2*s, 1, "pause client 1 for 12s").hold(11*s, 2, 21*s, 2)
		return x.add(12*s, does(2, 2, 15*s))
	}
	entryTwice := func() *run {
		append1 := changes(1, history.Appends, 1, 1, 0)
		return outlived(newRun(r, w), 1).then(12*s, append1, append1)
	}
	deleted := func(ordered ...history.Effect) *run {
		x := outlived(newRun(ordered...), 1).read(12*s, 2, 0)
		return x.then(13*s, changes(1, history.Deletes, history.Gone, 1, 0), changes(2, history.Refers, history.Gone, 2, 1))
	}
	early := func() *run {
		mark := history.Record{Kind: history.Mark, Effect: history.MarkEffect, Hold: 1}
		x := newRun().hold(0, 1, 10*s, 1).add(0, on(1, mark)).add(0, on(2, mark)).read(s, 1, 0)
		return lostToTheLate(x.fault(2*s, 1, "pause client 1 for 12s").hold(11*s, 2, 21*s, 2))
	}
	const beside = "The guard fence-writes stands before the record of what is done, and not before the effect itself."
	const raises = "does not prevent this: a read by the newer holder raises nothing."
	const begun = "The job of client 1 (token 1) went on, and no guard ends what has begun."
	const copied = "A request of client 1 (token 1) came twice, and took effect twice: nothing but a key of its own tells a copy."
	for _, c := range []struct {
		name    string
		run     *run
		setting Setting
		says    string
	}{
		{"a guard beside the effect", jobTwice(), Setting{Guard: "fence-writes", Beside: true}, beside},
		{"a guard before the effect", jobTwice(), Setting{Guard: "fence-writes"}, "The guard fence-writes " + raises},
		{"none", jobTwice(), Setting{Guard: "none"}, "The resource had no guard; the lock has a token that it could have compared."},
		{"what has begun, with a guard", goesOn(), Setting{Guard: "fence-reads-writes"}, begun},
		{"and beside one", goesOn(), Setting{Guard: "fence-reads-writes", Beside: true}, begun},
		{"and without", goesOn(), Setting{Guard: "none"}, begun},
		{"a copy, with a guard", entryTwice(), Setting{Guard: "fence-reads-writes"}, copied},
		{"and without", entryTwice(), Setting{Guard: "none"}, copied},
		{"a deletion after an old read", deleted(w), Setting{Guard: "fence-writes"}, "The guard fence-writes " + raises},
		{"where reads are compared that is no reason", deleted(r, w), Setting{Guard: "fence-reads-writes"}, "The guard fence-reads-writes let it pass."},
		{"a content that came round", lostTo(outlived(newRun(), 1)), Setting{Guard: "if-match", KeepsNoOrder: true, Returns: true},
			"The guard if-match let it pass: the content was again what client 2 (token 2) had read, and so was its ETag."},
		{"one that cannot", lostTo(outlived(newRun(), 1)), Setting{Guard: "if-match", KeepsNoOrder: true}, "The guard if-match let it pass."},
		{"marks of two objects are one each", early(), Setting{Guard: "random-token-cas", KeepsNoOrder: true, ChecksEarly: true},
			"The guard random-token-cas let it pass: it compared when the request arrived, and not again when it took effect."},
	} {
		c.setting.HasToken = true
		if got := c.run.Cause(c.run.r, c.setting).Text; !strings.HasSuffix(got, " "+c.says) {
			t.Errorf("%s: %s\nwant %s", c.name, got, c.says)
		}
	}
}

// lostToTheLate is a lost update that is complete with the write of client 1.
func lostToTheLate(x *run) *run {
	return x.read(12*s, 2, 0).send(12*s, 2, history.WriteEffect).write(12*s, 2, 1, 0).send(14*s, 1, history.WriteEffect).write(14*s, 1, 2, 1)
}

// Who came between is who wrote the object of which a request was rejected.
func TestWhoCameBetweenAtAnObject(t *testing.T) {
	refused := history.Record{Kind: history.Reject, Effect: history.WriteEffect, Hold: 2, Text: history.VersionDiffers}
	const between = " It rejected the write of client 2 (token 2), who had the lock, since client 1 (token 1) came between: it keeps no order."
	for object, want := range map[int]string{1: "", 2: between} {
		x := outlived(newRun(), 1).read(12*s, 2, 0).add(13*s, on(2, changes(1, history.Replaces, 0, 1, 0))).add(14*s, on(object, refused))
		got := x.Cause(x.r, Setting{Guard: "if-match", HasToken: true, KeepsNoOrder: true}).Text
		if !strings.HasSuffix(got, "The guard if-match rejected one request, so nothing was harmed."+want) {
			t.Errorf("object %d: %s", object, got)
		}
	}
}
