//go:build linux

package live

import (
	"fmt"
	"time"

	"fencepost/checker"
	"fencepost/models"
	"fencepost/models/all"
	guards "fencepost/models/resource"
	"fencepost/scenarios"
	record "fencepost/sim/history"
)

// scenario is the case in the simulator. Client 2 asks at once, and the pause is long enough for it to
// come to its write, or just to its read.
const scenario = `name: live-pause
until: 1m
lock: {ttl: 2s%s}
clients:
  - {check: before-write}
  - {start: 5ms, check: before-write%s}
faults:
  - pause: {client: 1, for: 8s}
    when: {client: 1, step: write.send}
`

// expected is what runs have come to: the verdicts, and from when to when the second client got in.
type expected struct {
	exclusion, resource string
	from, to            time.Duration
	runs                int
}

func (e *expected) add(o outcome) {
	if e.runs == 0 {
		e.exclusion, e.resource, e.from, e.to = o.exclusion, o.resource, o.second, o.second
	}
	e.runs++
	if o.exclusion != e.exclusion || o.resource != e.resource {
		e.exclusion, e.resource = "mixed", "mixed"
	}
	e.from, e.to = min(e.from, o.second), max(e.to, o.second)
}

// loopback is by how much messages on this machine may be slower than the scenario's: the first client's
// grant may come to it so late.
const loopback = 50 * time.Millisecond

// within reports whether all runs had the verdicts of others, and instants of their range or not much later.
func (e *expected) within(want expected, late time.Duration) bool {
	return e.exclusion == want.exclusion && e.resource == want.resource && e.from >= want.from-loopback && e.to <= want.to+late
}

func (e *expected) span() string {
	return fmt.Sprintf("%.2f to %.2f s", e.from.Seconds(), e.to.Seconds())
}

// simulated is what the simulator makes of a case.
func (p *play) simulated(seeds uint64) (e expected, err error) {
	plan, err := p.plan()
	if err != nil {
		return e, err
	}
	trial := scenarios.NewTrial(plan)
	defer trial.Close()
	for seed := uint64(1); seed <= seeds; seed++ {
		r, err := trial.RunSafely(seed)
		if err != nil {
			return e, err
		}
		e.add(outcome{string(r.Verdict.Of(checker.Exclusion)), string(r.Verdict.Of(checker.ResourceName)), second(trial.Recorder.Records)})
	}
	return e, nil
}

// second is from the first belief to the second.
func second(records []record.Record) time.Duration {
	var begun []time.Duration
	for _, r := range records {
		if r.Kind == record.BeliefBegin {
			begun = append(begun, r.At.Duration())
		}
	}
	if len(begun) < 2 {
		return 0
	}
	return begun[1] - begun[0]
}

func (p *play) plan() (*scenarios.Plan, error) {
	registry, err := models.NewRegistry(all.Locks()...)
	if err != nil {
		return nil, err
	}
	works := ""
	if p.at == afterRead {
		works = ", between: 20s"
	}
	s, err := scenarios.Parse("live.yaml", []byte(fmt.Sprintf(scenario, p.lock.params, works)))
	if err != nil {
		return nil, err
	}
	in, err := s.Instantiate(registry, nil)
	if err != nil {
		return nil, err
	}
	l, _ := registry.Find(p.lock.name)
	g, _ := guards.FindGuard(p.guard)
	plans, err := in.Plans([]models.Lock{l}, []guards.Guard{g})
	if err == nil && plans[0].NotApplicable != "" {
		err = fmt.Errorf("the simulator has no such case: %s", plans[0].NotApplicable)
	}
	if err != nil {
		return nil, err
	}
	return plans[0], nil
}
