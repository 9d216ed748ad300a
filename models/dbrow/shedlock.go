package dbrow

import (
	"errors"
	"time"

	"fencepost/models"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
)

// shedlock is a StorageBasedLockProvider on a JdbcTemplateStorageAccessor.
type shedlock struct {
	*library
	known bool // this process knows that the row exists (LockRecordRegistry)
	lock  simpleLock
}

// simpleLock is the lock in hand: the LockConfiguration that it was got or extended with.
type simpleLock struct {
	created reading
	least   time.Duration // lockAtLeastFor, as from then
	valid   bool          // it has not been used up by a release or an extension
}

// Acquire implements [models.Locker]: doLock. There is one try, and no waiting.
func (s *shedlock) Acquire(p *host.Process, hold history.HoldID) (models.Grant, error) {
	s.begin(hold)
	p.Step("acquire.send")
	created := read(p)
	p.Step(stepDated)
	got := s.doLock(p, created)
	p.Step("acquire.reply")
	if !got {
		return models.Grant{}, models.ErrNotAcquired
	}
	s.lock = simpleLock{created: created, least: s.system.options.least, valid: true}
	return models.Grant{}, nil
}

// doLock inserts the row, or takes it over if that is there. A commit without an answer
// counts as a failure of the statement (insertRecord and updateRecord catch it); any other
// error is the end of this run.
func (s *shedlock) doLock(p *host.Process, created reading) bool {
	age, ttl := s.system.options.age, s.system.options.ttl
	if !s.known {
		reply, err := s.runAndCommit(p, s.statement(OpUpsert, ttl, created, read(p)), age)
		if err != nil && !errors.Is(err, errCommit) {
			return false
		}
		s.known = true
		if err == nil && reply.OK {
			return true
		}
		p.Step(stepUpdate)
	}
	reply, err := s.runAndCommit(p, s.statement(OpUpdate, ttl, created, read(p)), age)
	return err == nil && reply.OK
}

// Valid implements [models.Locker]: a task is never told.
func (s *shedlock) Valid(*host.Process) bool { return true }

// Renew implements [models.Renewer]: LockExtender.extendActiveLock.
func (s *shedlock) Renew(p *host.Process) error {
	p.Step("renew.send")
	extended, err := s.extend(p, s.system.options.least)
	p.Step("renew.reply")
	if err == nil && !extended {
		return models.ErrNotHeld
	}
	return err
}

// extend replaces the lock by one that lasts for the whole TTL from now. If the row was not
// there to be extended, the lock in hand is used up all the same (AbstractSimpleLock,
// extend): it will not be released.
func (s *shedlock) extend(p *host.Process, least time.Duration) (bool, error) {
	if !s.lock.valid {
		return false, nil // IllegalStateException
	}
	now := read(p)
	reply, err := s.runAndCommit(p, s.statement(OpExtend, s.system.options.ttl, now, now), 0)
	if err != nil {
		return false, err
	}
	s.lock = simpleLock{created: now, least: least, valid: reply.OK}
	return reply.OK, nil
}

// Release implements [models.Locker]: AbstractSimpleLock.unlock. Whether a row was changed
// is not looked at.
func (s *shedlock) Release(p *host.Process) error {
	p.Step("release.send")
	if !s.lock.valid {
		return models.ErrNotHeld // IllegalStateException
	}
	err := s.unlock(p)
	p.Step("release.reply")
	s.lock.valid = err != nil
	return err
}

// unlock tries again if the commit is not answered, ten times in all, and leaves it at that.
func (s *shedlock) unlock(p *host.Process) error {
	const attempts = 10
	for range attempts {
		_, err := s.runAndCommit(p, s.unlockStatement(p), 0)
		if !errors.Is(err, errCommit) {
			return err
		}
	}
	return nil
}

// unlockStatement sets lock_until to now, or to when lock-at-least-for is over. By the
// client's time that counts from the last extension (LockConfiguration, getUnlockTime), by
// the database's from when the lock was got.
func (s *shedlock) unlockStatement(p *host.Process) network.Body {
	now := read(p)
	b := s.statement(OpRelease, s.lock.least, s.lock.created, now)
	if s.system.options.time == clientTime {
		b.TTL = max(0, b.TTL)
	}
	if s.system.options.unlockByName {
		b.Value = anybody
	}
	return b
}
