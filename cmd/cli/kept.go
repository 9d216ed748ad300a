package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"fencepost/reports"
	"fencepost/reports/journal"
	"fencepost/scenarios"
)

// kept is the journal of a sweep that runs.
type kept struct {
	path   string
	header *journal.Header
	writer *journal.Writer
}

// keep begins the journal of a sweep in the directory of its result, or goes on with the one that is
// there. Without a directory nothing is kept: it returns nil.
func (a *app) keep(o *sweepOptions, s *scenarios.Sweep, cells []*scenarios.Cell) (*kept, error) {
	if o.out == "" {
		return nil, nil
	}
	program, err := build()
	if err != nil {
		return nil, fmt.Errorf("this program cannot be told from others: %w", err)
	}
	k := &kept{path: filepath.Join(o.out, journal.File), header: journal.New(s, cells, reports.Version, program)}
	k.header.Shard = o.shard
	if err := os.MkdirAll(o.out, 0o755); err != nil {
		return nil, &outputError{err}
	}
	earlier, err := journal.Load(k.path)
	switch {
	case errors.Is(err, os.ErrNotExist), errors.Is(err, journal.ErrNoJournal):
		// There is none, or it was ended before it had begun.
		err = k.begin()
	case err != nil:
	case o.resume:
		err = a.goOn(k, earlier, s, cells)
	default:
		if err = k.replaces(earlier); err == nil {
			err = k.begin()
		}
	}
	if earlier != nil {
		earlier.Close()
	}
	if err != nil {
		return nil, err
	}
	s.Keep = func(b *scenarios.Batch) error {
		if err := k.writer.Add(b); err != nil {
			return &outputError{fmt.Errorf("%w; when there is room again, go on with the same command and --resume", err)}
		}
		return nil
	}
	return k, nil
}

func (k *kept) begin() (err error) {
	if k.writer, err = journal.Create(k.path, k.header); err != nil {
		return &outputError{err}
	}
	return nil
}

// replaces fails if an earlier journal has something that would be lost.
func (k *kept) replaces(earlier *journal.Index) error {
	if has, of := earlier.Len(), earlier.Header.Batches(); has > 0 && has < of && earlier.Header.Stop == "" {
		return fmt.Errorf("%s has %d of %d batches of a sweep that was not finished: go on from them with --resume, or remove the file, or name another --out",
			k.path, has, of)
	}
	return nil
}

// goOn takes what an earlier run has finished. If that was of other cells or seeds, what can be
// used of it is copied to a journal of this sweep.
func (a *app) goOn(k *kept, earlier *journal.Index, s *scenarios.Sweep, cells []*scenarios.Cell) error {
	if err := k.header.Adds(earlier.Header); err != nil {
		return fmt.Errorf("--resume: %s is of another sweep: %w", k.path, err)
	}
	if earlier.Damaged > 0 {
		fmt.Fprintf(a.streams.Err, "fencepost: %s: %s not whole, and run again\n", k.path, counted(earlier.Damaged, "batch is", "batches are"))
	}
	same := k.header.Same(earlier.Header) == nil && k.header.Shard == earlier.Header.Shard
	here := k.header.Translation(earlier.Header)
	var usable []*scenarios.Batch
	err := earlier.Each(func(b *scenarios.Batch) error {
		cell, ok := here[b.Cell]
		b.Cell = cell
		if err := s.Fits(cells, b); !ok || err != nil {
			if same {
				return err
			}
			return nil
		}
		s.Take(cells, b)
		if !same {
			usable = append(usable, b)
		}
		return nil
	})
	switch {
	case err != nil:
		return err
	case same:
		k.writer, err = earlier.Continue()
		return err
	}
	if err := replaceFile(k.path, func(w io.Writer) error { return journal.Write(w, k.header, usable) }); err != nil {
		return err
	}
	again, err := journal.Load(k.path)
	if err != nil {
		return err
	}
	defer again.Close()
	k.writer, err = again.Continue()
	return err
}

// close ends the journal. One that is complete is put into the order of the sweep, so that it is
// the same whatever the order in which the batches were finished; what was run beyond a stop goes.
func (k *kept) close(cells []*scenarios.Cell, complete bool) error {
	if k == nil {
		return nil
	}
	if err := k.writer.Close(); err != nil || !complete {
		return err
	}
	x, err := journal.Load(k.path)
	if err != nil {
		return err
	}
	defer x.Close()
	counted := func(cell, index int) bool { return cells[cell].Counted(index) }
	return replaceFile(k.path, func(w io.Writer) error { return x.Write(w, k.header, counted) })
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// shardDone says what a shard has left, and what to do with it.
func (a *app) shardDone(o *sweepOptions, k *kept) error {
	return a.write(fmt.Sprintf("shard %s is finished: %s in %s; put all shards together with: fencepost merge DIR... --out DIR\n",
		o.shard, counted(k.writer.Kept(), "batch", "batches"), k.path))
}
