package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"fencepost/models/resource"
	"fencepost/reports"
	"fencepost/scenarios"
	"fencepost/scenarios/sweeps"
)

func (a *app) runCommand() *cobra.Command {
	o := &options{}
	c := &cobra.Command{
		Use:   "run SCENARIO...",
		Short: "Run scenarios and judge every run",
		Long: `Run scenarios, by their library name or from a file, under each lock and guard, once for
each seed, and judge every run. A combination that makes no sense is reported as n/a; if all
are, nothing is run, and that is an error.

With --out, write result.json, result.csv and report.md and, if it is one scenario, a to-scale
timeline-LOCK-GUARD.svg of each run of the first seed and porcupine's page of each of their
histories that is not linearizable: lock-LOCK-GUARD.html, resource-LOCK-GUARD.html.`,
		Example: `  fencepost run kleppmann
  fencepost run my.yaml --lock all --guard all --seed 1-100
  fencepost run kleppmann --set fault.pause=5s --format json`,
		Args: atLeastOne("a scenario: a name from `fencepost list scenarios`, or a file"),
		RunE: func(c *cobra.Command, names []string) error { return a.run(c.Context(), o, names) },
	}
	o.selection(c, "all", resource.Usual)
	o.seedFlag(c)
	o.output(c)
	return c
}

func atLeastOne(what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return fmt.Errorf("%s needs %s", c.CommandPath(), what)
		}
		return nil
	}
}

func exactly(n int, what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) != n {
			return fmt.Errorf("%s needs %s", c.CommandPath(), what)
		}
		return nil
	}
}

// run checks all scenarios before it runs the first.
func (a *app) run(ctx context.Context, o *options, names []string) error {
	if err := o.check(); err != nil {
		return err
	}
	var all []*planned
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return fmt.Errorf("scenario %s is named twice", name)
		}
		p, err := a.plan(name, o)
		if err != nil {
			return err
		}
		all = append(all, p)
	}
	if err := tooMany(all); err != nil {
		return err
	}
	if err := nothingToRun(all...); err != nil {
		return err
	}
	documents := make([]*reports.Document, len(all))
	for i, p := range all {
		d, err := a.execute(ctx, p, o.workers)
		if err != nil && !errors.Is(err, context.Canceled) {
			return err
		}
		documents[i] = d
		if err != nil {
			return a.interrupted(err, reports.Merge(documents[:i+1]), o)
		}
	}
	d := reports.Merge(documents)
	a.code = verdictCode(d)
	if len(all) > 1 { // they would have to share the names of their pictures
		return a.publish(d, o, nil)
	}
	return a.publish(d, o, pictures(all[0], d))
}

// pictures are the timelines of the first seed's runs, and porcupine's pages of those of them
// that are not linearizable.
func pictures(p *planned, d *reports.Document) map[string]func(io.Writer) error {
	seed := p.seeds.At(0)
	files := timelines(p.plans, seed)
	of := map[[2]string]*scenarios.Plan{}
	for _, plan := range p.plans {
		of[[2]string{plan.Describe.Name, plan.Guard.Name}] = plan
	}
	for i := range d.Runs {
		if r := &d.Runs[i]; r.Seed == seed {
			maps.Copy(files, reports.Pages(of[[2]string{r.Lock, r.Guard}], r))
		}
	}
	return files
}

// maxRuns bounds what `run` keeps in memory: it reports each run with its evidence.
const maxRuns = 200_000

func tooMany(all []*planned) error {
	total := uint64(0)
	for _, p := range all {
		total += uint64(len(p.plans)) * p.seeds.Len()
	}
	if total > maxRuns {
		return fmt.Errorf("%d runs are too many to report one by one (at most %d); `fencepost sweep` counts any number", total, maxRuns)
	}
	return nil
}

