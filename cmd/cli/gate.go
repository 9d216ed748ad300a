package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"fencepost/checker"
	"fencepost/checker/stats"
	"fencepost/reports"
	"fencepost/scenarios"
	"fencepost/scenarios/sweeps"
)

// gateOptions are the flags of gate.
type gateOptions struct {
	baselines  []string
	alpha      float64
	properties string
	format     string
	workers    int
}

// gateProperties are those that are compared unless others are named: porcupine's answers agree
// with two of them.
var gateProperties = []string{checker.Grants, checker.Exclusion, checker.ResourceName, checker.Progress}

var gateForms = map[string]func(io.Writer, *reports.Gate) error{"text": reports.WriteGateText, "json": reports.WriteGateJSON}

func (a *app) gateCommand() *cobra.Command {
	o := &gateOptions{}
	c := &cobra.Command{
		Use:   "gate [SCENARIO]",
		Short: "Run a sweep again and fail if a violation rate rose",
		Long: `Run the sweep that a sweep.json of ` + "`fencepost sweep --out`" + ` describes once more, with the program and
the scenario as they are now: the same locks, guards, parameters and seeds. Compare seed by seed,
and exit with 1 if some rate of violations rose significantly: McNemar's test, exact and one-sided,
with Holm's correction over all rates of all baselines in which some seed came out otherwise.

A scenario that has changed is told and allowed, since a change is what is judged. Where it is no
longer where it was, name it. What the baseline has and this program has not is an error.`,
		Example: `  fencepost sweep my.yaml --lock redis --guard none --trials 200 --out baseline
  fencepost gate --baseline baseline/sweep.json
  fencepost gate --baseline pauses.json --baseline clocks.json --alpha 0.001
  fencepost gate --baseline baseline/sweep.json changed.yaml --property resource --format json`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 || len(args) == 1 && len(o.baselines) > 1 {
				return errors.New("fencepost gate takes one scenario at most, and none with several baselines")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return a.gate(c.Context(), o, args) },
	}
	c.Flags().StringArrayVar(&o.baselines, "baseline", nil, "a sweep.json `file` to compare with (repeatable)")
	decimalVar(c.Flags(), &o.alpha, "alpha", 0.01, "the probability of failing by chance that is accepted, over all rates")
	c.Flags().StringVar(&o.properties, "property", strings.Join(gateProperties, ","), "properties to compare, separated by commas, or all")
	c.Flags().StringVar(&o.format, "format", "text", "what standard output gets: text, json")
	wholeVar(c.Flags(), &o.workers, "workers", runtime.GOMAXPROCS(0), "how many runs go on at once; makes no difference to any result")
	return c
}

func (a *app) gate(ctx context.Context, o *gateOptions, args []string) error {
	properties, err := o.check()
	if err != nil {
		return err
	}
	g := &reports.Gate{Alpha: o.alpha}
	var jobs []*gateJob
	for i, file := range o.baselines { // every mistake is found before anything runs
		if slices.Contains(o.baselines[:i], file) {
			return fmt.Errorf("--baseline %s is given twice", file)
		}
		job, err := a.gateJob(file, o, properties, args)
		if err != nil {
			return fmt.Errorf("--baseline %s: %w", file, err)
		}
		jobs = append(jobs, job)
	}
	if err := a.runGate(ctx, jobs); err != nil {
		return err
	}
	for _, job := range jobs {
		changes := job.baseline.Compare(job.cells, properties)
		if len(changes) == 0 {
			return fmt.Errorf("--baseline %s: it has no rate of %s", job.baseline.File, strings.Join(properties, ", "))
		}
		g.Against = append(g.Against, reports.Against{Baseline: job.baseline, Scenario: job.sweep.Scenario, Changes: changes})
	}
	g.Judge()
	switch {
	case g.Rose():
		a.code = ExitUnexpected
	case g.Open():
		a.code = ExitUnknown
	}
	if err := gateForms[o.format](a.streams.Out, g); err != nil {
		return &outputError{err}
	}
	return nil
}

