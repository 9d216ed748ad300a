package cli

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"fencepost/checker"
	"fencepost/reports"
	"fencepost/reports/journal"
	"fencepost/scenarios"
	"fencepost/scenarios/sweeps"
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
is written to sweep.batches all the same, the shards are named that lack some, and the exit code is 3.
A journal that is in --out already is replaced only if nothing of it would be lost.`,
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
	if err := a.writeMerged(o.out, x); err != nil {
		return err
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

// writeMerged writes what there is into a directory, unless what is there would be lost.
func (a *app) writeMerged(dir string, x *journal.Index) error {
	if err := makeDirectory(dir); err != nil {
		return &outputError{err}
	}
	lock, err := lockFolder(dir)
	if err != nil {
		return err
	}
	defer lock.unlock()
	path := filepath.Join(dir, journal.File)
	if err := a.mayReplace(path, x); err != nil {
		return err
	}
	whole := *x.Header
	whole.Shard, whole.Parts = journal.Shard{}, 0
	if _, missing := x.Missing(x.Parts); len(missing) > 0 && x.Parts > 1 {
		whole.Parts = x.Parts
	}
	if err := replaceFile(path, func(w io.Writer) error { return x.Write(w, &whole, nil) }); err != nil {
		return &outputError{err}
	}
	return nil
}

// mayReplace fails if a journal has batches that are not among those of the one that takes its place.
func (a *app) mayReplace(path string, by *journal.Index) error {
	earlier, err := loadEarlier(path)
	if earlier == nil || err != nil {
		return err
	}
	defer earlier.Close()
	if by.Header.Same(earlier.Header) != nil {
		return a.unfinished(earlier, path, "name another --out, or remove the file")
	}
	if n := earlier.Beside(by); n > 0 {
		return fmt.Errorf("%s has %s of this sweep that the merged ones have not: merge %s, too, or name another --out",
			path, counted(n, "batch", "batches"), filepath.Dir(path))
	}
	return nil
}

// missing says which shards lack something, if any do, or which batches.
func missing(x *journal.Index, out string) error {
	shards, batches := x.Missing(x.Parts)
	if len(batches) == 0 {
		return nil
	}
	which := fmt.Sprintf("the sweep was not finished, and lacks %s, counted through all cells", listed(batches.String()))
	if x.Parts > 1 {
		which = "run what is missing of --shard"
		for i, s := range shards {
			if i == mostNamed {
				which += fmt.Sprintf(" and %d more", len(shards)-i)
				break
			}
			which += " " + s.String()
		}
	}
	return fmt.Errorf("%s missing: %s; what there is was written to %s, which can be merged again, or gone on from with sweep --resume",
		counted(int(batches.Len()), "batch is", "batches are"), which, filepath.Join(out, journal.File))
}

// mostNamed is how many of many are named.
const mostNamed = 20

// listed is the beginning of a list with commas.
func listed(list string) string {
	if names := strings.SplitN(list, ",", mostNamed+1); len(names) > mostNamed {
		return strings.Join(names[:mostNamed], ",") + " and more"
	}
	return list
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
	err = a.count(x, sweep, cells)
	return reports.NewSweepTable(sweep, cells), err
}

// count counts the batches of a journal.
func (a *app) count(x *journal.Index, sweep *sweeps.Sweep, cells []*sweeps.Cell) error {
	return x.Each(func(b *sweeps.Batch) error {
		if err := sweep.Fits(cells, b); err != nil {
			return err
		}
		sweep.Take(cells, b)
		return nil
	})
}