// interrupted shows what was finished before Ctrl-C.
func (a *app) interrupted(err error, d *reports.Document, o *options) error {
	d.Interrupt()
	if publishErr := a.publish(d, o, nil); publishErr != nil {
		return publishErr
	}
	return fmt.Errorf("interrupted: %d runs were finished and are shown: %w", len(d.Runs), err)
}

// execute runs every plan under every seed and reports the runs in order. What was
// finished is reported also when the context ends.
func (a *app) execute(ctx context.Context, p *planned, workers int) (*reports.Document, error) {
	d := reports.NewDocument(p.instance, p.seeds)
	seeds := int(p.seeds.Len())
	var runnable []*scenarios.Plan
	for _, plan := range p.plans {
		if plan.NotApplicable == "" {
			runnable = append(runnable, plan)
		}
	}
	jobs := sweeps.Jobs{Len: len(runnable) * seeds, At: func(i int) sweeps.Job {
		return sweeps.Job{Plan: runnable[i/seeds], Seed: p.seeds.At(uint64(i % seeds))}
	}}
	runs := make([]*reports.Run, jobs.Len)
	bar := a.progress(jobs.Len, "runs")
	err := sweeps.RunAll(ctx, jobs, workers, func(i int, t *scenarios.Trial, r scenarios.Result) {
		run := reports.NewRun(t, r)
		runs[i] = &run
		bar.Add(1)
	})
	bar.Close()
	next := 0
	for _, plan := range p.plans {
		if plan.NotApplicable != "" {
			d.Runs = append(d.Runs, reports.NotRun(plan, p.seeds.At(0)))
			continue
		}
		for range seeds {
			if runs[next] != nil {
				d.Runs = append(d.Runs, *runs[next])
			}
			next++
		}
	}
	return d, err
}

// verdictCode is the exit code of a document. Not as expected outranks unknown.
func verdictCode(d *reports.Document) int {
	code := ExitExpected
	for i := range d.Runs {
		r := &d.Runs[i]
		switch {
		case !r.AsExpected:
			return ExitUnexpected
		case r.NotApplicable == "" && r.Unknown():
			code = ExitUnknown
		}
	}
	return code
}

// publish writes a document to standard output in the chosen format and, if asked, as
// files into a directory.
func (a *app) publish(d *reports.Document, o *options, more map[string]func(io.Writer) error) error {
	if o.out != "" {
		files := documentFiles(d, more)
		if err := writeDirectory(o.out, files); err != nil {
			return &outputError{err}
		}
	}
	write := map[string]func(io.Writer, *reports.Document) error{
		"text": reports.WriteText, "json": reports.WriteJSON, "csv": reports.WriteCSV,
		"markdown": func(w io.Writer, d *reports.Document) error { return reports.WriteMarkdown(w, d, nil) },
	}[o.format]
	if err := write(a.streams.Out, d); err != nil {
		return &outputError{err}
	}
	return a.wrote(o, documentFiles(d, more))
}

// wrote says for people which files there are now.
func (a *app) wrote(o *options, files map[string]func(io.Writer) error) error {
	if o.out == "" || o.format != "text" {
		return nil
	}
	names := slices.Sorted(maps.Keys(files))
	if _, err := fmt.Fprintf(a.streams.Out, "wrote into %s: %s\n", o.out, strings.Join(names, ", ")); err != nil {
		return &outputError{err}
	}
	return nil
}

// documentFiles are the files of a result directory.
func documentFiles(d *reports.Document, more map[string]func(io.Writer) error) map[string]func(io.Writer) error {
	beside := map[string]bool{}
	for name := range more {
		beside[name] = true
	}
	files := map[string]func(io.Writer) error{
		"result.json": func(w io.Writer) error { return reports.WriteJSON(w, d) },
		"result.csv":  func(w io.Writer) error { return reports.WriteCSV(w, d) },
		"report.md":   func(w io.Writer) error { return reports.WriteMarkdown(w, d, beside) },
	}
	for name, write := range more {
		files[name] = write
	}
	return files
}
