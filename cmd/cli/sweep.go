package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"fencepost/checker"
	"fencepost/models/resource"
	"fencepost/reports"
	"fencepost/reports/journal"
	"fencepost/scenarios"
)

// sweepOptions are the flags of sweep beyond the common ones.
type sweepOptions struct {
	options
	vary      []string
	trials    int
	property  string
	resume    bool
	shard     journal.Shard
	porcupine string
}

func (a *app) sweepCommand() *cobra.Command {
	o := &sweepOptions{}
	c := &cobra.Command{
		Use:   "sweep SCENARIO",
		Short: "Estimate violation rates over a grid of parameters",
		Long: `Run many seeds in each cell of a grid of a scenario's parameters, for each lock and guard,
and count violations. One trial is one run; cycles within it are not counted as independent.
Intervals are Clopper-Pearson at 95 %. A rate is withheld where more than 1 % of the trials
are unknown. The property tokens is n/a for a lock without fencing tokens.

The monitors judge every trial. Porcupine, which takes longer, confirms each trial in which they
found a violation, and that of every thousandth seed; if the two contradict each other the sweep
stops with an internal error. With --porcupine all it answers in all trials, and the rates of
linearizable.lock and linearizable.resource are in the result; as a --property they imply it.

With --out, each batch of 500 trials is kept from the moment on at which it is finished, in the file
sweep.batches there. After Ctrl-C, a full disk or a crash the same command with --resume goes on, and
gives the same files as if nothing had happened. A later sweep of more cells, or of more trials, takes
what it can use of it, too.`,
		Example: `  fencepost sweep kleppmann --vary fault.pause=1s..60s/20 --trials 200 --out out
  fencepost sweep kleppmann --vary ttl=5s,10s,20s --vary fault.pause=1s..60s/log:10`,
		Args: exactly(1, "one scenario: a name from `fencepost list scenarios`, or a file"),
		RunE: func(c *cobra.Command, args []string) error {
			if c.Flags().Changed("seed") && c.Flags().Changed("trials") {
				return errors.New("give --seed or --trials, not both: --trials N means the seeds 1 to N")
			}
			return a.sweep(c.Context(), o, args[0], c.Flags().Changed("seed"))
		},
	}
	o.selection(c, "all", resource.Usual)
	o.seedFlag(c)
	o.output(c)
	c.Flags().StringArrayVar(&o.vary, "vary", nil, "vary a parameter: `KEY=a,b,c` or KEY=a..b/n or KEY=a..b/log:n (repeatable: a grid)")
	c.Flags().IntVar(&o.trials, "trials", 100, "trials in each cell: seeds 1 to N")
	c.Flags().StringVar(&o.property, "property", checker.Exclusion, "the property that the text table shows: "+strings.Join(checker.Properties, ", "))
	c.Flags().BoolVar(&o.resume, "resume", false, "take what an earlier run has finished from the directory of --out")
	c.Flags().StringVar(&o.porcupine, "porcupine", "", "in which trials porcupine is asked: "+strings.Join(scenarios.Porcupines, ", ")+" (default sampled, or all if the property is an answer of its)")
	return c
}

