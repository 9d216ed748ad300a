package raftkv

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"go.etcd.io/raft/v3"
	"go.etcd.io/raft/v3/tracker"
	"pgregory.net/rapid"

	"fencepost/models/modeltest"
	"fencepost/sim"
	"fencepost/sim/host"
	"fencepost/sim/network"
	"fencepost/sim/rng"
)

// journal is a program that writes down when what happens to it, and looks now and then
// whether its member's loop is alive.
type journal struct {
	member *Member
	lines  *[]string
}

func (j *journal) note(what string, args ...any) {
	*j.lines = append(*j.lines, fmt.Sprintf("%v %d ", j.member.host.World().Now(), j.member.ID)+fmt.Sprintf(what, args...))
}

func (j *journal) Restart()                        { j.note("restart"); j.member.After(look, 0) }
func (j *journal) Apply(index uint64, data []byte) { j.note("apply %d %q", index, data) }
func (j *journal) Elected()                        { j.note("elected") }
func (j *journal) Demoted()                        { j.note("demoted") }
func (j *journal) Readable(tag int)                { j.note("readable %d", tag) }
func (j *journal) Unreadable(tag int)              { j.note("unreadable %d", tag) }
func (j *journal) Receive(m network.Message) {
	j.note("received %d %v", m.Call, m.OK)
	if !m.OK {
		j.member.Reply(&m, network.Body{Op: opOther, OK: true})
	}
}

func (j *journal) Timer(int) {
	j.note("leads %v, ticked %v %v %v", j.member.IsLeader(), j.member.TickedWithin(tick/2), j.member.TickedWithin(tick), j.member.TickedWithin(3*tick))
	j.member.After(look, 0)
}

// look is how often a journal looks. It is out of step with the ticks: who comes first if
// two timers fall on one nanosecond is not kept.
const look = 73_123_457

// asked is what a program is made to do at an instant.
type asked struct {
	at   sim.Time
	on   int
	what int
}

// trial is a cluster with trouble.
type trial struct {
	seed    uint64
	timing  Timing
	members int
	delay   rng.Dist
	fsync   rng.Dist
	rates   []int64
	blows   []modeltest.Blow
	asked   []asked
	looks   []sim.Time // when somebody looks at everything
	horizon sim.Time
	drawn   []sim.Time // instants so far
}

// tick draws when a member ticks if nothing is in its way.
func (t *trial) tick(draw modeltest.Draw) sim.Time {
	id := draw("ticker", 1, t.members)
	s := rng.New(rng.Hash(t.seed, rng.HashString("raft.ticker"), uint64(id), 1), nil)
	return sim.Time(s.Between(1, t.timing.Tick) + time.Duration(draw("tick", 0, int(15*time.Second/t.timing.Tick)))*t.timing.Tick)
}

// instant draws one that is anywhere, or near a tick, or in a round of heartbeats, or not
// long after another one.
func (t *trial) instant(draw modeltest.Draw) sim.Time {
	at := sim.Time(draw("ms", 1, 15_000)) * sim.Time(time.Millisecond)
	switch draw("when", 0, 4) {
	case 1:
		at = t.tick(draw) + sim.Time(draw("ns", -1, 1))
	case 2, 3:
		at = t.tick(draw).Add(draw.Duration("after", time.Microsecond, 2*time.Millisecond))
	case 4:
		if len(t.drawn) > 0 {
			at = t.drawn[draw("which", 0, len(t.drawn)-1)].Add(draw.Duration("later", time.Microsecond, 200*time.Millisecond))
		}
	}
	t.drawn = append(t.drawn, at)
	return at
}

// Clusters with other timings.
var (
	eager    = Timing{Tick: 300 * time.Millisecond, ElectionTicks: 6, Spread: 2, RetryMin: 120 * time.Millisecond, RetryMax: 180 * time.Millisecond, RequestTimeout: 4 * time.Second}
	slow     = Timing{Tick: 500 * time.Millisecond, ElectionTicks: fewestElectionTicks, Spread: 3, RequestTimeout: 4 * time.Second}
	volatile = Timing{Tick: 200 * time.Millisecond, ElectionTicks: 8, Spread: 2, RetryMin: 80 * time.Millisecond, RetryMax: 120 * time.Millisecond, RequestTimeout: 3 * time.Second, Volatile: true}
)

