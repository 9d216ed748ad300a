package raftkv

import (
	"encoding/binary"
	"time"

	"go.etcd.io/raft/v3"
	pb "go.etcd.io/raft/v3/raftpb"

	"fencepost/sim/clock"
)

// readRetry is how long a member waits for a read index before it asks again
// (server/etcdserver/v3_server.go, readIndexRetryTime).
const readRetry = 500 * time.Millisecond

// reads is the linearizable reads of a member: one round at a time asks the leader for
// its commit index and waits until that is applied; reads that come meanwhile wait for
// the next round (server/etcdserver/v3_server.go, linearizableReadLoop). A change of
// the leader fails the round (requestCurrentIndex, ErrLeaderChanged).
type reads struct {
	waiting   []int // tags for the next round
	tags      []int // tags of the round under way
	id        uint64
	active    bool
	confirmed bool
	index     uint64
	began     clock.Mono
	retryAt   clock.Mono
}

func (r *reads) forget() {
	*r = reads{waiting: r.waiting[:0], tags: r.tags[:0], id: r.id}
}

// Read asks for a linearizable read: the app's Readable is called with the tag, or its
// Unreadable if the leader changes, or if none answers within the request timeout.
func (m *Member) Read(tag int) {
	m.reads.waiting = append(m.reads.waiting, tag)
	m.beginRound()
}

func (m *Member) beginRound() {
	r := &m.reads
	if r.active || len(r.waiting) == 0 {
		return
	}
	r.tags, r.waiting = r.waiting, r.tags[:0]
	r.id++
	r.active, r.confirmed, r.began = true, false, m.Now()
	m.askLeader()
}

// askLeader asks for the read index of the round under way. Without a leader raft
// drops the question.
func (m *Member) askLeader() {
	m.cluster.wake()
	r := &m.reads
	m.node.ReadIndex(binary.LittleEndian.AppendUint64(nil, r.id))
	r.retryAt = m.Now().Add(readRetry)
	m.after(readRetry, timerRead)
	m.drain()
}

// leaderChanged fails the round that has asked the old leader.
func (m *Member) leaderChanged() {
	if m.reads.active && !m.reads.confirmed {
		m.endRound(m.app.Unreadable)
	}
}

// endRound tells the reads of the round how it went and begins the next one. Reads
// that are asked for meanwhile wait, because the round is still active.
func (m *Member) endRound(tell func(tag int)) {
	r := &m.reads
	r.confirmed = false
	for _, tag := range r.tags {
		tell(tag)
	}
	r.active, r.tags = false, r.tags[:0]
	m.beginRound()
}

// retryRead asks again, or gives the round up when its time is over.
func (m *Member) retryRead() {
	r := &m.reads
	now := m.Now()
	switch {
	case !r.active || r.confirmed || now < r.retryAt:
	case now >= r.began.Add(m.cluster.timing.RequestTimeout):
		m.endRound(m.app.Unreadable)
	default:
		m.askLeader()
	}
}

// countReads keeps account of the reads that a leader still has to confirm. Their place
// in its queue is the context of heartbeats (go.etcd.io/raft/v3, read_only.go).
func (m *Member) countReads(rd *raft.Ready) {
	if !m.IsLeader() {
		return
	}
	m.confirmed += uint64(len(rd.ReadStates))
	for _, msg := range rd.Messages {
		switch ctx := msg.GetContext(); {
		case msg.GetType() == pb.MsgReadIndexResp:
			m.confirmed++
		case msg.GetType() == pb.MsgHeartbeat && len(ctx) > 0:
			m.asked = max(m.asked, binary.LittleEndian.Uint64(ctx))
		}
	}
}

// confirmReads takes the leader's answer to the round under way.
func (m *Member) confirmReads(states []raft.ReadState) {
	r := &m.reads
	for _, s := range states {
		if r.active && !r.confirmed && binary.LittleEndian.Uint64(s.RequestCtx) == r.id {
			r.confirmed, r.index = true, s.Index
		}
	}
}

// finishRead ends the round if what it waits for is applied.
func (m *Member) finishRead() {
	r := &m.reads
	if r.active && r.confirmed && m.applied >= r.index {
		m.endRound(m.app.Readable)
	}
}
