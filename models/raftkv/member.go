package raftkv

import (
	"math"
	"time"

	"go.etcd.io/raft/v3"
	pb "go.etcd.io/raft/v3/raftpb"

	"fencepost/models"
	"fencepost/sim/clock"
	"fencepost/sim/host"
	"fencepost/sim/network"
	"fencepost/sim/rng"
)

// maxInflight is etcd's bound on appends under way (server/etcdserver/raft.go).
const maxInflight = 512

// Member is one member: a RawNode, its disk and its ticker.
type Member struct {
	ID uint64

	cluster *Cluster
	host    *host.Host
	app     App
	disk    storage
	node    *raft.RawNode

	life  int  // tells timers of this life from those of earlier ones
	wiped bool // the disk was lost; see [Member.Restart]

	// What raft said last. It is current whenever no Ready is being saved.
	role       raft.StateType
	lead       uint64
	silent     uint64 // leader that raft was made to forget; see [Member.Lead]
	term, vote uint64
	applied    uint64

	// Of a leader: its ticks since the last check-quorum, and the reads of its term that
	// it was asked to confirm and has confirmed.
	beats            int
	asked, confirmed uint64

	election  election
	reads     reads
	proposals []proposal
	saving    raft.Ready // waits for the disk, if busy
	busy      bool
	draining  bool
}

// proposal waits for a leader to be known.
type proposal struct {
	data  []byte
	until clock.Mono
}

// Timers of a member; those of the app come after them.
const (
	timerTick = iota
	timerSynced
	timerCampaign
	timerRead
	timerRetry
	timerApp

	timerBits = 8
)

// reset gives the member an empty disk and starts it.
func (m *Member) reset() {
	m.disk = newStorage(len(m.cluster.members))
	m.life, m.wiped, m.election.draws, m.reads.id = 0, false, 0, 0
	fsync := m.cluster.env.Fsync
	if m.cluster.timing.Volatile {
		fsync = rng.Constant(0)
	}
	m.host.Disk.Configure(fsync, m.cluster.env.Seed, "raft.fsync", m.ID)
	m.start()
}

// Restart implements [host.Restarter]: the member starts anew from what its disk has
// kept. One that has lost its disk stays away. It has forgotten entries and votes that
// the others count on, so it would have to come back as a new member; the old one
// panics when the leader tells it what is committed (go.etcd.io/raft/v3, log.go,
// commitTo), and changes of the membership are left out. So has one that had it in memory.
func (m *Member) Restart(lost host.Lost) {
	m.cluster.wake()
	m.disk.lose(lost)
	if m.wiped = m.wiped || lost == host.LoseEverything || m.cluster.timing.Volatile; m.wiped {
		m.life++
		m.role, m.lead, m.silent = raft.StateFollower, raft.None, raft.None
		return
	}
	m.start()
}

func (m *Member) start() {
	m.life++
	m.role, m.lead, m.silent, m.applied = raft.StateFollower, raft.None, raft.None, 0
	m.term, m.vote = m.disk.Written.term, m.disk.Written.vote
	m.saving, m.busy, m.draining = raft.Ready{}, false, false
	m.proposals = m.proposals[:0]
	m.reads.forget()
	node, err := raft.NewRawNode(&raft.Config{
		ID:              m.ID,
		ElectionTick:    m.cluster.timing.ElectionTicks,
		HeartbeatTick:   1,
		Storage:         &m.disk,
		MaxSizePerMsg:   math.MaxUint64,
		MaxInflightMsgs: maxInflight,
		CheckQuorum:     true,
		PreVote:         true,
		ReadOnlyOption:  raft.ReadOnlySafe,
		Logger:          silent{},
	})
	if err != nil {
		panic("raftkv: " + err.Error())
	}
	m.node = node
	m.app.Restart()
	m.startTicker()
	m.retryLater()
	m.drain()
}

// Host returns the member's host.
func (m *Member) Host() *host.Host { return m.host }

