package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"strings"

	"github.com/spf13/cobra"

	"fencepost/models/resource"
	"fencepost/reports"
	"fencepost/scenarios"
	"fencepost/scenarios/sweeps"
)

func (a *app) reproduceCommand() *cobra.Command {
	o := &options{}
	list := false
	c := &cobra.Command{
		Use:   "reproduce NAME",
		Short: "Reproduce a published counterexample, tell it and draw it",
		Long: `Reproduce a published case under every lock and guard: one row a run, then what happened
with instants and tokens, then who is at fault. With --out, write result.json, result.csv,
report.md, a to-scale timeline-LOCK-GUARD.svg of each run of the first seed, porcupine's page
of each of their histories that is not linearizable (lock-LOCK-GUARD.html,
resource-LOCK-GUARD.html) and, if the case has one, the chart of violation rates as SVG, PNG
and CSV.`,
		Example: `  fencepost reproduce kleppmann --out out
  fencepost reproduce --list`,
		Args: func(c *cobra.Command, args []string) error {
			if list {
				return nil
			}
			return exactly(1, "one name; `fencepost reproduce --list` names them")(c, args)
		},
		RunE: func(c *cobra.Command, args []string) error {
			if list {
				return a.listReproducible()
			}
			return a.reproduce(c.Context(), o, args[0])
		},
	}
	c.Flags().BoolVar(&a.long, "long", false, "with --list: describe each also when piped")
	c.Flags().BoolVar(&list, "list", false, "name the cases, with the verdict that is expected of each")
	o.selection(c, "all", resource.Usual)
	o.seedFlag(c)
	o.output(c)
	return c
}

// reproduce runs a library scenario and adds pictures.
func (a *app) reproduce(ctx context.Context, o *options, name string) error {
	if err := o.check(); err != nil {
		return err
	}
	s, err := scenarios.Load(name)
	if err != nil {
		return err
	}
	if !s.Reproducible() {
		return fmt.Errorf("%s has no expected verdict to reproduce; run it with `fencepost run %s`", name, name)
	}
	p, err := a.plan(name, o)
	if err != nil {
		return err
	}
	if err := nothingToRun(p); err != nil {
		return err
	}
	d, err := a.execute(ctx, p, o.workers)
	if errors.Is(err, context.Canceled) {
		return a.interrupted(err, d, o)
	}
	if err != nil {
		return err
	}
	a.code = verdictCode(d)
	more := pictures(p, d)
	if o.out == "" || s.Chart == nil {
		return a.publish(d, o, more)
	}
	t, err := a.chartSweep(ctx, s.Chart, o)
	if errors.Is(err, context.Canceled) {
		if err := a.publish(d, o, more); err != nil {
			return err
		}
		return fmt.Errorf("interrupted: every run is finished and written to %s, the chart is not; the same command makes it: %w", o.out, err)
	}
	if err != nil {
		return err
	}
	files, err := rateFiles(t, s.Chart)
	if err != nil {
		return err
	}
	maps.Copy(more, files)
	d.Rates, d.RatesProperty = t, s.Chart.Property
	return a.publish(d, o, more)
}

// rateFiles are a case's rates, and their picture if any lock that was asked for has a rate.
func rateFiles(t *reports.SweepTable, c *scenarios.Chart) (map[string]func(io.Writer) error, error) {
	files := map[string]func(io.Writer) error{
		"rates.json": func(w io.Writer) error { return reports.WriteSweepJSON(w, t) },
		"rates.csv":  func(w io.Writer) error { return reports.WriteSweepCSV(w, t) },
	}
	chart, err := reports.RateChart(t, c.Property, c.X)
	switch {
	case errors.Is(err, reports.ErrNothingToDraw):
		return files, nil
	case err != nil:
		return nil, err
	}
	files[reports.ChartFile], files["rates.png"] = chart.WriteSVG, chart.WritePNG
	return files, nil
}

// chartSweep runs the sweep that a case's chart is made from.
func (a *app) chartSweep(ctx context.Context, c *scenarios.Chart, o *options) (*reports.SweepTable, error) {
	s, err := scenarios.Load(c.Scenario)
	if err != nil {
		return nil, err
	}
	sweep := &sweeps.Sweep{Scenario: s, Registry: a.registry, Workers: o.workers, Axes: c.Axes,
		Seeds: sweeps.Seeds{{First: 1, Last: uint64(c.Trials)}}}
	if sweeps.Answers(c.Property) {
		sweep.Porcupine = sweeps.PorcupineAll
	}
	locks := o.locks
	if locks == "all" && len(c.Locks) > 0 {
		locks = strings.Join(c.Locks, ",")
	}
	if sweep.Locks, err = a.lockList(locks); err != nil {
		return nil, fmt.Errorf("the chart of %s: %w", c.Scenario, err)
	}
	// They were checked when the case itself was planned.
	sweep.Guards, _ = guardList(o.guards)
	cells, err := sweep.Cells()
	if err != nil {
		return nil, err
	}
	bar := a.progress(sweep.Trials(cells), "trials of the chart")
	sweep.Progress = bar.Add
	err = sweep.Run(ctx, cells)
	bar.Close()
	if err != nil {
		return nil, err
	}
	return reports.NewSweepTable(sweep, cells), nil
}

// listReproducible names the cases. Piped, it is one name a line.
func (a *app) listReproducible() error {
	locks, _ := a.lockList("all")
	guards, _ := guardList(resource.Usual)
	var items []item
	for _, name := range scenarios.LibraryNames() {
		s, err := scenarios.Load(name)
		if err != nil {
			return err
		}
		if !s.Reproducible() {
			continue
		}
		in, err := s.Instantiate(a.registry, nil)
		if err != nil {
			return err
		}
		plans, err := in.Plans(locks, guards)
		if err != nil {
			return err
		}
		rest := []string{s.Title}
		for _, p := range plans {
			rest = append(rest, fmt.Sprintf("%s/%s: %s", p.Describe.Name, p.Guard.Name, reports.ExpectationText(p)))
		}
		items = append(items, item{name, rest})
	}
	return a.printItems(items)
}
