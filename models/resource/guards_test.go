package resource

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"fencepost/checker/monitor"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
)

// asked is a request of a hold.
type asked struct {
	hold           history.HoldID
	op             *network.Op
	token, version int64
	want           string // "" is served, "low" or the text of the rejection
}

const low = "low"

func (x *rig) expect(t *testing.T, story string, requests []asked) {
	t.Helper()
	for i, q := range requests {
		got := ""
		x.asked(q)
		if last := x.r.Records[len(x.r.Records)-1]; last.Kind == history.Reject {
			got = last.Text
			if got == "" {
				got = low
			}
		}
		if got != q.want {
			t.Errorf("%s: request %d, %v with token %d and version %d of hold %d: %q, want %q", story, i+1, q.op, q.token, q.version, q.hold, got, q.want)
		}
	}
}

// The tables say what each guard does with the requests of an older hold, 1, and a newer one, 2.
// A version is the number of writes before it.
func TestWhatGuardsAnswer(t *testing.T) {
	for _, c := range []struct {
		guard, story string
		requests     []asked
		lost, stale  bool
	}{
		{"mark", "the mark of the newer one ends the older one", []asked{
			{1, OpMark, 33, 0, ""}, {1, OpRead, 33, 0, ""}, {2, OpMark, 34, 0, ""},
			{1, OpWrite, 33, 0, low}, {1, OpRead, 33, 0, low}, {1, OpMark, 33, 0, low},
			{2, OpRead, 34, 0, ""}, {2, OpWrite, 34, 0, ""}, {2, OpWrite, 34, 0, ""}}, false, false},
		{"mark", "only a mark raises", []asked{
			{1, OpMark, 33, 0, ""}, {2, OpWrite, 34, 0, ""}, {1, OpRead, 33, 0, ""}}, false, true},
		{"mark", "equal tokens are one holder's", []asked{
			{1, OpMark, 33, 0, ""}, {1, OpRead, 33, 0, ""}, {2, OpMark, 33, 0, ""}, {2, OpRead, 33, 0, ""},
			{1, OpWrite, 33, 0, ""}, {2, OpWrite, 33, 0, ""}}, true, true},
		{"fence-writes", "the write falls between read and write", []asked{
			{1, OpRead, 33, 0, ""}, {2, OpRead, 34, 0, ""}, {1, OpWrite, 33, 0, ""}, {2, OpWrite, 34, 0, ""}}, true, false},
		{"if-match", "who writes first wins, whoever it is", []asked{
			{1, OpRead, 0, 0, ""}, {2, OpRead, 0, 0, ""}, {1, OpWrite, 0, 0, ""}, {2, OpWrite, 0, 0, history.VersionDiffers},
			{2, OpRead, 0, 0, ""}, {2, OpWrite, 0, 1, ""}}, false, false},
		{"if-match", "tokens are nothing to it", []asked{
			{2, OpRead, 34, 0, ""}, {2, OpWrite, 34, 0, ""}, {1, OpRead, 33, 1, ""}, {1, OpWrite, 33, 1, ""}}, false, false},
		{"random-token-cas", "a token that is replaced is worth nothing", []asked{
			{1, OpMark, 9000, 0, ""}, {1, OpRead, 9000, 0, ""}, {2, OpMark, 7, 0, ""}, {2, OpRead, 7, 0, ""},
			{1, OpWrite, 9000, 0, history.TokenReplaced}, {2, OpWrite, 7, 0, ""}}, false, false},
		{"random-token-cas", "the older one sets its token late and wins", []asked{
			{2, OpMark, 7, 0, ""}, {2, OpRead, 7, 0, ""}, {1, OpMark, 9000, 0, ""}, {1, OpRead, 9000, 0, ""},
			{1, OpWrite, 9000, 0, ""}, {2, OpWrite, 7, 0, history.TokenReplaced}}, false, false},
		{"random-token-cas", "a mark that is served twice puts the old token back", []asked{
			{1, OpMark, 9000, 0, ""}, {1, OpRead, 9000, 0, ""}, {2, OpMark, 7, 0, ""}, {2, OpRead, 7, 0, ""}, {2, OpWrite, 7, 0, ""},
			{1, OpMark, 9000, 0, ""}, {1, OpWrite, 9000, 0, ""}}, true, false},
		{"random-token-cas", "reads are not compared", []asked{
			{1, OpMark, 9000, 0, ""}, {2, OpMark, 7, 0, ""}, {1, OpRead, 9000, 0, ""}}, false, false},
	} {
		x := newRig(t, c.guard)
		x.expect(t, c.guard+": "+c.story, c.requests)
		stale := slices.ContainsFunc(x.monitor.Findings(), func(f monitor.Finding) bool { return f.Kind == "stale-order" })
		if lost := x.monitor.LostUpdates > 0; lost != c.lost || stale != c.stale {
			t.Errorf("%s: %s: %+v, want lost %t, stale %t", c.guard, c.story, x.monitor.Findings(), c.lost, c.stale)
		}
	}
}

