package raftkv

import (
	"time"

	pb "go.etcd.io/raft/v3/raftpb"

	"fencepost/sim"
	"fencepost/sim/clock"
	"fencepost/sim/host"
	"fencepost/sim/network"
)

// hostDisturbed and linkDisturbed are called before a fault, which finds everything as if
// nothing had been left out.
func (c *Cluster) hostDisturbed(h *host.Host) {
	if c.member(h.ID) != nil {
		c.wake()
	}
}

func (c *Cluster) linkDisturbed(from, to network.NodeID) {
	if c.member(from) != nil && c.member(to) != nil {
		c.wake()
	}
}

// member returns the member on a host, or nil.
func (c *Cluster) member(id network.NodeID) *Member {
	for _, m := range c.members {
		if m.host.ID == id {
			return m
		}
	}
	return nil
}

// wake ends the quiet: all is as if every tick had been taken and every heartbeat sent
// until now, and goes on by itself.
func (c *Cluster) wake() {
	if !c.isQuiet() {
		return
	}
	c.quiet.on = false
	lead := c.quiet.lead
	rounds := c.ticksPassed(lead)
	c.env.Fleet.World.Digest().Mix(uint64(rounds))
	c.replay(rounds)
	for _, m := range c.members {
		if m == lead {
			continue
		}
		heard, answered := c.catchUp(m, rounds)
		c.takeTicks(m, heard)
		if answered && lead.beats == 0 {
			_ = lead.node.Step(c.heartbeatReply(m))
		}
	}
	c.takeTicks(lead, never)
}

// never is an instant before all others.
const never sim.Time = -1

// ticksPassed is how many ticks of a member have come due in the quiet.
func (c *Cluster) ticksPassed(m *Member) int {
	n := dueBy(m, m.Now())
	if n > 0 && !m.host.World().Passed(c.tickAt(m, n), sim.ClassTimer) {
		n--
	}
	return n
}

// dueBy counts the ticks in the quiet that are due when the clock of the member's host
// reads now.
func dueBy(m *Member, now clock.Mono) int {
	if now < m.election.due {
		return 0
	}
	return int(now.Sub(m.election.due)/m.cluster.timing.Tick) + 1
}

// tickAt is when the n-th tick of a member in the quiet comes due.
func (c *Cluster) tickAt(m *Member, n int) sim.Time {
	return m.host.Clock.When(c.quiet.since, m.election.due.Add(time.Duration(n-1)*c.timing.Tick))
}

// lastTick is when the member took its last tick, on its clock.
func (m *Member) lastTick() clock.Mono {
	if c := m.cluster; c.isQuiet() {
		if n := c.ticksPassed(m); n > 0 {
			return m.host.Clock.Mono(c.tickAt(m, n))
		}
	}
	return m.election.last
}

// elidesTick reports whether a tick for which a timer was set is one of those that are
// left out.
func (c *Cluster) elidesTick(m *Member, now clock.Mono) bool {
	if !c.isQuiet() {
		return false
	}
	if m == c.quiet.lead && c.quiet.horizon > 0 && now >= c.quiet.horizon {
		c.wake()
		return false
	}
	if m.election.armed <= now {
		m.election.armed = 0
	}
	return true
}

// takeTicks takes the ticks of a member that came due in the quiet, the last heartbeat
// having arrived when it did.
func (c *Cluster) takeTicks(m *Member, heard sim.Time) {
	e := &m.election
	n := c.ticksPassed(m)
	if heard != never {
		e.silence = -dueBy(m, m.host.Clock.Mono(heard))
	}
	if n > 0 {
		e.last = m.host.Clock.Mono(c.tickAt(m, n))
		e.due = e.due.Add(time.Duration(n) * c.timing.Tick)
	}
	if m != c.quiet.lead {
		e.silence += n
	}
	if e.armed != e.due {
		m.arm(e.due)
	}
}

// replay brings the leader's raft to where it is right after the last tick. From one
// round to the next nothing changes in it but the count of ticks since it last checked
// whether a quorum is active. That check finds everybody active, and says of nobody that
// he is until he answers again, so after as many rounds all is as it was.
func (c *Cluster) replay(rounds int) {
	if rounds == 0 {
		return
	}
	m, electionTicks := c.quiet.lead, c.timing.ElectionTicks
	rounds = (rounds-1)%electionTicks + 1
	before := m.beats
	m.beats = (before + rounds) % electionTicks
	if before+rounds < electionTicks {
		m.count(rounds)
		return
	}
	m.count(electionTicks - 1 - before)
	m.node.Tick()
	m.node.Advance(m.node.Ready()) // heartbeats
	if m.beats == 0 {
		return
	}
	for _, f := range c.members {
		if f != m {
			_ = m.node.Step(c.heartbeatReply(f))
		}
	}
	m.count(m.beats)
}

// count has raft count ticks and do nothing else. What it calls is deprecated, but does
// exactly that, in the version of raft that go.mod names.
func (m *Member) count(ticks int) {
	for range ticks {
		m.node.TickQuiesced()
	}
}

// catchUp lets the rounds of heartbeats with a follower pass. What is on its way now
// becomes a message. It returns when the last heartbeat has arrived, and whether the
// last round is over.
func (c *Cluster) catchUp(m *Member, rounds int) (heard sim.Time, answered bool) {
	if rounds == 0 {
		return never, false
	}
	net, lead, nth := c.env.Fleet.Net, c.quiet.lead, uint64(rounds)
	sent := c.tickAt(lead, rounds)
	heard = sent.Add(c.beat(lead, m, nth))
	back := heard.Add(c.reply(lead, m, nth))
	beats, replies := nth, nth
	switch w := m.host.World(); {
	case !w.Passed(heard, sim.ClassDelivery):
		heard = never
		if rounds > 1 {
			heard = c.tickAt(lead, rounds-1).Add(c.beat(lead, m, nth-1))
		}
		beats, replies = nth-1, nth-1
	case !w.Passed(back, sim.ClassDelivery):
		replies = nth - 1
	}
	net.Skip(lead.host.ID, m.host.ID, OpHeartbeat, beats)
	net.Skip(m.host.ID, lead.host.ID, OpHeartbeatReply, replies)
	switch {
	case beats < nth:
		lead.sendLate(c.heartbeat(m), sent)
	case replies < nth:
		m.sendLate(c.heartbeatReply(m), heard)
	}
	return heard, replies == nth
}

func (m *Member) sendLate(msg *pb.Message, at sim.Time) {
	m.host.World().Digest().Mix(fingerprint(msg))
	body := envelope(msg)
	to := m.cluster.members[msg.GetTo()-1].host.Addr()
	m.cluster.env.Fleet.Net.SendLate(m.host.Addr(), to, 0, &body, at)
}

// heartbeat is what the leader of a settled cluster sends to a follower, and
// heartbeatReply what that answers (go.etcd.io/raft/v3, sendHeartbeat, handleHeartbeat).
func (c *Cluster) heartbeat(m *Member) *pb.Message {
	lead := c.quiet.lead
	return &pb.Message{Type: pb.MsgHeartbeat.Enum(), From: new(lead.ID), To: new(m.ID), Term: new(lead.term), Commit: new(lead.applied)}
}

func (c *Cluster) heartbeatReply(m *Member) *pb.Message {
	return &pb.Message{Type: pb.MsgHeartbeatResp.Enum(), From: new(m.ID), To: new(c.quiet.lead.ID), Term: new(m.term)}
}
