package raftkv

import (
	"encoding/binary"
	"time"

	"go.etcd.io/raft/v3"

	"fencepost/sim/clock"
)

// readRetry is how long a member waits for a read index before it asks again
// (server/etcdserver/v3_server.go, readIndexRetryTime).
const readRetry = 500 * time.Millisecond

// reads is the linearizable reads of a member: one round at a time asks the leader for
// its commit index and waits until that is applied; reads that come meanwhile wait for
// the next round (server/etcdserver/v3_server.go, linearizableReadLoop).
//
// etcd fails the reads of a round when the leader changes, and its client asks again at
// once; here the round itself asks again.
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

// Read asks for a linearizable read: the app's Readable is called with the tag, or
// never if no leader answers within [RequestTimeout].
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
	r := &m.reads
	m.node.ReadIndex(binary.LittleEndian.AppendUint64(nil, r.id))
	r.retryAt = m.Now().Add(readRetry)
	m.after(readRetry, timerRead)
	m.drain()
}

// askAgain asks a new leader what the old one may not have answered.
func (m *Member) askAgain() {
	if m.reads.active && !m.reads.confirmed {
		m.askLeader()
	}
}

// retryRead asks again, or gives the round up when its time is over.
func (m *Member) retryRead() {
	r := &m.reads
	now := m.Now()
	switch {
	case !r.active || r.confirmed || now < r.retryAt:
	case now >= r.began.Add(RequestTimeout):
		r.active, r.tags = false, r.tags[:0]
		m.beginRound()
	default:
		m.askLeader()
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
	if !r.active || !r.confirmed || m.applied < r.index {
		return
	}
	r.active = false
	for _, tag := range r.tags {
		m.app.Readable(tag)
	}
	r.tags = r.tags[:0]
	m.beginRound()
}