var delays = []rng.Dist{
	rng.LogNormal(45*time.Microsecond, 0.3), rng.LogNormal(45*time.Microsecond, 0.3), rng.Uniform(0, 10*time.Millisecond),
	rng.Exponential(time.Millisecond), rng.Exponential(8 * time.Millisecond), rng.Pareto(200*time.Microsecond, 0.9),
	rng.Constant(45 * time.Millisecond), rng.Constant(60 * time.Millisecond), rng.Uniform(0, 150*time.Millisecond),
}

var fsyncs = []rng.Dist{
	rng.Uniform(0, 2*time.Millisecond), rng.Constant(0), rng.Exponential(20 * time.Millisecond), rng.Pareto(time.Millisecond, 0.8),
}

func drawTrial(draw modeltest.Draw, timing Timing, members int) *trial {
	t := &trial{seed: uint64(draw("seed", 1, 1_000_000)), timing: timing, members: members}
	t.delay = delays[draw("delay", 0, len(delays)-1)]
	t.fsync = fsyncs[draw("fsync", 0, len(fsyncs)-1)]
	if draw("rates", 0, 1) == 1 {
		for range members {
			t.rates = append(t.rates, int64(draw("rate", -150, 150))*[]int64{1_000_000, 6_000_000}[draw("unit", 0, 1)])
		}
	}
	hosts := []int{0, 1, 2, 3, 4}[:members]
	for range draw("blows", 0, 4) {
		t.blows = append(t.blows, draw.Blow(t.instant(draw), hosts))
	}
	for range draw("asked", 0, 8) {
		t.asked = append(t.asked, asked{t.instant(draw), draw("on", 0, members-1), draw("what", 0, 2)})
	}
	for range draw("looks", 0, 2) {
		t.looks = append(t.looks, t.instant(draw))
	}
	slices.Sort(t.looks)
	t.horizon = t.instant(draw)
	return t
}

// stage is a world in which trials are run.
type stage struct {
	*rig
	trouble *modeltest.Trouble
	lines   []string
}

func newStage(t *testing.T, timing Timing, members int, every bool) *stage {
	s := &stage{}
	s.rig = newRigOf(t, members, timing, rng.Constant(0), func(m *Member) App { return &journal{m, &s.lines} })
	s.env.EveryMessage = every
	s.trouble = modeltest.NewTrouble(s.fleet)
	return s
}

func (s *stage) run(t *trial) []string {
	s.lines = s.lines[:0]
	s.env.Fsync = t.fsync
	for _, from := range s.fleet.Hosts {
		for _, to := range s.fleet.Hosts {
			s.net.SetDelay(from.ID, to.ID, t.delay)
		}
	}
	s.reset(t.seed)
	for i, rate := range t.rates {
		s.fleet.Hosts[i].SetRate(rate)
	}
	blows := slices.Clone(t.blows)
	for i, a := range t.asked {
		blows = append(blows, modeltest.Blow{At: a.at, Class: sim.ClassDelivery, Deal: func(*host.Fleet, func(time.Duration, func())) { s.ask(i, a) }})
	}
	s.trouble.Reset(blows)
	for _, at := range t.looks {
		s.world.Run(at)
		s.cluster.wake()
	}
	s.world.Run(max(t.horizon, s.world.Now()))
	s.cluster.wake()
	for _, m := range s.cluster.members {
		s.lines = append(s.lines, inside(m))
	}
	return s.lines
}

// ask makes a member that runs propose, read, or tell another something.
func (s *stage) ask(i int, a asked) {
	m := s.cluster.members[a.on]
	if m.host.State() != host.Running {
		return
	}
	switch a.what {
	case 0:
		m.Propose([]byte{byte('a' + i)})
	case 1:
		m.Read(i)
	case 2:
		m.Send(s.cluster.members[(a.on+1)%len(s.cluster.members)], uint32(i), network.Body{Op: opOther})
	}
}

// inside is all that a member is made of, and what its raft does not tell.
func inside(m *Member) string {
	e := m.election
	e.armed = 0 // which timers wait is no matter of the member's
	text := fmt.Sprintf("%d: %v %d %d %d %d applied %d, election %+v, reads %+v, %d proposals, busy %v, wiped %v, beats %d, asked %d, confirmed %d",
		m.ID, m.role, m.lead, m.silent, m.term, m.vote, m.applied, e, m.reads, len(m.proposals), m.busy, m.wiped, m.beats, m.asked, m.confirmed)
	if m.host.State() == host.Crashed {
		return text
	}
	inner := reflect.ValueOf(m.node).Elem().FieldByName("raft").Elem()
	text += fmt.Sprintf("\n  %v, elapsed %d", m.node.BasicStatus(), inner.FieldByName("electionElapsed").Int())
	m.node.WithProgress(func(id uint64, _ raft.ProgressType, p tracker.Progress) {
		text += fmt.Sprintf("\n  %d: %+v", id, p)
	})
	net := m.cluster.env.Fleet.Net
	for _, peer := range m.cluster.members {
		for _, op := range []*network.Op{OpHeartbeat, OpHeartbeatReply, OpAppend, OpAppendReply, opOther} {
			text += fmt.Sprintf(" %v", net.PeekDelay(m.host.ID, peer.host.ID, op, 1))
		}
	}
	return text + fmt.Sprintf("\n  %d inbound", net.Inbound(m.host.ID))
}

