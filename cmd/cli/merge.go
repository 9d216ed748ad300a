package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"fencepost/checker"
	"fencepost/reports"
	"fencepost/reports/journal"
	"fencepost/scenarios"
)

func (a *app) mergeCommand() *cobra.Command {
	o := &sweepOptions{}
	var scenario string
	c := &cobra.Command{
		Use:   "merge DIR|FILE... --out DIR",
		Short: "Put the shards of a sweep together",
		Long: `Put the parts of a sweep together that several machines have run: directories that
` + "`fencepost sweep --shard`" + ` or an earlier merge has written, or their files sweep.batches. They may
come in any order, have the same batches, and be merged in several steps: the result is the same, and
the files are those of a sweep that one machine has run.

What is not of the same program, scenario and settings is refused. If batches are missing, what there is
is written to sweep.batches all the same, the shards are named that lack some, and the exit code is 3.`,
		Example: "  fencepost merge part-1 part-2 part-3 --out whole",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("fencepost merge takes the directories or files of shards")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return a.merge(o, scenario, args) },
	}
	o.output(c)
	c.Flags().StringVar(&o.property, "property", checker.Exclusion, "the property that the text table shows")
	c.Flags().Var((*path)(&scenario), "scenario", "the scenario's `file`, if it is not where the shards say")
	return c
}

func (a *app) merge(o *sweepOptions, scenario string, paths []string) error {
	if err := o.checkMerge(); err != nil {
		return err
	}
	x, err := journal.Load(paths...)
	if err != nil {
		return err
	}
	defer x.Close()
	if x.Damaged > 0 {
		fmt.Fprintf(a.streams.Err, "fencepost: %s not whole\n", counted(x.Damaged, "line is", "lines are"))
	}
	if x.Header.Stop != "" {
		return errors.New("a sweep with --until-… has no parts: go on with it in its directory, with --resume")
	}
	whole := *x.Header
	whole.Shard = journal.Shard{}
	write := func() error {
		if err := os.MkdirAll(o.out, 0o755); err != nil {
			return err
		}
		return replaceFile(filepath.Join(o.out, journal.File), func(w io.Writer) error { return x.Write(w, &whole, nil) })
	}
	if err := write(); err != nil {
		return &outputError{err}
	}
	if err := missing(x, o.out); err != nil {
		return err
	}
	table, err := a.mergedTable(x, scenario)
	if err != nil {
		return err
	}
	if table.Unknown() {
		a.code = ExitUnknown
	}
	return a.publishSweep(o, table)
}

func (o *sweepOptions) checkMerge() error {
	o.workers = 1
	if o.out == "" {
		return errors.New("--out is missing: name the directory that the whole is to be written to")
	}
	return o.checkProperty()
}

// missing says which shards lack something, if any do.
func missing(x *journal.Index, out string) error {
	n := 1
	for _, s := range x.Shards {
		n = max(n, s.Of)
	}
	shards, batches := x.Missing(n)
	if batches == 0 {
		return nil
	}
	which := "the sweep was not finished"
	if n > 1 {
		which = "run what is missing of --shard"
		for i, s := range shards {
			if i == 20 {
				which += fmt.Sprintf(" and %d more", len(shards)-i)
				break
			}
			which += " " + s.String()
		}
	}
	return fmt.Errorf("%s missing: %s; what there is was written to %s, which can be merged again",
		counted(batches, "batch is", "batches are"), which, filepath.Join(out, journal.File))
}

// mergedTable counts all batches again.
func (a *app) mergedTable(x *journal.Index, path string) (*reports.SweepTable, error) {
	h := x.Header
	if path == "" {
		path = h.Path()
	}
	s, err := scenarios.Load(path)
	if err != nil {
		return nil, fmt.Errorf("the scenario of the shards: %w (name it with --scenario)", err)
	}
	sweep, cells, err := h.Sweep(a.registry, s)
	if err != nil {
		return nil, fmt.Errorf("the shards: %w", err)
	}
	err = x.Each(func(b *scenarios.Batch) error {
		if err := sweep.Fits(cells, b); err != nil {
			return err
		}
		sweep.Take(cells, b)
		return nil
	})
	return reports.NewSweepTable(sweep, cells), err
}
