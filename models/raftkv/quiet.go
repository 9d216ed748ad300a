package raftkv

import (
	"time"

	"go.etcd.io/raft/v3"
	"go.etcd.io/raft/v3/tracker"

	"fencepost/sim"
	"fencepost/sim/clock"
	"fencepost/sim/host"
	"fencepost/sim/network"
)

// A round of heartbeats may be worked out if it is short: over before the leader's next tick, so
// that it holds up no message that is sent after that, and no two rounds mix. Two delays of
// maxDelayPercent of a tick pass in less than a tick of a clock that is too fast by maxDeviation;
// and followers whose clocks are as fast count few ticks between two heartbeats of a leader
// whose clock is as slow, so that none of them comes near an election.
const (
	maxDelayPercent = 45
	maxDeviation    = 100_000_000 // parts per billion
	maxSilence      = 2           // ticks, for a cluster to become quiet
)

// longestDelay is the longest delay of a message in a short round.
func (c *Cluster) longestDelay() time.Duration { return c.timing.Tick * maxDelayPercent / 100 }

// lookAhead is how many rounds are looked at before a cluster becomes quiet whose links
// are not known to be always fast enough.
const lookAhead = 16

// quiet is a cluster that does nothing but exchange heartbeats. They are worked out when
// somebody needs to know; see the package comment.
type quiet struct {
	on      bool
	run     uint64 // of the world
	since   sim.Time
	lead    *Member
	horizon clock.Mono // the leader's tick that is to be taken; 0 is none
}

// isQuiet reports whether the cluster is quiet now.
func (c *Cluster) isQuiet() bool { return c.quiet.on && c.quiet.run == c.env.Fleet.World.Resets() }

// settle makes the cluster quiet if it can be.
func (c *Cluster) settle() {
	if c.isQuiet() || c.env.EveryMessage {
		return
	}
	lead := c.settledLeader()
	if lead == nil || !c.undisturbed(lead) || !lead.inStep() {
		return
	}
	rounds := uint64(lookAhead)
	fast := c.alwaysFast(lead)
	if !fast {
		if rounds = c.shortRounds(lead); rounds == 0 {
			return
		}
	}
	w := c.env.Fleet.World
	c.quiet = quiet{on: true, run: w.Resets(), since: w.Now(), lead: lead}
	if !fast {
		c.quiet.horizon = lead.election.due.Add(time.Duration(rounds) * c.timing.Tick)
		lead.arm(c.quiet.horizon)
	}
}

// settledLeader returns the leader of a cluster in which everybody follows it and has
// applied the whole log, and nobody waits for anything; otherwise nil.
func (c *Cluster) settledLeader() *Member {
	id := c.members[0].lead
	if id == raft.None {
		return nil
	}
	lead := c.members[id-1]
	if !lead.IsLeader() || lead.asked != lead.confirmed {
		return nil
	}
	last := uint64(len(lead.disk.Written.log))
	for _, m := range c.members {
		if m.lead != id || m.term != lead.term || m.applied != last || uint64(len(m.disk.Written.log)) != last ||
			m.busy || m.election.silence > maxSilence || m.Now() >= m.election.due {
			return nil
		}
	}
	return lead
}

// undisturbed reports whether no fault is in force on a host or on a link that carries
// heartbeats, and no message is on its way to a member, whoever sent it.
func (c *Cluster) undisturbed(lead *Member) bool {
	net, now := c.env.Fleet.Net, c.env.Fleet.World.Now()
	for _, m := range c.members {
		h := m.host
		if h.State() != host.Running || h.Clock.Stands() || h.Clock.DeviationPPB(now) > maxDeviation || net.Inbound(h.ID) > 0 {
			return false
		}
	}
	for _, m := range c.members {
		if m == lead {
			continue
		}
		for _, way := range [...][2]network.NodeID{{lead.host.ID, m.host.ID}, {m.host.ID, lead.host.ID}} {
			if !net.Quiet(way[0], way[1], nil) || !net.Open(network.Addr{Node: way[0]}, network.Addr{Node: way[1]}) {
				return false
			}
		}
	}
	return true
}

// inStep reports whether a leader's picture of each follower is what a heartbeat and its
// reply would leave (go.etcd.io/raft/v3, stepLeader, MsgHeartbeatResp; sendHeartbeat).
func (m *Member) inStep() bool {
	last, inStep := m.applied, true
	m.node.WithProgress(func(id uint64, _ raft.ProgressType, p tracker.Progress) {
		if id != m.ID && (p.State != tracker.StateReplicate || p.Match != last || p.Next != last+1 ||
			!p.RecentActive || p.MsgAppFlowPaused || p.CanBumpCommit(last)) {
			inStep = false
		}
	})
	return inStep
}

// alwaysFast reports whether the links know no delay with which a round is not short.
func (c *Cluster) alwaysFast(lead *Member) bool {
	net, longest := c.env.Fleet.Net, c.longestDelay()
	for _, m := range c.members {
		if m != lead && (net.MaxDelay(lead.host.ID, m.host.ID) > longest || net.MaxDelay(m.host.ID, lead.host.ID) > longest) {
			return false
		}
	}
	return true
}

// shortRounds counts the short rounds before the first that is not, as far as it looks.
func (c *Cluster) shortRounds(lead *Member) uint64 {
	longest := c.longestDelay()
	for n := uint64(1); n <= lookAhead; n++ {
		for _, m := range c.members {
			if m != lead && (c.beat(lead, m, n) > longest || c.reply(lead, m, n) > longest) {
				return n - 1
			}
		}
	}
	return lookAhead
}

// beat is the delay of the n-th heartbeat from now on, reply that of its reply.
func (c *Cluster) beat(lead, m *Member, n uint64) time.Duration {
	return c.env.Fleet.Net.PeekDelay(lead.host.ID, m.host.ID, OpHeartbeat, n)
}

func (c *Cluster) reply(lead, m *Member, n uint64) time.Duration {
	return c.env.Fleet.Net.PeekDelay(m.host.ID, lead.host.ID, OpHeartbeatReply, n)
}
