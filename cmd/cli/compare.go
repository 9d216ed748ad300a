package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"fencepost/models/resource"
	"fencepost/reports"
	"fencepost/scenarios"
	"fencepost/scenarios/sweeps"
)

// mostCompared is how many locks a reader can tell apart in one picture.
const mostCompared = 8

// compareOptions are the flags of compare.
type compareOptions struct {
	options
	trials  int
	figures string
}

// defaultComparison is where compare writes if nobody says otherwise.
const defaultComparison = "compare"

func (a *app) compareCommand() *cobra.Command {
	o := &compareOptions{}
	c := &cobra.Command{
		Use:   "compare LOCK,LOCK...",
		Short: "Draw the whole set of charts for some locks, with a page that explains them",
		Long: `Run the sweeps and the suite that tell locks apart, and draw: violation rates against pauses, over
two parameters, and against the time to recover from a crashed holder; what contention costs in
latency, messages and fsyncs; pairs of locks on the same faults; the whole library; and the bounds that
can be worked out beside what was simulated.

Each picture is written as SVG and PNG, with the CSV behind it; compare.md shows them, says how to read
each, and names the command that makes each sweep alone. At most 8 locks fit into a picture.
The pictures of guards have a plot for each guard; where one guard has to do, it is the first one.
The directory of --out is for comparisons alone: files that compare has not written stay as they are,
and are a reason not to begin.`,
		Example: `  fencepost compare redis,redlock,etcd,zookeeper --out out
  fencepost compare redis,redlock --trials 1000 --guard none`,
		Args: exactly(1, "the locks, separated by commas, such as redis,redlock,etcd,zookeeper"),
		RunE: func(c *cobra.Command, args []string) error {
			o.locks = args[0]
			return a.compare(c.Context(), o)
		},
	}
	c.Flags().StringVar(&o.guards, "guard", resource.Usual, "guards, separated by commas, or all: "+strings.Join(resource.GuardNames(), ", "))
	wholeVar(c.Flags(), &o.trials, "trials", 200, "trials in each cell: seeds 1 to `N`; of sweeps about contention and drift, a tenth of it")
	c.Flags().StringVar(&o.figures, "figure", "all", "figures, separated by commas, or all: "+strings.Join(figureNames, ", "))
	o.workersFlag(c)
	o.out = defaultComparison
	c.Flags().Var((*path)(&o.out), "out", "write the page and the pictures into this `directory`")
	return c
}

// compare checks everything, makes sure that it can write, runs, and draws.
func (a *app) compare(ctx context.Context, o *compareOptions) error {
	if err := o.checkCompared(a); err != nil {
		return err
	}
	plan, err := a.planComparison(o)
	if err != nil {
		return err
	}
	if err := ownedBy(o.out, reports.PageFile, plan.mayWrite); err != nil {
		return &outputError{err}
	}
	if err := writable(o.out); err != nil {
		return &outputError{err}
	}
	c := &reports.Comparison{Locks: strings.Split(o.locks, ","), Guards: o.guardNames(), Command: o.command()}
	runErr := plan.run(ctx, a, o)
	if runErr != nil && !errors.Is(runErr, context.Canceled) {
		return runErr
	}
	c.Interrupted = runErr != nil
	if c.Figures, err = plan.draw(o); err != nil {
		return err
	}
	if runErr == nil && !c.Drawn() {
		return fmt.Errorf("nothing was drawn, so nothing was written:\n%s", strings.TrimSuffix(c.Summary(), "\n"))
	}
	if err := writeDirectory(o.out, c.Files()); err != nil {
		return &outputError{err}
	}
	if err := a.write(fmt.Sprintf("fencepost %s  comparison of %s\n\n%s\nwrote %s/%s and the pictures beside it\n",
		reports.Version, strings.Join(c.Locks, ", "), c.Summary(), o.out, reports.PageFile)); err != nil {
		return err
	}
	if runErr != nil {
		return fmt.Errorf("comparison interrupted: %d of %d sweeps are finished, and what they show is drawn; the same command begins anew and makes all: %w",
			plan.finished(), len(plan.sweeps), runErr)
	}
	return nil
}

func (o *compareOptions) checkCompared(a *app) error {
	if o.locks == "all" {
		return fmt.Errorf("all locks are too many for one picture: name at most %d of %s", mostCompared, strings.Join(a.registry.Names(), ", "))
	}
	if n := len(strings.Split(o.locks, ",")); n > mostCompared {
		return fmt.Errorf("%d locks are too many for one picture: name at most %d", n, mostCompared)
	}
	o.format = formats[0]
	switch {
	case o.trials < 1 || o.trials > maxComparedTrials:
		return fmt.Errorf("--trials %d: from 1 to %d", o.trials, maxComparedTrials)
	default:
		return o.check()
	}
}

// guardNames are those of the comparison's guards, the first one first.
func (o *compareOptions) guardNames() []string {
	if o.guards == "all" {
		return resource.GuardNames()
	}
	return strings.Split(o.guards, ",")
}

// maxComparedTrials keeps the seeds of each cell listed, which pairs need.
const maxComparedTrials = 1 << 20

// command is what makes the same comparison.
func (o *compareOptions) command() string {
	text := fmt.Sprintf("fencepost compare %s --trials %d", o.locks, o.trials)
	if o.guards != resource.Usual {
		text += " --guard " + o.guards
	}
	if o.figures != "all" {
		text += " --figure " + o.figures
	}
	return text
}

// writable fails early where nothing could be written later.
func writable(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	probe, err := os.MkdirTemp(dir, newPrefix(os.Getpid()))
	if err != nil {
		return err
	}
	return os.Remove(probe)
}

// loadSweep makes a sweep of a library scenario.
func (a *app) loadSweep(s *comparedSweep, o *compareOptions) error {
	scenario, err := scenarios.Load(s.scenario)
	if err != nil {
		return err
	}
	s.sweep = &sweeps.Sweep{Scenario: scenario, Registry: a.registry, Workers: o.workers, Fixed: s.fixed,
		Seeds: sweeps.Seeds{{First: 1, Last: uint64(s.trials)}}}
	if s.sweep.Locks, err = a.lockList(s.locks); err != nil {
		return err
	}
	if s.sweep.Guards, err = guardList(s.guards); err != nil {
		return err
	}
	for _, text := range s.vary {
		axis, err := scenarios.ParseAxis(text)
		if err != nil {
			return err
		}
		s.sweep.Axes = append(s.sweep.Axes, axis)
	}
	s.cells, err = s.sweep.Cells()
	return err
}
