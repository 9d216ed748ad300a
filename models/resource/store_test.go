package resource

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"fencepost/checker/linear"
	"fencepost/checker/monitor"
	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
)

// rig is a store behind a guard, judged, and asked without a network in between.
type rig struct {
	*Store
	r       *history.Recorder
	monitor monitor.Resource
	world   *sim.World
	fleet   *host.Fleet
	client  *host.Host // where answers go, and nobody hears them
}

func newRig(t *testing.T, guard string, settings ...Settings) *rig {
	t.Helper()
	g, ok := FindGuard(guard)
	if !ok {
		t.Fatalf("no guard %q", guard)
	}
	s := Settings{}
	for _, s = range settings {
	}
	w := &sim.World{}
	fleet := host.NewFleet(w, network.New(w))
	t.Cleanup(fleet.Close)
	x := &rig{r: history.NewRecorder(w.Now), world: w, fleet: fleet}
	x.Store = NewStore(fleet.NewHost("resource"), x.r, g, s)
	x.client = fleet.NewHost("client")
	w.Reset(1)
	x.monitor.Ordered = g.Ordered
	x.r.Observers = append(x.r.Observers, &x.monitor)
	return x
}

// ask sends a request and reports whether it was served.
func (x *rig) ask(hold history.HoldID, op *network.Op, token, value int64) bool {
	x.send(hold, network.Body{Op: op, Token: token, Value: value, Hold: hold})
	return x.r.Records[len(x.r.Records)-1].Kind != history.Reject
}

// value is that of the first object.
func (x *rig) value() int64 { return x.Audit(nil)[0] }

// asked sends a request with a version, and a value that nobody wrote before.
func (x *rig) asked(q asked) {
	x.send(q.hold, network.Body{Op: q.op, Token: q.token, Revision: q.version, Value: x.r.NextValue(), Hold: q.hold})
}

func (x *rig) send(hold history.HoldID, b network.Body) {
	m := &network.Message{From: network.Addr{Node: x.client.ID, Port: 1}, Body: b}
	for len(x.r.Holds) < int(hold) {
		x.r.Add(history.Record{Kind: history.Grant, Hold: x.r.NewHold(0, 1)})
	}
	x.r.Add(history.Record{Kind: history.Request, Effect: effectOf(m), Hold: hold, Token: b.Token})
	x.Receive(m)
}

// The matrix: after a request with token 34, one with a lower, the same or a higher
// token is served or not.
func TestGuards(t *testing.T) {
	const lower, same, higher = 33, 34, 35
	for _, c := range []struct {
		guard         string
		first, second *network.Op
		served        []int64
	}{
		{"none", OpRead, OpRead, []int64{lower, same, higher}},
		{"none", OpRead, OpWrite, []int64{lower, same, higher}},
		{"none", OpWrite, OpRead, []int64{lower, same, higher}},
		{"none", OpWrite, OpWrite, []int64{lower, same, higher}},
		{"fence-writes", OpRead, OpRead, []int64{lower, same, higher}},
		{"fence-writes", OpRead, OpWrite, []int64{lower, same, higher}}, // a read raises nothing
		{"fence-writes", OpWrite, OpRead, []int64{lower, same, higher}}, // and is not checked
		{"fence-writes", OpWrite, OpWrite, []int64{same, higher}},
		{"fence-reads-writes", OpRead, OpRead, []int64{same, higher}},
		{"fence-reads-writes", OpRead, OpWrite, []int64{same, higher}},
		{"fence-reads-writes", OpWrite, OpRead, []int64{same, higher}},
		{"fence-reads-writes", OpWrite, OpWrite, []int64{same, higher}},
	} {
		for _, token := range []int64{lower, same, higher} {
			x := newRig(t, c.guard)
			if !x.ask(1, c.first, same, 1) {
				t.Errorf("%s: the first request was rejected", c.guard)
			}
			before := x.value()
			served := x.ask(2, c.second, token, 2)
			if want := slices.Contains(c.served, token); served != want {
				t.Errorf("%s: %v with 34, then %v with %d: served %t, want %t", c.guard, c.first, c.second, token, served, want)
			}
			want := before
			if served && c.second == OpWrite {
				want = 2
			}
			if x.value() != want {
				t.Errorf("%s: value %d, want %d", c.guard, x.value(), want)
			}
		}
	}
}

// A rejected request raises nothing, and tells the token that it was measured against.
func TestRejection(t *testing.T) {
	x := newRig(t, "fence-reads-writes")
	x.ask(1, OpWrite, 34, 1)
	if x.ask(2, OpWrite, 33, 2) || !x.ask(1, OpWrite, 34, 3) {
		t.Error("33 is too low after 34, and 34 is not")
	}
	for _, r := range x.r.Records {
		if r.Kind == history.Reject && (r.Base != 34 || r.Token != 33 || r.Effect != history.WriteEffect || r.Hold != 2) {
			t.Errorf("rejected: %+v", r)
		}
	}
	x.Reset(1)
	if x.value() != 0 || !x.ask(2, OpWrite, 1, 4) {
		t.Error("a register that was reset knows no token")
	}
}

