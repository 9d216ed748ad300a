package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"fencepost/checker"
	"fencepost/checker/stats"
	"fencepost/models/resource"
	"fencepost/reports"
	"fencepost/reports/journal"
	"fencepost/scenarios"
	"fencepost/scenarios/sweeps"
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
	dryRun    bool
	stop      stats.Stop
	estimate  string
	// file is the sweep's file, if there is one, and settings are what was taken from it.
	file     *scenarios.SweepFile
	settings []scenarios.Setting
}

// sweepSettings are the options that may stand in a sweep's file: all that what comes out depends on.
var sweepSettings = []string{"vary", "set", "lock", "guard", "trials", "seed", "porcupine", "property", "until-width", "until-budget", "estimate"}

func (a *app) sweepCommand() *cobra.Command {
	o := &sweepOptions{}
	c := &cobra.Command{
		Use:   "sweep SCENARIO|FILE",
		Short: "Estimate violation rates over a grid of parameters",
		Long: `Run many seeds in each cell of a grid of a scenario's parameters, for each lock and guard,
and count violations. What is swept is said by options, or by a file that has them as keys:

  sweep: kleppmann
  vary: {fault.pause: 1s..60s/20, ttl: [5s, 10s]}
  lock: [redis, redlock]
  trials: 1000

An option on the command line comes before the file's. One trial is one run; cycles within it are not counted as independent.
Intervals are Clopper-Pearson at 95 %. A rate is withheld where more than 1 % of the trials
are unknown. The property tokens is n/a for a lock without fencing tokens.

The monitors judge every trial. Porcupine, which takes longer, confirms each trial in which they
found a violation, and that of every thousandth seed; if the two contradict each other the sweep
stops with an internal error. With --porcupine all it answers in all trials, and the rates of
linearizable.lock and linearizable.resource are in the result; as a --property they imply it.

A rate that is too small to be counted is estimated with --estimate bias, which draws what a fault
declares to be rare too often and weighs each trial, or --estimate conditional, in which each trial
comes to a probability over the length of its one rare fault; see docs/rare.md.

With --until-width or --until-budget a cell stops when it has seen enough of --property, and --trials is
the most that is run. That is decided after whole batches of 500 trials in the order of their seeds, and
the intervals are then those of a confidence sequence, which hold wherever one stops.

With --out, each batch of 500 trials is kept from the moment on at which it is finished, in the file
sweep.batches there. After Ctrl-C, a full disk or a crash the same command with --resume goes on, and
gives the same files as if nothing had happened. A later sweep of more cells, or of more trials, takes
what was finished, too; one in which something of it would be lost is refused.`,
		Example: `  fencepost sweep kleppmann --vary fault.pause=1s..60s/20 --trials 200 --out out
  fencepost sweep kleppmann --vary ttl=5s,10s,20s --vary fault.pause=1s..60s/log:10`,
		Args: exactly(1, "one scenario: a name from `fencepost list scenarios`, or a file; or a sweep's file"),
		RunE: func(c *cobra.Command, args []string) error { return a.sweepOn(c, o, args[0], (*sweeps.Sweep).Run) },
	}
	o.runFlags(c)
	return c
}

// runFlags are those of a sweep that is run.
func (o *sweepOptions) runFlags(c *cobra.Command) {
	o.sweepFlags(c)
	o.output(c)
	c.Flags().BoolVar(&o.resume, "resume", false, "take what an earlier run has finished from the directory of --out")
	c.Flags().Var((*shardFlag)(&o.shard), "shard", "run only this part of the batches: `i/n`, with i from 1 to n")
	c.Flags().BoolVar(&o.dryRun, "dry-run", false, "run a few trials of each cell, and say how long all would take")
}

// sweepFlags are those that say what a sweep is of.
func (o *sweepOptions) sweepFlags(c *cobra.Command) {
	o.selection(c, "all", resource.Usual)
	o.seedFlag(c)
	c.Flags().StringArrayVar(&o.vary, "vary", nil, "vary a parameter: `KEY=a,b,c` or KEY=a..b/n or KEY=a..b/log:n (repeatable: a grid)")
	wholeVar(c.Flags(), &o.trials, "trials", 100, "trials in each cell: seeds 1 to N")
	c.Flags().StringVar(&o.property, "property", checker.Exclusion, "the property that the text table shows: "+strings.Join(checker.Properties, ", "))
	c.Flags().StringVar(&o.estimate, "estimate", string(sweeps.Crude), "how rates are estimated: "+strings.Join(sweeps.Estimators, ", "))
	decimalVar(c.Flags(), &o.stop.RelativeWidth, "until-width", 0, "stop a cell when the interval of the property's rate is so narrow, compared with the rate: 0.2 is about ±10 %")
	decimalVar(c.Flags(), &o.stop.Budget, "until-budget", 0, "stop a cell when the property's rate is known to be below or above this probability")
	c.Flags().StringVar(&o.porcupine, "porcupine", "", "in which trials porcupine is asked: "+strings.Join(sweeps.Porcupines, ", ")+" (default sampled, or all if the property is an answer of its)")
}