// After a reset the next heartbeat begins a new connection, so a hang of the existing
// ones that begins later catches that, too.
func TestElisionOpensConnectionsAgain(t *testing.T) {
	at := func(at time.Duration, do func(n *network.Network)) modeltest.Blow {
		return modeltest.Blow{At: sim.Time(at), Deal: func(f *host.Fleet, _ func(time.Duration, func())) { do(f.Net) }}
	}
	every, elided := newStage(t, usual, 3, true), newStage(t, usual, 3, false)
	for reset := 3 * time.Second; reset < 3*time.Second+tick; reset += tick / 10 {
		trial := &trial{seed: 1, delay: delays[0], fsync: fsyncs[0], horizon: sim.Time(6 * time.Second), blows: []modeltest.Blow{
			at(reset, func(n *network.Network) { n.Break(0, 1, 0) }),
			at(4*time.Second, func(n *network.Network) { n.Impose(&network.Rule{From: 0, To: 1, Cut: true, Existing: true}) }),
		}}
		want := every.run(trial)
		if got := elided.run(trial); !slices.Equal(got, want) {
			t.Errorf("reset at %v:\n%v\nwant\n%v", reset, got, want)
		}
	}
}

// A follower has applied everything, and the acknowledgement was lost: the next heartbeat
// finds out, so it has to be sent.
func TestElisionWaitsForAcknowledgements(t *testing.T) {
	every, elided := newStage(t, usual, 3, true), newStage(t, usual, 3, false)
	for at := 3 * time.Second; at < 3*time.Second+tick; at += tick / 10 {
		lose := &network.Rule{From: 2, To: 0, Cut: true}
		trial := &trial{seed: 1, delay: delays[0], fsync: fsyncs[0], horizon: sim.Time(4 * time.Second),
			asked: []asked{{at: sim.Time(at), on: 0}},
			blows: []modeltest.Blow{{At: sim.Time(at), Deal: func(f *host.Fleet, later func(time.Duration, func())) {
				f.Net.Impose(lose)
				later(tick/5, func() { f.Net.Lift(lose) })
			}}}}
		want := every.run(trial)
		if got := elided.run(trial); !slices.Equal(got, want) {
			t.Errorf("proposed at %v:\n%v\nwant\n%v", at, got, want)
		}
	}
}

// Whatever befalls a cluster, and whenever: what its programs see, and when, and what is
// in its members is the same whether idle heartbeats are sent or worked out.
func TestElisionChangesNothing(t *testing.T) {
	type pair struct{ every, elided *stage }
	var pairs []pair
	add := func(timing Timing, members ...int) {
		for _, n := range members {
			pairs = append(pairs, pair{newStage(t, timing, n, true), newStage(t, timing, n, false)})
		}
	}
	add(usual, 3, 3, 3, 1, 2, 5)
	add(slow, 3, 3)
	add(eager, 3, 5)
	add(volatile, 3)
	saved, total := uint64(0), uint64(0)
	rapid.Check(t, func(t *rapid.T) {
		draw := func(what string, lo, hi int) int { return rapid.IntRange(lo, hi).Draw(t, what) }
		p := pairs[draw("members", 0, len(pairs)-1)]
		trial := drawTrial(draw, p.every.cluster.timing, len(p.every.cluster.members))
		want, got := p.every.run(trial), p.elided.run(trial)
		total += p.every.world.Fired()
		saved += p.every.world.Fired() - p.elided.world.Fired()
		for i := range min(len(got), len(want)) {
			if got[i] != want[i] {
				t.Fatalf("%+v\nline %d is\n%s\nwant\n%s", trial, i, got[i], want[i])
			}
		}
		if len(got) != len(want) {
			t.Fatalf("%+v\n%d lines, want %d", trial, len(got), len(want))
		}
	})
	t.Logf("%d of %d events were saved", saved, total)
	if saved < total/10 {
		t.Error("too little was elided for the test to mean anything")
	}
}
