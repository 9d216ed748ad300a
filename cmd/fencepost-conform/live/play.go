//go:build linux

package live

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"fencepost/models"
	"fencepost/models/all"
	"fencepost/models/resource"
	"fencepost/scenarios"
	"fencepost/sim/fault"
)

// play is a case: a scenario of the library, a lock and a guard.
type play struct {
	scenario string
	values   map[string]string // parameters of the scenario that are others than its own
	rig      *rig
	params   map[string]string // of the lock, beside the rig's
	guard    string
	variant  string // tells it from another case of the same three
	// sooner is by how much things may come sooner than in the simulator, where the model says that they do: Zab's
	// election of a leader is over sooner than raft's (models/zookeeper, What of Zab differs).
	sooner time.Duration
	// clocks says that wall clocks of servers are moved, smoke that it is one of the few that are tried
	// with each change.
	clocks, smoke bool
}

// name is how results and files call it.
func (p *play) name() string {
	return strings.TrimSpace(p.scenario + " " + p.rig.lock + " " + p.guard + " " + p.variant)
}

// missing says what is not there that it needs; empty if all is.
func (p *play) missing() string {
	all := p.rig.missing()
	if _, err := exec.LookPath(compiler); p.clocks && err != nil {
		all = append(all, compiler)
	}
	if len(all) == 0 {
		return ""
	}
	return "there is no " + strings.Join(all, ", no ")
}

// plan is what the simulator plays, with the model or, if there is a session, with that.
func (p *play) plan(s *session) (*scenarios.Plan, error) {
	registry, err := models.NewRegistry(all.Locks()...)
	if err != nil {
		return nil, err
	}
	file, err := scenarios.Load(p.scenario)
	if err != nil {
		return nil, err
	}
	in, err := file.Instantiate(registry, p.values)
	if err != nil {
		return nil, err
	}
	found, _ := registry.Find(p.rig.lock)
	var lock models.Lock = tuned{found, both(p.rig.params, p.params)}
	if s != nil {
		lock = &realLock{lock, s}
	}
	guard, ok := resource.FindGuard(p.guard)
	if !ok {
		return nil, fmt.Errorf("no guard %q", p.guard)
	}
	plans, err := in.Plans([]models.Lock{lock}, []resource.Guard{guard})
	if err == nil && plans[0].NotApplicable != "" {
		err = fmt.Errorf("the simulator has no such case: %s", plans[0].NotApplicable)
	}
	if err != nil {
		return nil, err
	}
	return plans[0], nil
}

// simulated is what the simulator makes of it, with so many seeds.
func (p *play) simulated(ctx context.Context, seeds uint64) (*tally, error) {
	plan, err := p.plan(nil)
	if err != nil {
		return nil, err
	}
	trial := scenarios.NewTrial(plan)
	defer trial.Close()
	seen := &tally{}
	for seed := uint64(1); seed <= seeds; seed++ {
		r, err := trial.RunWith(ctx, seed)
		if err != nil {
			return nil, err
		}
		seen.add(observe(trial, &r))
	}
	return seen, nil
}

// mostTries is how often a run is tried that cannot be played: its servers do not start, as when a port of theirs is
// taken by then, or the machine is too busy. What goes wrong when it is being played is its result.
const mostTries = 3

// played is once, again if it could not be played.
func (p *play) played(ctx context.Context, b *bench, number int) (seen outcome, err error) {
	for try := 1; ; try++ {
		seen, err = p.once(ctx, b, number)
		again := errors.Is(err, errNotBegun) || errors.Is(err, errBusy)
		if !again || try == mostTries || ctx.Err() != nil {
			return seen, err
		}
		b.say("%s could not be played, and is tried again: %v", p.name(), err)
	}
}

// errNotBegun is that of a run whose servers or workers do not start.
var errNotBegun = errors.New("it did not begin")

// longest is how long a run may take.
const longest = 10 * time.Minute

// once starts servers and workers, plays the case and ends them.
func (p *play) once(ctx context.Context, b *bench, number int) (seen outcome, err error) {
	if ctx.Err() != nil {
		return seen, context.Cause(ctx)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, longest, fmt.Errorf("a run may take %v", longest))
	defer cancel()
	var with setup
	if p.clocks {
		if with.clock, err = b.preload.library(b.dir); err != nil {
			return seen, err
		}
	}
	dir, err := os.MkdirTemp("", "fencepost-live-")
	if err != nil {
		return seen, err
	}
	defer os.RemoveAll(dir)
	s, err := p.begin(ctx, b, dir, with)
	if err != nil {
		return seen, fmt.Errorf("%w: %w", errNotBegun, err)
	}
	defer s.stop()
	plan, err := p.plan(s)
	if err != nil {
		return seen, err
	}
	trial := scenarios.NewTrial(plan)
	defer trial.Close()
	r, err := trial.RunWith(ctx, 1)
	if s.bridge.err != nil {
		return seen, s.bridge.err
	}
	if err == nil {
		err = idle(trial)
	}
	if err != nil {
		return seen, err
	}
	seen = observe(trial, &r)
	seen.lag = s.bridge.lag
	return seen, b.keep(p, trial, number)
}

// begin starts servers and workers.
func (p *play) begin(ctx context.Context, b *bench, dir string, with setup) (*session, error) {
	plan, err := p.plan(&session{})
	if err != nil {
		return nil, err
	}
	return newSession(ctx, dir, p.rig, plan.Params, plan.Clients(), with, max(b.Late, early))
}

// idle fails if a fault of the scenario never came. Whether it made a difference the world cannot tell: the messages
// are not its own.
func idle(t *scenarios.Trial) error {
	for _, e := range t.Ledger() {
		if e.Layer == fault.Scripted && e.Fired == 0 {
			return fmt.Errorf("the fault %q never came", e.Label)
		}
	}
	return nil
}
