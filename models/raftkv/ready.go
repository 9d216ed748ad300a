package raftkv

import (
	"fmt"
	"time"

	"go.etcd.io/raft/v3"
	pb "go.etcd.io/raft/v3/raftpb"

	"fencepost/sim/history"
)

// drain handles whatever raft has ready, until it has nothing or the disk is busy.
// The order of the steps is that of etcd's raft loop (server/etcdserver/raft.go,
// start): committed entries are handed over first, a leader sends in parallel with its
// own disk write, everybody else writes first and then sends.
func (m *Member) drain() {
	if m.draining {
		return
	}
	m.draining = true
	for !m.busy {
		m.proposeWaiting()
		if !m.node.HasReady() {
			break
		}
		m.handle(m.node.Ready())
	}
	m.draining = false
}

// proposeWaiting hands over the proposals that waited for a leader to be known. It does
// not wait for the disk: a proposal made by a leader is that leader's, even if raft
// learns of another one before the disk is done.
func (m *Member) proposeWaiting() {
	if len(m.proposals) == 0 || m.currentLead() == raft.None {
		return
	}
	now := m.Now()
	for _, p := range m.proposals {
		if now < p.until {
			_ = m.node.Propose(p.data) // dropped: the request times out
		}
	}
	m.proposals = m.proposals[:0]
}

func (m *Member) handle(rd raft.Ready) {
	m.observe(rd)
	m.countReads(&rd)
	m.confirmReads(rd.ReadStates)
	m.apply(rd.CommittedEntries)
	if m.IsLeader() {
		m.send(rd.Messages)
	}
	m.disk.write(rd.HardState, rd.Entries)
	m.saving, m.busy = rd, true
	// A change of the commit index alone need not be durable (go.etcd.io/raft/v3, MustSync).
	if !rd.MustSync || m.host.Disk.Sync(m.tag(timerSynced)) {
		m.saved()
	}
}

// saved ends the handling of a Ready: it is on the disk.
func (m *Member) saved() {
	rd := m.saving
	m.saving, m.busy = raft.Ready{}, false
	if rd.MustSync {
		m.disk.Sync()
	}
	if !m.IsLeader() {
		m.send(rd.Messages)
	}
	m.node.Advance(rd)
}

// observe follows raft's state. The points at which raft would reset its count of
// elapsed ticks, and draw a new timeout, are those of its reset and of a granted vote.
func (m *Member) observe(rd raft.Ready) {
	if hard := rd.HardState; !raft.IsEmptyHardState(hard) {
		if hard.GetTerm() != m.term {
			m.election.restart()
			m.silent = raft.None
		}
		if hard.GetVote() != m.vote {
			m.election.silence = 0
		}
		m.term, m.vote = hard.GetTerm(), hard.GetVote()
	}
	if rd.SoftState == nil {
		return
	}
	before, lead := m.role, m.lead
	m.role, m.lead = rd.RaftState, rd.Lead
	if m.lead != raft.None || m.role != raft.StateFollower {
		m.silent = raft.None
	}
	if m.lead == raft.None {
		m.retryLater()
	}
	if m.role != before && m.role != raft.StatePreCandidate {
		m.election.restart()
		m.beats, m.asked, m.confirmed = 0, 0, 0
	}
	switch {
	case m.role != raft.StateLeader:
		m.app.Demoted()
	case before != raft.StateLeader:
		m.note(fmt.Sprintf("leader member %d term %d", m.ID, m.term))
	}
	if m.lead != raft.None && m.lead != lead {
		m.leaderChanged()
	}
}

// apply applies committed entries. The empty entry of a term makes the leader of that
// term one that has caught up (server/etcdserver/server.go, applyEntryNormal).
func (m *Member) apply(entries []*pb.Entry) {
	for _, e := range entries {
		m.applied = e.GetIndex()
		if data := e.GetData(); len(data) > 0 {
			m.app.Apply(m.applied, data)
		} else if m.IsLeader() {
			m.app.Elected()
		}
	}
	m.finishRead()
}

func (m *Member) note(text string) {
	m.cluster.env.Recorder.Add(history.Record{Kind: history.Note, Local: time.Duration(m.Now()), Text: text})
}
