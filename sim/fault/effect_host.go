package fault

import (
	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/host"
)

func beginPause(i *Injector, s *strike) {
	i.recordPause(s.host, s.until)
	s.covered = s.host.Covered()
	s.host.Pause(s.until)
}

func beginSuspend(i *Injector, s *strike) {
	i.recordPause(s.host, s.until)
	s.covered = s.host.Covered()
	s.host.Suspend(s.until)
}

// covered: something became due while the host stood still.
func covered(s *strike) bool { return s.host.Covered() > s.covered }

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

func beginThrottle(_ *Injector, s *strike) {
	s.covered = s.host.Throttled()
	s.host.SetQuota(s.action.Quota, s.action.Period)
}

func endThrottle(_ *Injector, s *strike) { s.host.SetQuota(0, 0) }

// throttled: the host ran out of its quota at least once.
func throttled(s *strike) bool { return s.host.Throttled() > s.covered }

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