// A mark is on record and changes no data.
func TestMarkOnRecord(t *testing.T) {
	x := newRig(t, "mark")
	x.ask(1, OpMark, 33, 0)
	if got := x.r.Records[len(x.r.Records)-1]; got.Kind != history.Mark || got.Effect != history.MarkEffect || got.Token != 33 || got.Hold != 1 || x.value() != 0 {
		t.Errorf("%+v, value %d", got, x.value())
	}
}

// What is kept beside the data is durable, unless it is forgotten by a restart: then the write of
// an older hold is served again. A version is a part of the data.
func TestWhatARestartForgets(t *testing.T) {
	for _, c := range []struct {
		guard   string
		forgets bool
		stale   asked // of an older hold, after the restart
	}{
		{"fence-writes", false, asked{1, OpWrite, 33, 0, low}},
		{"fence-writes", true, asked{1, OpWrite, 33, 0, ""}},
		{"fence-reads-writes", true, asked{1, OpRead, 33, 0, ""}},
		{"mark", false, asked{1, OpMark, 33, 0, low}},
		{"mark", true, asked{1, OpWrite, 33, 0, ""}},
		{"if-match", true, asked{1, OpWrite, 33, 0, history.VersionDiffers}},
		{"random-token-cas", true, asked{2, OpWrite, 34, 1, history.TokenForgotten}}, // also the holder's own
	} {
		x := newRig(t, c.guard, Settings{ForgetsToken: c.forgets})
		x.expect(t, c.guard, []asked{{2, OpMark, 34, 0, ""}, {2, OpRead, 34, 0, ""}, {2, OpWrite, 34, 0, ""}})
		x.host.Crash(host.LoseMemory)
		x.host.Restart(false)
		x.expect(t, fmt.Sprintf("%s, forgets %t", c.guard, c.forgets), []asked{c.stale})
	}
}

// A copy of a write is served again if nothing tells it from another request. One of a read
// changes nothing, and no record says that anybody has seen its answer.
func TestCopiesThatAreServed(t *testing.T) {
	x := newRig(t, "none", Settings{ServesCopies: true})
	x.r.NewHold(0, 1)
	m := &network.Message{From: network.Addr{Node: x.host.ID, Port: 3}, Call: 1, Body: network.Body{Op: OpWrite, Hold: 1, Value: 10}}
	x.Receive(m)
	x.Receive(m)
	if n := len(x.r.Records); n != 2 {
		t.Errorf("%d records, want the write twice", n)
	}
	m.Op, m.Call = OpRead, 2
	x.Receive(m)
	x.Receive(m)
	if n := len(x.r.Records); n != 3 {
		t.Errorf("%d records, want the read once", n)
	}
}

// A guard's word rests on how its comparison is made, and the settings can break that: so it names
// the settings that it rests on.
func TestGuaranteesNameTheirConditions(t *testing.T) {
	for _, g := range Guards {
		for condition, rests := range map[string]bool{
			"in one step with the effect": g.rule != nil,
			"kept through restarts":       g.rule != nil && g.NeedsToken,
		} {
			if strings.Contains(g.Guarantees, condition) != rests {
				t.Errorf("%s: %q is in its guarantees: %t, want %t", g.Name, condition, !rests, rests)
			}
		}
	}
}
