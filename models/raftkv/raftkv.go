// Package raftkv runs a replicated program on the consensus code that etcd runs,
// go.etcd.io/raft, over the simulated network: one member per host.
//
// # Elections
//
// raft draws its election timeout from crypto/rand, which no seed reaches. So
// followers and candidates are never ticked here. A member counts the ticks of its own
// silence, from the same kind of ticker as etcd's (server/etcdserver/raft.go, start),
// calls ForgetLeader after [Timing.ElectionTicks] of them and Campaign at the timeout that it
// drew from the trial's stream. ForgetLeader stands for raft's own count of elapsed
// ticks, without which a peer's pre-vote is never granted (go.etcd.io/raft/v3, Step,
// "inLease"). Leaders are ticked: heartbeats and check-quorum are raft's.
//
// One thing differs from etcd: between the first and the second of these instants raft
// knows no leader, where etcd's would still forward to the silent one. A proposal made
// in that second waits, where etcd's may be lost. [Member.Lead] still tells the leader
// that etcd would know.
//
// A candidate that is not elected waits for its timeout again. With [Timing.RetryMin] it asks
// again sooner, and so does every member that knows no leader.
//
// # Time
//
// The ticker is Go's: ticks that nobody takes are dropped, all but one. A member that
// wakes from a pause, or comes back from a long fsync, takes one late tick, and the
// next on the old grid. The phase of each member's ticker is drawn, as processes do
// not start at one instant.
//
// # A cluster that stands
//
// At time zero every member is up and member 1 campaigns at once, so that a leader
// exists after three round trips. What happens before a cluster has elected its first
// leader is of no interest to a lock: clients that would be sent away begin with
// [Cluster.AwaitFirst].
//
// # Idle heartbeats
//
// The ticks and heartbeats of a cluster that has nothing else to do would be most of the
// work of a trial, and make no difference. They are not run but worked out, when somebody
// has to know. A cluster becomes quiet when
//
//   - one leader is known to all members, everybody has applied the whole log, and the
//     leader's raft is what a heartbeat and its reply would leave: every follower in step
//     and active, no read to confirm;
//   - nothing is on its way to a member or waits for a disk, and no follower has been silent
//     for more than a tick or two;
//   - all members run, on clocks within 10 % of true time, and nothing but a delay acts on
//     the leader's links;
//   - the next rounds are over before the tick that follows: no delay is longer than a bit less
//     than half a tick, either because the link knows none, or as a look at the next rounds has
//     shown. The first round that is not takes place.
//
// It wakes before anything that could tell the difference: a proposal, a read, any message
// between members, and any fault on a member's host or on a link between two (which the
// network and the fleet announce before they do it). A question that only looks, such as
// [Member.TickedWithin], is answered from the ticks' instants. To wake is to make up for
// what was left out:
//
//   - Ticks are due at known instants of each host's clock, which nobody has touched. They
//     give each ticker's place on its grid.
//   - The delay of a heartbeat depends on its link, its class and its number alone, so when
//     each of them arrived is known as well, and with it every follower's silence. They are
//     counted as sent, so that later ones get the delays that they would have got.
//   - All rounds but the last are over, and since delays are not negative, what arrived in
//     the past holds up nothing that is sent from now on. What is still on its way is put
//     there, to arrive when it would, and is from then on a message like others: a
//     partition may swallow it, another message waits behind it.
//   - A heartbeat tells a follower that is in step nothing. In the leader's raft one round
//     changes only the count of ticks since the last check-quorum. That check is left out
//     as well: it always passes, since all that were active answer in each round. What it
//     leaves behind, members that are inactive until they answer, is brought about by a
//     real tick of raft's whose messages are dropped.
//
// So every member is in the state that it would be in, to the last bit, which tests check
// against clusters that send every heartbeat ([models.Env], EveryMessage). What differs is
// the digest, and one thing that no lock rests on: which of two comes first if a tick falls
// on the nanosecond of another timer, or an arrival on that of another arrival. The tick,
// or the heartbeat, is then the later one.
//
// # Left out
//
// Snapshots and compaction (a trial's log is short), membership changes, leadership
// transfer, and learners.
//
// A process that dies leaves writes in the page cache that were not synced. etcd reads
// them when it starts anew, does not sync them, and answers for them
// (server/storage/wal/wal.go, ReadAll). Should the machine die before the kernel has
// written them back, which takes it some 30 s, they are lost although they were
// acknowledged, and raft panics. Here they are safe once the process has started.
package raftkv

