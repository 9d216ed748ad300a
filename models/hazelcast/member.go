package hazelcast

import (
	"slices"
	"time"

	"fencepost/models"
	"fencepost/sim/clock"
	"fencepost/sim/host"
	"fencepost/sim/network"
)

// view is the members that one member sees, by their places, in the order in which they own
// the partition: the first is the owner, the second has the backup.
type view []int

// encode packs a view into a number, four bits a member.
func (v view) encode() (code int64) {
	for i := len(v) - 1; i >= 0; i-- {
		code = code<<4 | int64(v[i]+1)
	}
	return code
}

func decodeView(code int64) (v view) {
	for ; code != 0; code >>= 4 {
		v = append(v, int(code&15)-1)
	}
	return v
}

// larger reports whether a side of a split is to take the other in: the one with more members,
// and of two as large the one with the lower first member.
func (v view) larger(other view) bool {
	if len(v) != len(other) {
		return len(v) > len(other)
	}
	return slices.Min(v) < slices.Min(other)
}

// member is a member of the cluster with its copy of the lock.
type member struct {
	system *imap
	place  int
	host   *host.Host
	gone   bool // its process has died, and its memory with it

	view    view
	heard   []clock.Mono // of each member
	clients []clock.Mono // of each client

	lock    mapLock
	waiters []network.Message
	backups []backup // changes that wait for the backup's word
	sent    uint32   // backups sent
}

// Timers of a member.
const (
	timerBeat = iota
	timerSplit
	timerBackup
	timerLease // and beyond: the version of the lock whose lease it ends
)

func (m *member) reset() {
	all := len(m.system.members)
	*m = member{system: m.system, place: m.place, host: m.host, waiters: m.waiters[:0], backups: m.backups[:0],
		heard: make([]clock.Mono, all), clients: make([]clock.Mono, len(m.system.clients))}
	for i := range all {
		m.view = append(m.view, i)
	}
	phase := m.system.env.Stream("hazelcast.beat", m.place)
	m.host.After(phase.Between(1, m.duration("heartbeat")), timerBeat)
	m.host.After(m.duration("merge-first"), timerSplit)
}

func (m *member) duration(name string) time.Duration { return m.system.env.Params.Duration(name) }

func (m *member) owns() bool { return m.view[0] == m.place }

// alive reports whether the member's process runs, or stands still and will go on.
func (m *member) alive() bool { return !m.gone && m.host.State() != host.Crashed }

func (m *member) sees(place int) bool { return slices.Contains(m.view, place) }

// send sends to another member.
func (m *member) send(to int, call uint32, b network.Body) {
	m.host.Send(m.system.members[to].host.Addr(), call, b)
}

// Restart implements [host.Restarter].
func (m *member) Restart(host.Lost) { m.gone = true }

// Receive implements [host.Server].
func (m *member) Receive(msg *network.Message) {
	if m.gone {
		return
	}
	switch msg.Op {
	case OpBeat:
		m.beaten(msg)
	case OpSplit:
		m.found(decodeView(msg.Revision))
	case OpLeave:
		m.merge(decodeView(msg.Revision))
	case OpJoin:
		m.join(int(msg.Value) - 1)
	case OpBackup:
		m.takeBackup(msg)
	case OpBackupReply:
		m.backedUp(msg.Call)
	case OpMapLock:
		m.acquire(*msg)
	case OpMapUnlock:
		m.release(*msg)
	}
}

// Timer implements [host.Server].
func (m *member) Timer(tag int) {
	order, ordered := models.OrderOf(tag)
	switch {
	case m.gone:
	case ordered:
		m.forceUnlock(order)
	case tag == timerBeat:
		m.host.After(m.duration("heartbeat"), timerBeat)
		m.beat()
	case tag == timerSplit:
		m.host.After(m.duration("merge-next"), timerSplit)
		m.lookForOthers()
	case tag == timerBackup:
		m.giveUpBackups()
	default:
		m.leaseOver(tag - timerLease)
	}
}

// beat tells the others that this member lives, and takes those for gone that have been silent
// for too long.
func (m *member) beat() {
	now, silence := m.host.Mono(), m.duration("no-heartbeat")
	for _, other := range slices.Clone(m.view) {
		switch {
		case other == m.place:
		case now.Sub(m.heard[other]) > silence:
			m.remove(other)
		default:
			m.send(other, 0, network.Body{Op: OpBeat, Value: int64(m.place + 1)})
		}
	}
	m.forgetSilent()
}

// beaten takes a heartbeat, of a member or, with Key, of a client. A client is told the view,
// and if it holds the lock here that is a promise.
func (m *member) beaten(msg *network.Message) {
	now := m.host.Mono()
	if msg.Key == 0 {
		m.heard[msg.Value-1] = now
		return
	}
	client := int(msg.Key) - 1
	m.clients[client] = now
	if m.owns() && m.lock.client == msg.Key {
		m.system.promise(m)
	}
	m.host.Reply(msg, network.Body{Op: OpBeatReply, OK: true, Revision: m.view.encode()})
}

// remove takes a member out of the view. Whoever comes first then owns the partition, by the
// copy that it has.
func (m *member) remove(other int) {
	owned := m.owns()
	m.view = slices.DeleteFunc(m.view, func(p int) bool { return p == other })
	m.system.env.Note(m.host, 0, m.host.Name+" has removed "+m.system.members[other].host.Name)
	if !owned && m.owns() {
		m.promoted()
	}
	if m.owns() {
		m.replicate()
	}
}

// lookForOthers is what the first member of a side does from time to time when some are missing
// (SplitBrainHandler).
func (m *member) lookForOthers() {
	if !m.owns() {
		return
	}
	for other := range m.system.members {
		if !m.sees(other) {
			m.send(other, 0, network.Body{Op: OpSplit, Revision: m.view.encode()})
		}
	}
}

// found hears of another side. The smaller one joins the larger, all of it.
func (m *member) found(other view) {
	if slices.Contains(other, m.place) || m.view.larger(other) {
		return // they will hear of us
	}
	for _, place := range m.view {
		if place == m.place {
			m.merge(other)
		} else {
			m.send(place, 0, network.Body{Op: OpLeave, Revision: other.encode()})
		}
	}
}

// merge gives up what this member has and joins a larger side, at the end of its view.
func (m *member) merge(larger view) {
	if m.sees(larger[0]) {
		return
	}
	m.drop()
	now := m.host.Mono()
	for i := range m.heard {
		m.heard[i] = now
	}
	m.view = append(slices.Clone(larger), m.place)
	m.system.env.Note(m.host, 0, m.host.Name+" has joined the larger side")
	for _, place := range larger {
		m.send(place, 0, network.Body{Op: OpJoin, Value: int64(m.place + 1)})
	}
}

// join takes a member in that comes from a smaller side.
func (m *member) join(other int) {
	m.heard[other] = m.host.Mono()
	if !m.sees(other) {
		m.view = append(m.view, other)
	}
	if m.owns() {
		m.replicate()
	}
}
