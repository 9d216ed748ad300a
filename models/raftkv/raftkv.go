// Package raftkv runs a replicated program on the consensus code that etcd runs,
// go.etcd.io/raft, over the simulated network: one member per host.
//
// # Elections
//
// raft draws its election timeout from crypto/rand, which no seed reaches. So
// followers and candidates are never ticked here. A member counts the ticks of its own
// silence, from the same kind of ticker as etcd's (server/etcdserver/raft.go, start),
// calls ForgetLeader after ElectionTicks of them and Campaign at the timeout that it
// drew from the trial's stream. ForgetLeader stands for raft's own count of elapsed
// ticks, without which a peer's pre-vote is never granted (go.etcd.io/raft/v3, Step,
// "inLease"). Leaders are ticked: heartbeats and check-quorum are raft's.
//
// One thing differs from etcd: between the first and the second of these instants raft
// knows no leader, where etcd's would still forward to the silent one. A proposal made
// in that second waits, where etcd's may be lost. [Member.Lead] still tells the leader
// that etcd would know.
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
// leader is of no interest to a lock.
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
	// Receive handles a message that is not raft's.
	Receive(m network.Message)
	// Timer handles a timer set with [Member.After].
	Timer(tag int)
}

// Cluster is a group of members.
type Cluster struct {
	env     *models.Env
	members []*Member
}

// New puts members on hosts, with the numbers 1, 2, 3... in their order. The program
// of a member is made by app, once.
func New(e *models.Env, hosts []*host.Host, app func(m *Member) App) *Cluster {
	c := &Cluster{env: e}
	for i, h := range hosts {
		m := &Member{ID: uint64(i + 1), cluster: c, host: h}
		m.app = app(m)
		h.Server = m
		c.members = append(c.members, m)
	}
	return c
}

// Reset starts a cluster that stands: empty disks, every member up, member 1
// campaigning.
func (c *Cluster) Reset() {
	for _, m := range c.members {
		m.reset()
	}
	c.members[0].after(0, timerCampaign)
}

// Members returns the members by number, the first being 1.
func (c *Cluster) Members() []*Member { return c.members }

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