func (a *app) sweep(ctx context.Context, o *sweepOptions, name string, seedsGiven bool) error {
	sweep, cells, err := a.prepareSweep(o, name, seedsGiven)
	if err != nil {
		return err
	}
	kept, err := a.keep(o, sweep, cells)
	if err != nil {
		return err
	}
	bar := a.progress(sweep.Trials(cells), "trials")
	sweep.Progress = func() { bar.Add(1) }
	err = sweep.Run(ctx, cells)
	bar.Close()
	if closeErr := kept.close(err == nil); err == nil && closeErr != nil {
		err = &outputError{closeErr}
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	table := reports.NewSweepTable(sweep, cells)
	if publishErr := a.publishSweep(o, table); publishErr != nil {
		return publishErr
	}
	if err != nil {
		return a.sweepInterrupted(o, name, cells, err)
	}
	if table.Unknown() {
		a.code = ExitUnknown
	}
	return nil
}

// prepareSweep checks every flag and every cell before anything runs.
func (a *app) prepareSweep(o *sweepOptions, name string, seedsGiven bool) (*scenarios.Sweep, []*scenarios.Cell, error) {
	if err := o.check(); err != nil {
		return nil, nil, err
	}
	if o.resume && o.out == "" {
		return nil, nil, errors.New("--resume goes on in the directory of a result: name it with --out")
	}
	if o.trials < 1 || o.trials > scenarios.MaxSeeds {
		return nil, nil, fmt.Errorf("--trials %d: from 1 to %d", o.trials, scenarios.MaxSeeds)
	}
	if !slices.Contains(checker.Properties, o.property) {
		return nil, nil, fmt.Errorf("--property %q is not known; accepted: %s", o.property, strings.Join(checker.Properties, ", "))
	}
	if !seedsGiven {
		o.seeds = fmt.Sprintf("1-%d", o.trials)
	}
	porcupine, err := o.asked()
	if err != nil {
		return nil, nil, err
	}
	p, err := a.plan(name, &o.options)
	if err != nil {
		return nil, nil, err
	}
	sweep := &scenarios.Sweep{Scenario: p.instance.Scenario, Registry: a.registry, Seeds: p.seeds, Workers: o.workers, Porcupine: porcupine}
	sweep.Fixed, _ = o.params()
	sweep.Locks, _ = a.lockList(o.locks)
	sweep.Guards, _ = guardList(o.guards)
	for _, text := range o.vary {
		axis, err := scenarios.ParseAxis(text)
		if err != nil {
			return nil, nil, fmt.Errorf("--%w", err)
		}
		for _, earlier := range sweep.Axes {
			if earlier.Name == axis.Name {
				return nil, nil, fmt.Errorf("--vary %s is given twice", axis.Name)
			}
		}
		sweep.Axes = append(sweep.Axes, axis)
	}
	cells, err := sweep.Cells()
	if err != nil {
		return nil, nil, err
	}
	all := &planned{}
	for _, c := range cells {
		all.plans = append(all.plans, c.Plan)
	}
	if err := nothingToRun(all); err != nil {
		return nil, nil, err
	}
	return sweep, cells, nil
}

// asked is in which trials porcupine is asked. A rate of its answers needs all of them.
func (o *sweepOptions) asked() (scenarios.Porcupine, error) {
	answers := scenarios.Answers(o.property)
	switch {
	case o.porcupine == "" && answers:
		return scenarios.PorcupineAll, nil
	case o.porcupine == "":
		return scenarios.PorcupineSampled, nil
	case !slices.Contains(scenarios.Porcupines, o.porcupine):
		return "", fmt.Errorf("--porcupine %q is not known; accepted: %s", o.porcupine, strings.Join(scenarios.Porcupines, ", "))
	case answers && o.porcupine != string(scenarios.PorcupineAll):
		return "", fmt.Errorf("--property %s is an answer of porcupine's, whose rate needs it in all trials: leave out --porcupine %s", o.property, o.porcupine)
	}
	return scenarios.Porcupine(o.porcupine), nil
}

// sweepFiles are the files of a sweep's result directory.
func sweepFiles(t *reports.SweepTable) map[string]func(io.Writer) error {
	return map[string]func(io.Writer) error{
		"sweep.csv":  func(w io.Writer) error { return reports.WriteSweepCSV(w, t) },
		"sweep.json": func(w io.Writer) error { return reports.WriteSweepJSON(w, t) },
	}
}

func (a *app) publishSweep(o *sweepOptions, t *reports.SweepTable) error {
	if o.out != "" {
		if err := writeDirectory(o.out, sweepFiles(t)); err != nil {
			return &outputError{err}
		}
	}
	write := map[string]func(io.Writer, *reports.SweepTable) error{
		"text":     func(w io.Writer, t *reports.SweepTable) error { return reports.WriteSweepText(w, t, o.property) },
		"markdown": func(w io.Writer, t *reports.SweepTable) error { return reports.WriteSweepMarkdown(w, t, o.property) },
		"json":     reports.WriteSweepJSON, "csv": reports.WriteSweepCSV,
	}[o.format]
	if err := write(a.streams.Out, t); err != nil {
		return &outputError{err}
	}
	return a.wrote(&o.options, sweepFiles(t))
}

// sweepInterrupted says what was kept and how to go on.
func (a *app) sweepInterrupted(o *sweepOptions, name string, cells []*scenarios.Cell, cause error) error {
	finished := 0
	for _, c := range cells {
		if c.Finished {
			finished++
		}
	}
	hint := "give --out DIR to keep what is finished, and --resume to go on from it"
	if o.out != "" {
		hint = "go on with the same command and --resume"
	}
	return fmt.Errorf("sweep of %s interrupted: %d of %d cells are finished; %s: %w", name, finished, len(cells), hint, cause)
}
