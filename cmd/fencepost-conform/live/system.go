//go:build linux

package live

import (
	"errors"
	"fmt"

	"fencepost/models"
	"fencepost/sim/history"
	"fencepost/sim/host"
)

// realLock is a lock whose servers and clients are real. The world has hosts for them, so that faults can be
// aimed at them; what befalls a host the session does to the process.
type realLock struct {
	models.Lock
	session *session
}

// Build implements [models.Lock].
func (l *realLock) Build(e *models.Env) models.System {
	d, s := l.Describe(), l.session
	n := d.Servers
	if e.Params.Has("servers") {
		n = e.Params.Int("servers")
	}
	s.env, s.hosts = e, e.Servers(d.Role, n)
	s.bridge = newBridge(s.ctx, e.Fleet.World, s.late, s.mirror)
	go s.watch()
	return &system{s}
}

// system implements [models.System] and [models.Elected].
type system struct{ *session }

// Reset implements [models.System]: a session is played once.
func (*system) Reset() {}

// Leader implements [models.Elected].
func (s *system) Leader() (int, bool) { return s.cluster.leader() }

// Locker implements [models.System]. A client that starts anew has a worker that does.
func (s *system) Locker(client int) models.Locker {
	if s.players[client] == nil {
		s.bridge.fail(s.startPlayer(client))
	}
	l := locker{s.session, client}
	if s.rig.renews {
		return renewer{l}
	}
	return l
}

// locker implements [models.Locker] with a worker.
type locker struct {
	*session
	client int
}

// do has the worker do something, while the world goes on.
func (l locker) do(p *host.Process, what string) (answer order, err error) {
	w := l.players[l.client]
	l.bridge.do(p, func() { answer, err = w.do(l.ctx, what) })
	if err != nil {
		l.bridge.fail(err)
		return answer, err
	}
	switch {
	case answer.OK:
		return answer, nil
	case answer.NotHeld:
		return answer, models.ErrNotHeld
	}
	return answer, errors.New(answer.Error)
}

// Acquire implements [models.Locker].
func (l locker) Acquire(p *host.Process, _ history.HoldID) (models.Grant, error) {
	answer, err := l.do(p, "acquire")
	if err != nil {
		return models.Grant{}, fmt.Errorf("%w: %w", models.ErrNotAcquired, err)
	}
	return models.Grant{Token: answer.Token}, nil
}

// Valid implements [models.Locker]. The library answers at once, when its process goes on as the simulated one does.
func (l locker) Valid(*host.Process) bool {
	l.mirror()
	answer, err := l.players[l.client].do(l.ctx, "check")
	l.bridge.fail(err)
	return answer.OK
}

// Release implements [models.Locker].
func (l locker) Release(p *host.Process) error {
	_, err := l.do(p, "release")
	return err
}

// renewer is a locker whose library renews when it is told to.
type renewer struct{ locker }

// Renew implements [models.Renewer].
func (l renewer) Renew(p *host.Process) error {
	_, err := l.do(p, "renew")
	return err
}
