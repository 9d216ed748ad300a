package assume

import (
	"context"
	"fmt"

	"fencepost/checker"
	"fencepost/models"
	"fencepost/models/resource"
	"fencepost/scenarios"
)

// probe runs one kind against one lock and one guard, at whatever magnitude is asked for, each
// magnitude once.
type probe struct {
	ctx      context.Context
	scenario *scenarios.Scenario
	registry *models.Registry
	lock     models.Lock
	guard    resource.Guard
	kind     *Kind
	// watched are the properties that are asked about.
	watched []string
	// rungs are the magnitudes that are tried first.
	rungs []int64
	// seen are the magnitudes that were run.
	seen map[int64]*outcome
	runs int
}

// outcome is what came of the seeds at one magnitude.
type outcome struct {
	plan *scenarios.Plan
	// broken has the first seed that violated each property.
	broken map[string]uint64
	// ran is how many seeds were run: not all of them, if everything was broken before.
	ran, unknown int
	tookEffect   bool // some fault, or there is none
}

// plan is what runs at a magnitude.
func (p *probe) plan(size int64) (*scenarios.Plan, error) {
	return p.planOf(p.scenario, p.kind.values(size))
}

func (p *probe) planOf(s *scenarios.Scenario, values map[string]string) (*scenarios.Plan, error) {
	in, err := s.Instantiate(p.registry, values)
	if err != nil {
		return nil, err
	}
	plan, err := in.PlanAlone(p.lock, p.guard)
	if err != nil {
		return nil, err
	}
	plan.SkipLinear = true
	return plan, nil
}

// at returns what happens at a magnitude. All seeds are run, unless each of the watched properties
// is broken before.
func (p *probe) at(size int64) (*outcome, error) {
	if o := p.seen[size]; o != nil {
		return o, nil
	}
	plan, err := p.plan(size)
	if err != nil {
		return nil, fmt.Errorf("%s, %s: %w", p.kind.Name, p.lock.Describe().Name, err)
	}
	o, err := p.run(plan)
	if err != nil {
		return nil, err
	}
	p.seen[size] = o
	return o, nil
}

// run runs the seeds, until each of the watched properties is broken.
func (p *probe) run(plan *scenarios.Plan) (*outcome, error) {
	o := &outcome{plan: plan, broken: map[string]uint64{}}
	trial := scenarios.NewTrial(plan)
	defer trial.Close()
	for seed := uint64(1); seed <= Seeds && len(o.broken) < len(p.watched); seed++ {
		r, err := trial.RunWith(p.ctx, seed)
		if err != nil {
			return nil, err
		}
		o.count(p.watched, seed, &r.Verdict)
		o.tookEffect = o.tookEffect || len(trial.Ledger()) == 0
		for _, e := range trial.Ledger() {
			o.tookEffect = o.tookEffect || e.TookEffect > 0
		}
	}
	p.runs += o.ran
	return o, nil
}

// brokenAnyway reports whether something is broken though nothing goes wrong: then nothing can be
// said of the kind.
func (p *probe) brokenAnyway() (bool, error) {
	if p.kind.control == "" {
		return false, nil
	}
	s, err := scenarios.Load(p.kind.control)
	if err != nil {
		return false, err
	}
	plan, err := p.planOf(s, nil)
	if err != nil || plan.NotApplicable != "" {
		return false, err
	}
	o, err := p.run(plan)
	if err != nil {
		return false, err
	}
	return len(o.broken) > 0, nil
}

func (o *outcome) count(watched []string, seed uint64, v *checker.Verdict) {
	o.ran++
	unknown := false
	for _, property := range watched {
		switch _, before := o.broken[property]; v.Of(property) {
		case checker.Violated:
			if !before {
				o.broken[property] = seed
			}
		case checker.Unknown:
			unknown = true
		}
	}
	if unknown {
		o.unknown++
	}
}
