package resource

import (
	"time"

	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
)

// Ask asks the lock service whether a token is still that of the holder; it may take its time.
type Ask func(p *host.Process, hold history.HoldID, token int64) (valid bool)

// AskWith gives the resource what it asks with. A guard that asks needs it.
func (s *Store) AskWith(ask Ask) { s.ask = ask }

// Pending is how many requests are asked about or applied: they have come in and are neither
// served nor rejected. A crash of the host takes them.
func (s *Store) Pending() int {
	if s.life != s.host.Incarnation() || s.host.State() == host.Crashed {
		return 0
	}
	return s.pending
}

// takeTime serves a request that takes time: for asking the lock service about its token (M.
// Burrows, Chubby, OSDI 2006, 2.4), for being applied, or for both. Meanwhile others are served.
// What becomes of the lock after the answer was given, the resource does not learn.
func (s *Store) takeTime(m *network.Message, apply time.Duration) {
	s.begin()
	request, arrived, name := *m, s.object(m).kept.version, "applying"
	if s.asks(m) {
		name = "asking"
	}
	s.host.Go(name, func(p *host.Process) {
		before, after := apply, time.Duration(0)
		if s.settings.CheckAtRequest {
			before, after = after, before
		}
		pass(p, before)
		passes, why := s.check(p, &request, arrived)
		pass(p, after)
		s.answer(&request, passes, why)
		s.end()
	})
}

func (s *Store) begin() {
	if s.Pending() == 0 {
		s.pending, s.life = 0, s.host.Incarnation()
	}
	s.pending++
}

func (s *Store) end() {
	if s.pending--; s.pending == 0 && s.OnIdle != nil {
		s.OnIdle()
	}
}

// check is the guard's comparison, or the service's.
func (s *Store) check(p *host.Process, m *network.Message, arrived int64) (passes bool, why string) {
	if s.asks(m) {
		return s.ask(p, m.Hold, m.Token), history.NotHolder
	}
	return s.compare(m, arrived)
}

// pass lets time go by, if any does.
func pass(p *host.Process, d time.Duration) {
	if d > 0 {
		p.Sleep(d)
	}
}
