package virtual

import (
	"errors"
	"fmt"

	"fencepost/models"
	"fencepost/sim/history"
	"fencepost/sim/host"
)

// overheard is a system with libraries of which the answers to their programs are noted.
type overheard struct {
	models.System
	env  *models.Env
	lock *tuned
}

// Remove implements [models.Remover].
func (s *overheard) Remove(server, order int) { s.System.(models.Remover).Remove(server, order) }

// Locker implements [models.System].
func (s *overheard) Locker(client int) models.Locker {
	return &locker{s.System.Locker(client).(renewer), s, client}
}

// renewer is what all the libraries are.
type renewer interface {
	models.Locker
	models.Renewer
}

// locker is one of them.
type locker struct {
	renewer
	system *overheard
	client int
}

// Acquire implements [models.Locker].
func (l *locker) Acquire(p *host.Process, hold history.HoldID) (models.Grant, error) {
	g, err := l.renewer.Acquire(p, hold)
	l.note("Acquire", err)
	return g, err
}

// Release implements [models.Locker].
func (l *locker) Release(p *host.Process) error { return l.note("Release", l.renewer.Release(p)) }

// Renew implements [models.Renewer].
func (l *locker) Renew(p *host.Process) error { return l.note("Renew", l.renewer.Renew(p)) }

func (l *locker) note(method string, err error) error {
	text := fmt.Sprintf("%v client %d: %s returns %s", l.system.env.Fleet.World.Now(), l.client+1, method, class(err))
	l.system.lock.answers = append(l.system.lock.answers, text)
	return err
}

// class is what an answer says.
func class(err error) string {
	switch {
	case err == nil:
		return "ok"
	case err == models.ErrNotAcquired || errors.Is(err, models.ErrNotHeld):
		return "that servers refused"
	default:
		return "another error"
	}
}