// The record tells what each write replaced.
func TestRecord(t *testing.T) {
	x := newRig(t, "none")
	x.ask(1, OpWrite, 0, 7)
	x.ask(1, OpWrite, 0, 8)
	x.ask(1, OpRead, 0, 0)
	var got []history.Record
	for _, r := range x.r.Records {
		if r.Kind == history.Write || r.Kind == history.Read {
			got = append(got, history.Record{Kind: r.Kind, Effect: r.Effect, Value: r.Value, Base: r.Base})
		}
	}
	want := []history.Record{{Kind: history.Write, Effect: history.WriteEffect, Value: 7},
		{Kind: history.Write, Effect: history.WriteEffect, Value: 8, Base: 7}, {Kind: history.Read, Effect: history.ReadEffect, Value: 8}}
	if !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// The least run that fencing of writes alone does not save: 33 reads and is late, 34
// reads the same, 33 writes, which is served since no higher token has written, and 34
// writes over it. Tokens rose all the time. Fencing reads as well rejects 33's write.
func TestFencingOfWritesAlone(t *testing.T) {
	run := func(guard string) (*rig, bool) {
		x := newRig(t, guard)
		x.ask(1, OpRead, 33, 0)
		x.ask(2, OpRead, 34, 0)
		served := x.ask(1, OpWrite, 33, 1)
		if !x.ask(2, OpWrite, 34, 2) {
			t.Errorf("%s: the write of the newest holder was rejected", guard)
		}
		return x, served
	}
	x, served := run("fence-writes")
	var l linear.Checker
	if !served || x.monitor.LostUpdates != 1 || len(x.monitor.Findings()) != 1 || l.Resource(x.r, x.value()) != linear.NotLinearizable {
		t.Errorf("fence-writes: served %t, findings %+v; want one lost update and no other", served, x.monitor.Findings())
	}
	x, served = run("fence-reads-writes")
	if served || x.monitor.Violated() || l.Resource(x.r, x.value()) != linear.Linearizable {
		t.Errorf("fence-reads-writes: served %t, findings %+v; want none", served, x.monitor.Findings())
	}
}

func TestGuardNames(t *testing.T) {
	if got, want := GuardNames(), []string{"none", "fence-writes", "fence-reads-writes", "mark", "if-match", "random-token-cas", "ask-service"}; !slices.Equal(got, want) {
		t.Errorf("guards %v, want %v", got, want)
	}
	if g, ok := FindGuard("moat"); ok {
		t.Errorf("found %+v", g)
	}
	for _, g := range Guards {
		if g.NeedsToken != (len(g.Ordered) > 0 || g.Asks) {
			t.Errorf("%s: needs a token: %t, orders %v", g.Name, g.NeedsToken, g.Ordered)
		}
		for _, text := range []string{g.Doc, g.Guarantees, g.Not, g.Compared, g.Source} {
			if text == "" || strings.ContainsRune(text, '\n') {
				t.Errorf("%s: %q is not a line", g.Name, text)
			}
		}
	}
}

// A register is durable: a crash takes neither the value nor the highest token.
func TestStoreSurvivesCrashes(t *testing.T) {
	for _, lost := range []host.Lost{host.LoseMemory, host.LoseUnsynced, host.LoseEverything} {
		x := newRig(t, "fence-writes")
		x.ask(1, OpWrite, 34, 7)
		x.host.Crash(lost)
		x.host.Restart(false)
		if x.value() != 7 || x.ask(2, OpWrite, 33, 8) {
			t.Errorf("%v lost: the value is %d", lost, x.value())
		}
	}
}

// A copy of a request is served once, and a later request of the same process is another.
func TestCopiesAreServedOnce(t *testing.T) {
	x := newRig(t, "none")
	x.r.NewHold(0, 1)
	from := network.Addr{Node: x.host.ID, Port: 3}
	receive := func(call uint32, value int64) {
		m := &network.Message{From: from, Call: call, Body: network.Body{Op: OpWrite, Hold: 1, Value: value}}
		x.Receive(m)
	}
	for _, r := range []struct {
		call  uint32
		value int64
	}{{1, 10}, {1, 11}, {2, 20}, {1, 12}, {2, 21}, {5, 50}} {
		receive(r.call, r.value)
	}
	var applied []int64
	for _, r := range x.r.Records {
		if r.Kind == history.Write {
			applied = append(applied, r.Value)
		}
	}
	if want := []int64{10, 20, 50}; !slices.Equal(applied, want) {
		t.Errorf("applied %v, want %v", applied, want)
	}
}

// A resource that asks serves a request for which the answer is yes, when it is there, and no
// other; meanwhile it serves others.
func TestAsking(t *testing.T) {
	x := newRig(t, "ask-service")
	x.AskWith(func(p *host.Process, _ history.HoldID, token int64) bool {
		p.Sleep(time.Duration(token) * time.Second)
		return token != 3
	})
	from := network.Addr{Node: x.client.ID, Port: 1}
	for hold, token := range []int64{3, 2, 1} {
		x.r.Add(history.Record{Kind: history.Grant, Hold: x.r.NewHold(0, 1)})
		x.Receive(&network.Message{From: from, Body: network.Body{Op: OpWrite, Token: token, Value: token, Hold: history.HoldID(hold + 1)}})
	}
	x.world.Run(sim.Time(10 * time.Second))
	var got []string
	for _, r := range x.r.Records {
		if r.Kind == history.Write || r.Kind == history.Reject {
			got = append(got, fmt.Sprintf("%v %v %d %s", r.At, r.Kind, r.Token, r.Text))
		}
	}
	want := []string{"1.000000000s write 1 ", "2.000000000s write 2 ", "3.000000000s reject 3 " + history.NotHolder}
	if !slices.Equal(got, want) || x.value() != 2 {
		t.Errorf("%q and value %d, want %q", got, x.value(), want)
	}
}
