package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"fencepost/reports"
	"fencepost/scenarios"
	"fencepost/scenarios/sweeps"
)

var suiteFormats = []string{"text", "json", "junit", "markdown"}

func (a *app) suiteCommand() *cobra.Command {
	o := &options{}
	var tags []string
	var swarm int
	c := &cobra.Command{
		Use:   "suite [SCENARIO|FILE|DIR]...",
		Short: "Run many scenarios and report what was not as expected",
		Long: `Run scenarios with all their variants under each lock and guard, and report the runs that were
not as their scenario expects: the whole library, or what is named, or every file of a
directory that ends in .yaml. Exit code 1 says that some run was a surprise. A scenario whose
faults never took effect is one.

With --swarm, run that many random mixes of faults for each lock instead: for five minutes
anything may go wrong, and then nothing does, and every client has to come to its end.

With --out, write suite.json, suite.md and junit.xml.`,
		Example: `  fencepost suite
  fencepost suite --tag pause --lock redlock,etcd
  fencepost suite my-scenarios --format junit
  fencepost suite --swarm 100 --lock etcd`,
		RunE: func(c *cobra.Command, names []string) error {
			if swarm != 0 || c.Flags().Changed("swarm") {
				if err := swarmOnly(c, names, swarm); err != nil {
					return err
				}
				names, o.seeds = []string{swarmScenario}, fmt.Sprintf("1-%d", swarm)
			}
			return a.suite(c.Context(), o, names, tags)
		},
	}
	o.selection(c, "all", "all")
	o.seedFlag(c)
	o.outputAs(c, suiteFormats)
	c.Flags().StringSliceVar(&tags, "tag", nil, "only scenarios that have one of these tags")
	wholeVar(c.Flags(), &swarm, "swarm", 0, "run `N` random mixes of faults for each lock")
	return c
}

// swarmScenario is the one of the library that --swarm runs.
const swarmScenario = "swarm"

// maxSwarm bounds the mixes of one command.
const maxSwarm = 100_000

func swarmOnly(c *cobra.Command, names []string, n int) error {
	switch {
	case n < 1 || n > maxSwarm:
		return fmt.Errorf("--swarm %d: 1 to %d", n, maxSwarm)
	case len(names) > 0 || c.Flags().Changed("tag") || c.Flags().Changed("seed"):
		return errors.New("--swarm runs mixes of its own, under seeds from 1 on: leave scenarios, --tag and --seed out")
	}
	return nil
}

// suite checks all scenarios before it runs the first.
func (a *app) suite(ctx context.Context, o *options, names, tags []string) error {
	if err := o.checkAs(suiteFormats); err != nil {
		return err
	}
	if slices.Contains(tags, "") || tags != nil && len(tags) == 0 {
		return errors.New("--tag is empty: name tags, or leave it out")
	}
	list, err := scenarios.Selected(names, tags)
	if err != nil {
		return err
	}
	all, err := a.planSuite(list, o)
	if err != nil {
		return err
	}
	if err := nothingToRun(all...); err != nil {
		return err
	}
	r, err := a.runSuite(ctx, all, o)
	if err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	r.Interrupted = err != nil
	if publishErr := a.publishSuite(r, o); publishErr != nil {
		return publishErr
	}
	if err != nil {
		return fmt.Errorf("interrupted: what was finished is shown: %w", err)
	}
	switch {
	case r.Surprised():
		a.code = ExitUnexpected
	case r.Judged() == 0:
		return errors.New("no run was judged: nothing is expected of what is selected; `fencepost run` shows the verdicts")
	}
	return nil
}

// planSuite plans scenarios, each for all locks there are, so that one which none of the selected
// can have is not applicable to them, and no mistake.
func (a *app) planSuite(list []*scenarios.Scenario, o *options) (all []*planned, err error) {
	selected, err := a.lockList(o.locks)
	if err != nil {
		return nil, err
	}
	every := *o
	every.locks = "all"
	named := map[string]string{}
	for _, s := range list {
		if other, ok := named[s.Name]; ok {
			return nil, fmt.Errorf("%s and %s are both called %s: give one of them another name", other, s.File, s.Name)
		}
		named[s.Name] = s.File
		p, err := a.instantiate(s, &every)
		if err != nil {
			return nil, err
		}
		p.plans = slices.DeleteFunc(p.plans, func(plan *scenarios.Plan) bool { return !slices.Contains(selected, plan.Lock) })
		all = append(all, p)
	}
	return all, nil
}

// suiteJob is one plan of a suite, and the place of its scenario.
type suiteJob struct {
	scenario int
	plan     *scenarios.Plan
}

// runSuite runs everything. What was finished is reported also when the context ends.
func (a *app) runSuite(ctx context.Context, all []*planned, o *options) (*reports.Suite, error) {
	r := reports.NewSuite(all[0].seeds, len(all))
	var work []suiteJob
	var locks []string
	for i, p := range all {
		r.Begin(i, p.instance, p.plans)
		for _, plan := range p.plans {
			if plan.NotApplicable == "" {
				plan.Cover = true
				work = append(work, suiteJob{i, plan})
			}
			if !slices.Contains(locks, plan.Describe.Name) {
				locks = append(locks, plan.Describe.Name)
			}
		}
	}
	seeds := all[0].seeds
	n := int(seeds.Len())
	jobs := sweeps.Jobs{Len: len(work) * n, At: func(i int) sweeps.Job {
		return sweeps.Job{Plan: work[i/n].plan, Seed: seeds.At(uint64(i % n))}
	}}
	bar := a.progress(jobs.Len, "runs")
	err := sweeps.RunAll(ctx, jobs, o.workers, func(i int, t *scenarios.Trial, result scenarios.Result) {
		r.Ran(work[i/n].scenario, t, result)
		bar.Add(1)
	})
	bar.Close()
	r.Finish(locks)
	return r, err
}

// publishSuite writes a suite to standard output and, if asked, as files.
func (a *app) publishSuite(r *reports.Suite, o *options) error {
	writers := map[string]func(io.Writer, *reports.Suite) error{
		"text": reports.WriteSuiteText, "json": reports.WriteSuiteJSON, "junit": reports.WriteSuiteJUnit, "markdown": reports.WriteSuiteMarkdown,
	}
	files := map[string]func(io.Writer) error{}
	for name, format := range map[string]string{"suite.json": "json", "suite.md": "markdown", "junit.xml": "junit"} {
		files[name] = func(w io.Writer) error { return writers[format](w, r) }
	}
	if o.out != "" {
		if err := writeDirectory(o.out, files); err != nil {
			return &outputError{err}
		}
	}
	if err := writers[o.format](a.streams.Out, r); err != nil {
		return &outputError{err}
	}
	return a.wrote(o, files)
}
