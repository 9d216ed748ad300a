package fault

import (
	"math/bits"

	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/host"
)

func beginPause(i *Injector, s *strike) {
	i.recordPause(s.host, s.until)
	paused, asleep := s.host.StandsUntil()
	s.shadowed = s.until <= max(paused, asleep)
	s.covered = s.host.Covered()
	s.host.Pause(s.until)
}

func beginSuspend(i *Injector, s *strike) {
	i.recordPause(s.host, s.until)
	_, asleep := s.host.StandsUntil()
	s.shadowed = s.until <= asleep
	s.covered = s.host.Covered()
	s.host.Suspend(s.until)
}

// covered: something became late because the host stood still, and would not have for
// another reason that was there before.
func covered(s *strike) bool { return !s.shadowed && s.host.Covered() > s.covered }

// recordPause says which clients stop: all that live on the host.
func (i *Injector) recordPause(h *host.Host, until sim.Time) {
	if h.State() == host.Crashed {
		return
	}
	for client, on := range i.clients {
		if on == h {
			i.recorder.Add(history.Record{Kind: history.Pause, Executor: executor(client, h), Until: until})
		}
	}
}

// executor names the client's thread in its host's current incarnation.
func executor(client int, h *host.Host) history.Executor {
	return history.ExecutorOf(client, int(h.Incarnation()))
}

func beginThrottle(i *Injector, s *strike) {
	state := &i.states[s.host.ID]
	state.throttles = append(state.throttles, s)
	i.applyQuota(s.host)
}

func endThrottle(i *Injector, s *strike) {
	state := &i.states[s.host.ID]
	state.throttles = without(state.throttles, s)
	i.applyQuota(s.host)
}

// applyQuota gives a host the strictest of its quotas. What it costs the host is put down
// to that one.
func (i *Injector) applyQuota(h *host.Host) {
	state := &i.states[h.ID]
	var strictest *strike
	for _, s := range state.throttles {
		if strictest == nil || s.action.stricter(strictest.action) {
			strictest = s
		}
	}
	if strictest == state.binding {
		return
	}
	if b := state.binding; b != nil {
		b.changed, b.covered = throttled(b), 0 // another takes its place
	}
	state.binding = strictest
	if strictest == nil {
		h.SetQuota(0, 0)
		return
	}
	strictest.covered = h.Throttled() + 1 // the next one is its own
	h.SetQuota(strictest.action.Quota, strictest.action.Period)
}

// stricter reports whether an action leaves a smaller share of time than another.
func (a *Action) stricter(b *Action) bool {
	hiA, loA := bits.Mul64(uint64(a.Quota), uint64(b.Period))
	hiB, loB := bits.Mul64(uint64(b.Quota), uint64(a.Period))
	return hiA < hiB || hiA == hiB && loA < loB
}

// throttled: the host ran out of the quota while it was in force.
func throttled(s *strike) bool {
	return s.changed || s.covered > 0 && s.host.Throttled() >= s.covered
}

// beginCrash takes a host down. As long as any crash keeps it down it stays down.
func beginCrash(i *Injector, s *strike) {
	s.changed = s.host.State() != host.Crashed
	state := &i.states[s.host.ID]
	state.down++
	s.host.Crash(s.action.Lost)
	if s.action.Forever && i.Gone != nil {
		i.Gone(s.host)
	}
}

func endCrash(i *Injector, s *strike) {
	state := &i.states[s.host.ID]
	if state.down--; state.down == 0 {
		s.host.Restart(false) // it has lost what the worst of the crashes took
	}
}