// check validates the flags and returns the properties.
func (o *gateOptions) check() ([]string, error) {
	if len(o.baselines) == 0 {
		return nil, errors.New("--baseline is missing: name a sweep.json that `fencepost sweep --out DIR` has written")
	}
	if !(o.alpha > 0 && o.alpha < 1) {
		return nil, fmt.Errorf("--alpha %v: between 0 and 1, such as 0.01", o.alpha)
	}
	if o.workers < 1 {
		return nil, fmt.Errorf("--workers %d: at least 1", o.workers)
	}
	if err := oneOf("--format", o.format, slices.Sorted(maps.Keys(gateForms))); err != nil {
		return nil, err
	}
	if o.properties == "all" {
		return checker.Properties, nil
	}
	properties := strings.Split(o.properties, ",")
	for _, p := range properties {
		if !slices.Contains(checker.Properties, p) {
			return nil, fmt.Errorf("--property: %q is not a property; accepted: %s; or all alone", p, strings.Join(checker.Properties, ", "))
		}
	}
	return properties, nil
}

// gateJob is one baseline with the sweep that runs it again.
type gateJob struct {
	baseline *reports.Baseline
	sweep    *sweeps.Sweep
	cells    []*sweeps.Cell
}

// gateJob reads a baseline and plans its sweep with the present scenario.
func (a *app) gateJob(file string, o *gateOptions, properties, args []string) (*gateJob, error) {
	f, err := openResult(file)
	var failed *os.PathError
	switch {
	case errors.As(err, &failed):
		return nil, failed.Err // the file is named already
	case err != nil:
		return nil, err
	}
	defer f.Close()
	table, version, err := reports.ReadBaseline(f)
	if err != nil {
		return nil, err
	}
	b, err := reports.NewBaseline(table, file, version)
	if err != nil {
		return nil, err
	}
	if n := stats.FewestPairs(o.alpha); int64(b.Seeds().Len()) < n {
		return nil, fmt.Errorf("it has %d seeds, and with fewer than %d nothing can be significant at an alpha of %v: sweep more seeds", b.Seeds().Len(), n, o.alpha)
	}
	path := b.Path()
	if len(args) == 1 {
		path = args[0]
	}
	s, err := scenarios.Load(path)
	if err != nil && len(args) == 0 {
		return nil, fmt.Errorf("%w (name the scenario as an argument if it is not where it was)", err)
	}
	if err != nil {
		return nil, err
	}
	if s.Name != table.Scenario {
		return nil, fmt.Errorf("it is of scenario %s, and %s is %s", table.Scenario, path, s.Name)
	}
	porcupine := sweeps.PorcupineSampled
	if slices.ContainsFunc(properties, sweeps.Answers) {
		porcupine = sweeps.PorcupineAll
	}
	job := &gateJob{baseline: b, sweep: &sweeps.Sweep{Scenario: s, Registry: a.registry, Seeds: b.Seeds(), Workers: o.workers, Porcupine: porcupine}}
	if job.cells, err = job.sweep.CellsOf(b.Cells()); err != nil {
		return nil, err
	}
	for _, c := range job.cells {
		if p := c.Plan; p.NotApplicable != "" {
			return nil, fmt.Errorf("%s is not applicable any more: %s", p.Name(), p.NotApplicable)
		}
	}
	return job, nil
}

// runGate runs every sweep.
func (a *app) runGate(ctx context.Context, jobs []*gateJob) error {
	trials := 0
	for _, job := range jobs {
		trials += job.sweep.Trials(job.cells)
	}
	bar := a.progress(trials, "trials")
	defer bar.Close()
	for _, job := range jobs {
		job.sweep.Progress = bar.Add
		if err := job.sweep.Run(ctx, job.cells); err != nil {
			return err
		}
	}
	return nil
}
