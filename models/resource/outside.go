package resource

import (
	"slices"
	"time"

	"fencepost/sim/history"
	"fencepost/sim/network"
)

// perform has an effect outside of the data: it begins, and no guard of the data and no crash ends
// it. It returns how long it goes on. What does each job once, by a key that is the job's and not
// the request's, does nothing for a job that it knows.
func (s *Store) perform(m *network.Message) time.Duration {
	o := s.object(m)
	if s.settings.JobKey && slices.Contains(o.jobs, m.Content) {
		return 0
	}
	lasts := s.draw(s.settings.Lasts, "resource.effect")
	o.jobs = append(o.jobs, m.Content)
	s.recorder.Add(history.Record{Kind: history.Perform, Effect: history.OutsideEffect, Object: uint8(m.Key), Hold: m.Hold,
		Token: m.Token, Value: m.Value, Content: m.Content, Until: s.host.World().Now().Add(lasts)})
	return lasts
}