import (
	"time"

	"fencepost/models"
	"fencepost/sim/host"
	"fencepost/sim/network"
)

// App is the replicated program of one member. Its methods run on the member's host
// and take no time.
type App interface {
	// Restart forgets everything: the member starts, with an empty state that the log
	// will fill.
	Restart()
	// Apply applies a committed command. The data belong to the log.
	Apply(index uint64, data []byte)
	// Elected: this member leads and has applied all entries of earlier terms.
	Elected()
	// Demoted: this member does not lead. It is called on every change that leaves the
	// member a follower or candidate.
	Demoted()
	// Readable: the member has applied everything that was committed when
	// [Member.Read] was called with the tag.
	Readable(tag int)
	// Unreadable: the read with the tag has failed and may be tried again.
	Unreadable(tag int)
	// Receive handles a message that is not raft's. What is sent to another member goes
	// through [Member.Send] and [Member.Reply].
	Receive(m network.Message)
	// Timer handles a timer set with [Member.After].
	Timer(tag int)
}

// Ordered is an [App] that carries out orders ([models.Order]).
type Ordered interface{ Order(order int) }

// Cluster is a group of members.
type Cluster struct {
	env     *models.Env
	timing  Timing
	members []*Member
	stands  bool // the first leader has begun to serve
	quiet   quiet
}

// New puts members on hosts, with the numbers 1, 2, 3... in their order. The program
// of a member is made by app, once.
func New(e *models.Env, hosts []*host.Host, t Timing, app func(m *Member) App) *Cluster {
	t.check(len(hosts))
	c := &Cluster{env: e, timing: t}
	for i, h := range hosts {
		m := &Member{ID: uint64(i + 1), cluster: c, host: h}
		m.app = app(m)
		h.Server = m
		c.members = append(c.members, m)
	}
	e.Fleet.OnDisturb(c.hostDisturbed)
	e.Fleet.Net.OnDisturb(c.linkDisturbed)
	return c
}

// Reset starts a cluster that stands: empty disks, every member up, member 1
// campaigning.
func (c *Cluster) Reset() {
	c.quiet, c.stands = quiet{}, false
	for _, m := range c.members {
		m.reset()
	}
	c.members[0].after(0, timerCampaign)
}

// Members returns the members by number, the first being 1.
func (c *Cluster) Members() []*Member { return c.members }

// Addr returns the address of a member by a running number, with which a client goes from one
// to the next: the first is 0, and comes again after the last.
func (c *Cluster) Addr(n int) network.Addr { return c.members[n%len(c.members)].host.Addr() }

// Serves notes that this member serves as the leader.
func (m *Member) Serves() { m.cluster.stands = true }

// AwaitFirst makes a client that begins with the world wait for the first leader to serve, for
// so long at most, as a client of a cluster that has long stood need not.
func (c *Cluster) AwaitFirst(p *host.Process, most time.Duration) {
	const look = time.Millisecond
	for waited := time.Duration(0); !c.stands && waited < most; waited += look {
		p.Sleep(look)
	}
}

// Leader returns the member that leads in the highest term, or nil. A leader that is
// paused or cut off is one until it learns better.
func (c *Cluster) Leader() *Member {
	var leader *Member
	for _, m := range c.members {
		if m.IsLeader() && m.host.State() != host.Crashed && (leader == nil || m.term > leader.term) {
			leader = m
		}
	}
	return leader
}

// Deposed reports whether another member leads in a higher term than the member knows of. No
// program can ask that: it is for the record.
func (m *Member) Deposed() bool {
	leader := m.cluster.Leader()
	return leader != nil && leader.term > m.term
}

// Order has a member take an order, the one with an index or, for [models.AnyServer], the leader.
// If nobody leads it is the first member that is up.
func (c *Cluster) Order(server, order int) {
	m := c.Leader()
	for i := 0; i < len(c.members) && m == nil; i++ {
		if c.members[i].host.State() != host.Crashed && !c.members[i].wiped {
			m = c.members[i]
		}
	}
	if server != models.AnyServer {
		m = c.members[server]
	}
	if m != nil {
		models.Order(m.host, 0, order)
	}
}

// LeaderIndex is [Cluster.Leader] as a model's servers count, from 0.
func (c *Cluster) LeaderIndex() (server int, ok bool) {
	if m := c.Leader(); m != nil {
		return int(m.ID) - 1, true
	}
	return 0, false
}
