package raftkv

import (
	"time"

	"go.etcd.io/raft/v3"

	"fencepost/sim/clock"
	"fencepost/sim/rng"
)

// election is a member's ticker and its count of silent ticks.
type election struct {
	due     clock.Mono // of the next tick
	armed   clock.Mono // the tick for which a timer is set, if there is one
	last    clock.Mono // when a tick was last taken
	late    bool       // a tick came due while the loop waited for the disk
	silence int        // ticks since a leader was heard or a vote granted
	timeout int        // ticks of silence that make a candidate; 0 is not drawn yet
	retries bool       // a timer is set to ask for votes if no leader is known then
	draws   uint64     // timeouts and retries drawn so far
}

// restart forgets the silence and the timeout, as raft's reset does.
func (e *election) restart() { e.silence, e.timeout = 0, 0 }

// startTicker starts a ticker at a drawn phase.
func (m *Member) startTicker() {
	s := rng.New(rng.Hash(m.cluster.env.Seed, rng.HashString("raft.ticker"), m.ID, uint64(m.life)), m.host.World().Digest())
	now := m.Now()
	m.election = election{due: now.Add(s.Between(1, m.cluster.timing.Tick)), last: now, draws: m.election.draws}
	m.arm(m.election.due)
}

// arm sets a timer for a tick.
func (m *Member) arm(due clock.Mono) {
	m.election.armed = due
	m.after(due.Sub(m.Now()), timerTick)
}

// tickerFired takes a tick, or keeps one for later while the loop waits for the disk:
// etcd ticks raft in the loop that also writes (server/etcdserver/raft.go, start). The
// ticker stays on its grid and drops what nobody took (Go, package time, NewTicker).
func (m *Member) tickerFired() {
	now := m.Now()
	if m.cluster.elidesTick(m, now) || now < m.election.due {
		return // the timer was set before the cluster became quiet
	}
	late := now.Sub(m.election.due)
	tick := m.cluster.timing.Tick
	m.election.due = m.election.due.Add(late - late%tick + tick)
	m.arm(m.election.due)
	if m.busy {
		m.election.late = true
		return
	}
	m.tick()
}

// takeLateTick takes the tick that waited for the disk.
func (m *Member) takeLateTick() {
	if m.election.late && !m.busy {
		m.election.late = false
		m.tick()
	}
}

// TickedWithin reports whether the member's loop has taken a tick in the last d.
func (m *Member) TickedWithin(d time.Duration) bool { return m.Now() < m.lastTick().Add(d) }

// tick is one tick of the member: of raft's for a leader, of silence for the others.
func (m *Member) tick() {
	e := &m.election
	e.last = m.Now()
	if m.IsLeader() {
		m.beats = (m.beats + 1) % m.cluster.timing.ElectionTicks
		m.node.Tick()
		m.drain()
		return
	}
	e.silence++
	if e.silence < m.cluster.timing.ElectionTicks {
		return
	}
	if m.lead != raft.None {
		m.silent = m.lead
		_ = m.node.ForgetLeader()
	}
	if e.silence >= m.drawnTimeout() {
		m.campaign()
		return
	}
	m.drain()
}

// drawnTimeout is the member's current election timeout in ticks. It is drawn when it is
// first needed, so a follower whose leader lives draws none.
func (m *Member) drawnTimeout() int {
	e := &m.election
	if e.timeout == 0 {
		s, t := m.draw(), &m.cluster.timing
		e.timeout = t.ElectionTicks + int(s.Int64N(int64(t.Spread)))
	}
	return e.timeout
}

// draw returns a new stream for a time that an election depends on.
func (m *Member) draw() rng.Stream {
	m.election.draws++
	return rng.New(rng.Hash(m.cluster.env.Seed, rng.HashString("raft.election"), m.ID, m.election.draws), m.host.World().Digest())
}

// campaign asks for votes. The silence before the next time begins now.
func (m *Member) campaign() {
	m.election.silence = 0
	_ = m.node.Campaign()
	m.drain()
}

// retryLater sets a timer to ask for votes, unless there is one.
func (m *Member) retryLater() {
	t := &m.cluster.timing
	if t.RetryMax == 0 || m.election.retries {
		return
	}
	m.election.retries = true
	s := m.draw()
	m.after(s.Between(t.RetryMin, t.RetryMax), timerRetry)
}

// retry asks for votes if no leader is known.
func (m *Member) retry() {
	m.election.retries = false
	if m.currentLead() == raft.None {
		m.retryLater()
		m.campaign()
	}
}