// shardFlag is --shard.
type shardFlag journal.Shard

func (f *shardFlag) String() string {
	if f.Of == 0 {
		return ""
	}
	return journal.Shard(*f).String()
}

func (f *shardFlag) Type() string { return "shard" }

// Set implements [pflag.Value].
func (f *shardFlag) Set(text string) error {
	shard, err := journal.ParseShard(text)
	*f = shardFlag(shard)
	return err
}

// runner runs the batches of a sweep that are still to be run, and counts them.
type runner func(s *sweeps.Sweep, ctx context.Context, cells []*sweeps.Cell) error

// sweepOn checks everything, and sweeps or says what it would take.
func (a *app) sweepOn(c *cobra.Command, o *sweepOptions, name string, run runner) error {
	sweep, cells, err := a.prepareSweep(c, o, name)
	switch {
	case err != nil:
		return err
	case o.dryRun:
		return a.price(c.Context(), sweep, cells)
	}
	return a.sweep(c.Context(), o, sweep, cells, run)
}

func (a *app) sweep(ctx context.Context, o *sweepOptions, sweep *sweeps.Sweep, cells []*sweeps.Cell, run runner) error {
	kept, err := a.keep(o, sweep, cells)
	if err != nil {
		return err
	}
	defer kept.unlock()
	bar := a.progress(sweep.Trials(cells), "trials")
	sweep.Progress = bar.Add
	if o.counts() {
		sweep.Look = func(c *sweeps.Cell) { bar.Say(sofar(c)) }
	}
	err = run(sweep, ctx, cells)
	bar.Close()
	if closeErr := kept.close(cells, err == nil); err == nil && closeErr != nil {
		err = &outputError{closeErr}
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		return a.unkept(o, sweep, cells, err)
	}
	if o.shard.Of > 0 && err == nil {
		return a.shardDone(o, kept)
	}
	table := reports.NewSweepTable(sweep, cells)
	if publishErr := a.publishSweep(o, table); publishErr != nil {
		return a.unkept(o, sweep, cells, publishErr)
	}
	if err != nil {
		a.tellSofar(o, cells)
		return a.sweepInterrupted(o, sweep.Scenario.Name, cells, err)
	}
	if table.Unknown() {
		a.code = ExitUnknown
	}
	return nil
}

// unkept shows the cells that are finished, if they cannot be written where they should be.
func (a *app) unkept(o *sweepOptions, sweep *sweeps.Sweep, cells []*sweeps.Cell, cause error) error {
	var output *outputError
	if errors.As(cause, &output) && o.out != "" && o.shard.Of == 0 {
		shown := *o
		shown.out = ""
		_ = a.publishSweep(&shown, reports.NewSweepTable(sweep, cells)) // the first failure is the one to tell of
	}
	return cause
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

// counts reports whether rates are shares of the trials, which can be looked at while they are run.
func (o *sweepOptions) counts() bool { return o.estimate == string(sweeps.Crude) }

// sofar is what an unfinished cell has come to.
func sofar(c *sweeps.Cell) string {
	name := append([]string{c.Plan.Describe.Name, c.Plan.Guard.Name}, c.Values...)
	return strings.Join(name, " ") + ": " + c.Sofar().String()
}

// tellSofar says what the cells have come to that were begun and not finished.
func (a *app) tellSofar(o *sweepOptions, cells []*sweeps.Cell) {
	for _, c := range cells {
		if !c.Finished && o.counts() && c.Sofar().Trials > 0 {
			fmt.Fprintf(a.streams.Err, "so far, %s of %s\n", o.property, sofar(c))
		}
	}
}

// sweepInterrupted says what was kept and how to go on.
func (a *app) sweepInterrupted(o *sweepOptions, name string, cells []*sweeps.Cell, cause error) error {
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
