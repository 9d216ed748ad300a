package scenarios

import (
	"testing"

	"fencepost/models"
	"fencepost/models/resource"
	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/host"
)

// called is one call of a library by client 1's program, and what came of it.
type called struct {
	at, back sim.Time
	err      error
}

// watch notes the calls of client 1's program that a policy decides on.
type watch struct {
	renewals, releases []called
	records            []history.Record
}

// of returns client 1's records of a kind, in order.
func (w *watch) of(k history.Kind) (found []history.Record) {
	for _, r := range w.records {
		if r.Kind == k && r.Hold == 1 {
			found = append(found, r)
		}
	}
	return found
}

// watched is a lock whose first client is watched.
type watched struct {
	models.Lock
	watch *watch
}

func (l watched) Build(e *models.Env) models.System {
	return watchedSystem{l.Lock.Build(e), l.watch}
}

type watchedSystem struct {
	models.System
	watch *watch
}

// Locker implements [models.System]. What a library can do its watched one can, too.
func (s watchedSystem) Locker(client int) models.Locker {
	l := s.System.Locker(client)
	if client != 0 {
		return l
	}
	w := watchedLocker{l, s.watch}
	switch l := l.(type) {
	case models.Renewer:
		return watchedRenewer{w, l}
	case models.Suspender:
		return watchedSuspender{l, w}
	}
	return w
}

type watchedLocker struct {
	models.Locker
	watch *watch
}

func (l watchedLocker) Release(p *host.Process) error {
	return timed(&l.watch.releases, p, l.Locker.Release)
}

type watchedRenewer struct {
	watchedLocker
	renewer models.Renewer
}

func (l watchedRenewer) Renew(p *host.Process) error {
	return timed(&l.watch.renewals, p, l.renewer.Renew)
}

type watchedSuspender struct {
	models.Suspender
	watched watchedLocker
}

func (l watchedSuspender) Release(p *host.Process) error { return l.watched.Release(p) }

func timed(calls *[]called, p *host.Process, call func(*host.Process) error) error {
	c := called{at: p.Host().World().Now()}
	c.err = call(p)
	c.back = p.Host().World().Now()
	*calls = append(*calls, c)
	return c.err
}

// watchAll runs a scenario under every lock that can have it and returns what client 1 did,
// by lock.
func watchAll(t *testing.T, content string) map[string]*watch {
	t.Helper()
	s, err := Parse("policies.yaml", []byte(content))
	if err != nil {
		t.Fatal(err)
	}
	r := registry(t)
	in, err := s.Instantiate(r, nil)
	if err != nil {
		t.Fatal(err)
	}
	plans, err := in.Plans(r.Locks(), resource.Guards[:1])
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]*watch{}
	for _, p := range plans {
		if p.NotApplicable != "" {
			continue
		}
		w := &watch{}
		p.Lock, p.SkipLinear = watched{p.Lock, w}, true
		trial := NewTrial(p)
		if _, err := trial.Run(1); err != nil {
			t.Fatal(err)
		}
		w.records = append(w.records, trial.Recorder.Records...)
		trial.Close()
		all[p.Describe.Name] = w
	}
	return all
}
