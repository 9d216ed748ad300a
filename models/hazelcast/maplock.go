package hazelcast

import (
	"slices"
	"time"

	"fencepost/sim/clock"
	"fencepost/sim/history"
	"fencepost/sim/network"
)

// backupTimeout is how long an owner waits for its backup before it answers all the same
// (hazelcast.operation.backup.timeout.millis).
const backupTimeout = 5 * time.Second

// mapLock is the lock as one member has it (LockResourceImpl.java).
type mapLock struct {
	client  int64 // who holds it, from 1; 0 is nobody
	request int64
	hold    history.HoldID // for the record
	lease   clock.Mono     // when its lease is over here; 0 is none
	version int            // counts the changes, and tells the timers of leases apart
}

// backup is a change that the backup has been sent, and the reply that waits for its word.
type backup struct {
	number uint32
	until  clock.Mono
	client network.Message
	reply  network.Body
}

// acquire serves a lock request: the owner gives a free lock away, and lets others wait. It is a
// sign of life like a heartbeat.
func (m *member) acquire(msg network.Message) {
	m.clients[msg.Key-1] = m.host.Mono()
	switch {
	case !m.owns():
		m.host.Reply(&msg, network.Body{Op: OpWrongTarget})
	case m.lock.client == 0:
		m.give(msg)
	case m.lock.client == msg.Key && m.lock.request == msg.Value: // a retry
		m.host.Reply(&msg, network.Body{Op: OpMapLockReply, OK: true})
	default:
		m.wait(msg)
	}
}

// wait parks a request. One that comes again keeps its place.
func (m *member) wait(msg network.Message) {
	for i := range m.waiters {
		if m.waiters[i].Key == msg.Key {
			m.waiters[i] = msg
			return
		}
	}
	m.waiters = append(m.waiters, msg)
}

// give sets the lock for a client, who is answered when the backup has it too.
func (m *member) give(msg network.Message) {
	m.lock = mapLock{client: msg.Key, request: msg.Value, hold: msg.Hold, version: m.lock.version + 1}
	m.lock.lease = m.leaseEnd()
	m.watchLease()
	m.system.granted(m)
	m.backUp(msg, network.Body{Op: OpMapLockReply, OK: true})
}

// leaseEnd is when a lease is over that begins now; 0 is never.
func (m *member) leaseEnd() clock.Mono {
	if lease := m.duration("lease"); lease > 0 {
		return m.host.Mono().Add(lease)
	}
	return 0
}

// watchLease has the lock freed when its lease is over.
func (m *member) watchLease() {
	if m.lock.lease > 0 {
		m.host.After(max(0, m.lock.lease.Sub(m.host.Mono())), timerLease+m.lock.version)
	}
}

// leaseOver frees the lock of a version whose lease is over.
func (m *member) leaseOver(version int) {
	if m.owns() && m.lock.version == version {
		m.free("expired")
	}
}

// release serves an unlock. Somebody who does not hold the lock here, such as a holder on the
// smaller side of a split that has been merged, is told so (IllegalMonitorStateException).
func (m *member) release(msg network.Message) {
	switch {
	case !m.owns():
		m.host.Reply(&msg, network.Body{Op: OpWrongTarget})
	case m.lock.client != msg.Key:
		m.host.Reply(&msg, network.Body{Op: OpMapUnlockReply})
	default:
		m.clear("released")
		m.backUp(msg, network.Body{Op: OpMapUnlockReply, OK: true})
		m.serveNext()
	}
}

// free frees the lock without its holder's doing.
func (m *member) free(why string) {
	m.clear(why)
	m.replicate()
	m.serveNext()
}

// forceUnlock frees the lock whoever has it (LockStoreImpl.java, forceUnlock).
func (m *member) forceUnlock(order int) {
	if m.owns() && m.lock.client != 0 {
		m.system.env.Recorder.AddRemoval(order, m.lock.hold)
		m.free(history.Removed)
	}
}

func (m *member) clear(why string) {
	was := m.lock
	m.lock = mapLock{version: was.version + 1}
	m.system.ended(m, was, why)
}

func (m *member) serveNext() {
	if m.lock.client == 0 && len(m.waiters) > 0 {
		next := m.waiters[0]
		m.waiters = slices.Delete(m.waiters, 0, 1)
		m.give(next)
	}
}

// forgetSilent takes clients for gone that have been silent for too long: who waits is taken
// out of the queue, and the lock of a holder is freed.
func (m *member) forgetSilent() {
	now, silence := m.host.Mono(), m.duration("no-heartbeat")
	silent := func(client int64) bool { return now.Sub(m.clients[client-1]) > silence }
	m.waiters = slices.DeleteFunc(m.waiters, func(w network.Message) bool { return silent(w.Key) })
	if m.owns() && m.lock.client != 0 && silent(m.lock.client) {
		m.free("holder gone")
	}
}

// promoted is a backup that has become the owner. Its copy is the lock now, with the lease that
// has run since it got it (LockSupportServiceImpl.java, scheduleEvictions).
func (m *member) promoted() {
	m.watchLease()
	m.forgetSilent()
}

// drop forgets the lock and who waits for it, to join a larger side.
func (m *member) drop() {
	owned := m.owns()
	was := m.lock
	m.lock = mapLock{version: was.version + 1}
	if owned && was.client != 0 {
		m.system.ended(m, was, history.LostInMerge)
	}
	for i := range m.waiters {
		m.host.Reply(&m.waiters[i], network.Body{Op: OpWrongTarget})
	}
	m.waiters, m.backups = m.waiters[:0], m.backups[:0]
}

// replicate sends the backup, if there is one, the lock as it is.
func (m *member) replicate() {
	if len(m.view) > 1 {
		m.sent++
		m.send(m.view[1], m.sent, network.Body{Op: OpBackup, Key: m.lock.client, Value: m.lock.request, Revision: int64(m.lock.version), Hold: m.lock.hold})
	}
}

// backUp sends the lock to the backup and answers a client when it has it. An owner that sees
// no other member answers at once.
func (m *member) backUp(client network.Message, reply network.Body) {
	if len(m.view) == 1 {
		m.host.Reply(&client, reply)
		return
	}
	m.replicate()
	m.backups = append(m.backups, backup{m.sent, m.host.Mono().Add(backupTimeout), client, reply})
	m.host.After(backupTimeout, timerBackup)
}

// takeBackup keeps a copy of the owner's lock. Its lease begins when the copy comes for the first
// time.
func (m *member) takeBackup(msg *network.Message) {
	was := m.lock
	m.lock = mapLock{client: msg.Key, request: msg.Value, hold: msg.Hold, version: int(msg.Revision), lease: was.lease}
	if msg.Value != was.request {
		m.lock.lease = m.leaseEnd()
	}
	m.host.Reply(msg, network.Body{Op: OpBackupReply, OK: true})
}

// backedUp answers the client of a change that the backup has.
func (m *member) backedUp(number uint32) {
	m.settle(func(b backup) bool { return b.number == number })
}

// giveUpBackups answers the clients whose changes the backup has not confirmed in time.
func (m *member) giveUpBackups() {
	now := m.host.Mono()
	m.settle(func(b backup) bool { return b.until <= now })
}

func (m *member) settle(which func(b backup) bool) {
	m.backups = slices.DeleteFunc(m.backups, func(b backup) bool {
		if !which(b) {
			return false
		}
		m.host.Reply(&b.client, b.reply)
		return true
	})
}