// IsLeader reports whether the member takes itself for the leader.
func (m *Member) IsLeader() bool { return m.role == raft.StateLeader }

// Lead returns the leader that the member knows, or nil. That includes a silent one
// that raft was made to forget: etcd's follower knows it until it campaigns itself
// (go.etcd.io/raft/v3, becomePreCandidate) or hears of a new term.
func (m *Member) Lead() *Member {
	lead := m.lead
	if lead == raft.None {
		lead = m.silent
	}
	if lead == raft.None {
		return nil
	}
	return m.cluster.members[lead-1]
}

// Term returns the member's term.
func (m *Member) Term() uint64 { return m.term }

// Now reads the monotonic clock of the member's host.
func (m *Member) Now() clock.Mono { return m.host.Mono() }

// After calls the app's Timer with tag once d has passed on the host's monotonic
// clock, unless the member's life ends before.
func (m *Member) After(d time.Duration, tag int) { m.after(d, timerApp+tag) }

func (m *Member) after(d time.Duration, kind int) { m.host.After(d, m.tag(kind)) }

// tag is the tag of a timer of this life.
func (m *Member) tag(kind int) int { return m.life<<timerBits | kind }

// Stream returns a named stream of the trial that is this member's own.
func (m *Member) Stream(name string) rng.Stream {
	return m.cluster.env.Stream(name, int(m.ID))
}

// Propose proposes a command, on the leader or through it. While no leader is known it
// waits, as a proposal in etcd does (go.etcd.io/raft/v3, node.run, propc); a proposal
// that is lost on the way stays lost.
func (m *Member) Propose(data []byte) {
	m.cluster.wake()
	m.proposals = append(m.proposals, proposal{data, m.Now().Add(m.cluster.timing.RequestTimeout)})
	m.proposeWaiting()
	m.drain()
}

// Send sends a message of the app's to another member.
func (m *Member) Send(to *Member, call uint32, b network.Body) {
	m.cluster.wake()
	m.host.Send(to.host.Addr(), call, b)
}

// Reply answers a message of the app's, from a client or a member.
func (m *Member) Reply(msg *network.Message, b network.Body) {
	if msg.From.Port == 0 {
		m.cluster.wake()
	}
	m.host.Reply(msg, b)
}

// Receive implements [host.Server].
func (m *Member) Receive(msg *network.Message) {
	if m.wiped {
		return
	}
	if r, ok := msg.Ref.(*pb.Message); ok {
		m.step(r)
	} else {
		m.app.Receive(*msg)
	}
	m.cluster.settle()
}

// step gives a peer's message to raft. An error of raft's means that it was dropped.
func (m *Member) step(r *pb.Message) {
	m.cluster.wake()
	if fromLeader(r.GetType()) && r.GetTerm() >= m.currentTerm() {
		m.election.silence = 0
	}
	_ = m.node.Step(ownCopy(r))
	m.drain()
}

// currentTerm is raft's term also while a Ready is being saved.
func (m *Member) currentTerm() uint64 {
	if m.busy {
		return m.node.BasicStatus().GetTerm()
	}
	return m.term
}

// currentLead is raft's leader also while a Ready is being saved.
func (m *Member) currentLead() uint64 {
	if m.busy {
		return m.node.BasicStatus().Lead
	}
	return m.lead
}

// Timer implements [host.Server].
func (m *Member) Timer(tag int) {
	if order, ok := models.OrderOf(tag); ok {
		if !m.wiped {
			m.app.(Ordered).Order(order)
			m.cluster.settle()
		}
		return
	}
	if tag>>timerBits != m.life {
		return
	}
	switch kind := tag & (1<<timerBits - 1); kind {
	case timerTick:
		m.tickerFired()
	case timerSynced:
		m.saved()
		m.drain()
		m.takeLateTick()
	case timerCampaign:
		m.campaign()
	case timerRead:
		m.retryRead()
	case timerRetry:
		m.retry()
	default:
		m.app.Timer(kind - timerApp)
	}
	m.cluster.settle()
}
