package checker

import (
	"strings"
	"testing"

	"fencepost/sim/history"
)

// Why a guard let a harm happen, or what it cost that it did not: each reason, and the setting
// without which it is none.
func TestWhyAGuardLetItPass(t *testing.T) {
	const r, w = history.ReadEffect, history.WriteEffect
	equal := func() *run {
		x := newRun(r, w).hold(0, 1, 10*s, 5).read(s, 1, 0).fault(2*s, 1, "pause client 1 for 12s").hold(11*s, 2, 21*s, 5)
		return lostTo(x)
	}
	crashed := func() *run {
		x := outlived(newRun(r, w), 1).add(12*s, history.Record{Kind: history.Fault, Fault: "crash", Host: "resource", Text: "crash resource", Until: 12 * s})
		return lostTo(x)
	}
	applied := func() *run {
		return late(newRun(r, w), 1).write(6*s, 1, 1, 0).send(7*s, 2, w).write(7*s, 2, 2, 1)
	}
	displaced := func() *run {
		x := outlived(newRun(), 1).read(12*s, 2, 0).send(13*s, 1, w).write(13*s, 1, 1, 0).send(14*s, 2, w)
		return x.add(14*s, history.Record{Kind: history.Reject, Effect: w, Hold: 2, Text: history.VersionDiffers})
	}
	marked := func() *run {
		mark := history.Record{Kind: history.Mark, Effect: history.MarkEffect, Hold: 1}
		x := newRun().hold(0, 1, 10*s, 1).add(s, mark).read(s, 1, 0).fault(2*s, 1, "pause client 1 for 12s")
		x = x.hold(11*s, 2, 21*s, 2).read(12*s, 2, 0).send(12*s, 2, w).write(12*s, 2, 1, 0)
		return x.add(13*s, mark).send(14*s, 1, w).write(14*s, 1, 2, 1)
	}
	for _, c := range []struct {
		name    string
		run     *run
		setting Setting
		says    string
		not     string
	}{
		{"equal tokens", equal(), Setting{Guard: "mark"}, "The guard mark let it pass: both holds have the token 5.", ""},
		{"a token that is forgotten", crashed(), Setting{Guard: "mark", Forgets: true}, "let it pass: after crash resource at 12.000 s the resource no longer knew the token that it had kept.", ""},
		{"a token that is kept", crashed(), Setting{Guard: "mark"}, "The guard mark let it pass.", "no longer knew"},
		{"an early comparison", applied(), Setting{Guard: "mark", ChecksEarly: true}, "let it pass: it compared when the request arrived, and not again when it took effect.", ""},
		{"an early comparison of versions", applied(), Setting{Guard: "if-match", ChecksEarly: true, KeepsNoOrder: true}, "let it pass: it compared when the request arrived", "tokens"},
		{"writes alone, compared early", lostTo(outlived(newRun(w), 1)), Setting{Guard: "fence-writes", ChecksEarly: true}, "a read by the newer holder raises nothing", "arrived"},
		{"a mark that comes twice", marked(), Setting{Guard: "random-token-cas", KeepsNoOrder: true}, "let it pass: the mark of client 1 (token 1) was served a second time at 13.000 s, and put its token back.", ""},
		{"no order", displaced(), Setting{Guard: "if-match", KeepsNoOrder: true}, "rejected one request, so nothing was harmed. It rejected the write of client 2 (token 2), who had the lock, since client 1 (token 1) came between: it keeps no order.", ""},
		{"order", displaced(), Setting{Guard: "mark"}, "rejected one request, so nothing was harmed.", "no order"},
	} {
		c.setting.HasToken = true
		got := c.run.Cause(c.run.r, c.setting).Text
		if !strings.Contains(got, c.says) || c.not != "" && strings.Contains(got, c.not) {
			t.Errorf("%s: %s\nwant %s, and not %q", c.name, got, c.says, c.not)
		}
	}
}

// Who made a write late: the network, or the resource that takes time to apply one.
func TestWhoMadeAWriteLate(t *testing.T) {
	x := newRun().hold(0, 1, 10*s, 0).read(s, 1, 0).send(2*s, 1, history.WriteEffect).release(3*s, 1)
	x = x.hold(4*s, 2, 14*s, 0).read(4*s, 2, 0).write(6*s, 1, 1, 0).send(7*s, 2, history.WriteEffect).write(7*s, 2, 2, 1)
	for applies, want := range map[bool]string{false: "The network: the write of client 1 was under way for 4.000 s", true: "The resource: the write of client 1 was under way and being applied for 4.000 s"} {
		if got := x.Cause(x.r, Setting{Guard: "none", Applies: applies}).Text; !strings.HasPrefix(got, want) {
			t.Errorf("got %s\nwant %s", got, want)
		}
	}
}

// A copy of a write that replaces what others wrote is a section a second time; one that replaces
// itself is nothing. Monitor and porcupine agree on both.
func TestCopyOfAWrite(t *testing.T) {
	twice := func() *run {
		return newRun().hold(0, 1, 10*s, 0).read(s, 1, 0).send(s, 1, history.WriteEffect).write(s, 1, 1, 0).write(s, 1, 1, 1).release(2*s, 1)
	}
	if v := twice().verdict(t, 1, ""); v.Resource != OK || v.LinearResource != OK {
		t.Errorf("a copy of the last write: %+v", v)
	}
	x := twice().hold(3*s, 2, 13*s, 0).read(3*s, 2, 1).send(3*s, 2, history.WriteEffect).write(3*s, 2, 2, 1).release(4*s, 2)
	if v := x.write(5*s, 1, 1, 2).verdict(t, 1, ""); v.Resource != Violated || v.LinearResource != Violated {
		t.Errorf("a copy over the write of another: %+v", v)
	}
	if v := x.write(6*s, 2, 2, 1).verdict(t, 2, ""); v.Resource != Violated || v.LinearResource != Violated {
		t.Errorf("and a copy of that: %+v", v)
	}
}
