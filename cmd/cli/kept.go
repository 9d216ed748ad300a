package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"fencepost/reports"
	"fencepost/reports/journal"
	"fencepost/scenarios"
	"fencepost/scenarios/sweeps"
)

// kept is the journal of a sweep that runs, in a directory that no other process writes to.
type kept struct {
	lock   *folderLock
	path   string
	header *journal.Header
	writer *journal.Writer
	synced time.Time
}

// syncEvery is how much of its work a sweep may lose when the power fails: batches may be finished a
// thousand times a second, and bringing one to the disk takes milliseconds.
const syncEvery = time.Second

// keep begins the journal of a sweep in the directory of its result, or goes on with the one that is
// there. Without a directory nothing is kept: it returns nil.
func (a *app) keep(o *sweepOptions, s *sweeps.Sweep, cells []*sweeps.Cell) (*kept, error) {
	if o.out == "" {
		return nil, nil
	}
	program, err := build()
	if err != nil {
		return nil, fmt.Errorf("this program cannot be told from others: %w", err)
	}
	k := &kept{path: filepath.Join(o.out, journal.File), header: journal.New(s, cells, reports.Version, program), synced: time.Now()}
	k.header.Shard = o.shard
	if err := makeDirectory(o.out); err != nil {
		return nil, &outputError{err}
	}
	if k.lock, err = lockFolder(o.out); err != nil {
		return nil, err
	}
	if err := a.open(k, o.resume, s, cells); err != nil {
		k.unlock()
		return nil, err
	}
	s.Keep = k.add
	return k, nil
}

// open begins the journal, or goes on with an earlier one.
func (a *app) open(k *kept, resume bool, s *sweeps.Sweep, cells []*sweeps.Cell) error {
	earlier, err := loadEarlier(k.path)
	if err != nil {
		return err
	}
	if earlier == nil {
		return k.begin(nil)
	}
	defer earlier.Close()
	if resume {
		return a.goOn(k, earlier, s, cells)
	}
	if err := a.unfinished(earlier, k.path, "go on from them with --resume, or remove the file, or name another --out"); err != nil {
		return err
	}
	return k.begin(nil)
}

// loadEarlier is the journal that a directory has already; nil if it has none, or one that was ended
// before it had begun. It fails if the file has something that this program cannot read: it is not to
// be replaced.
func loadEarlier(path string) (*journal.Index, error) {
	earlier, err := journal.Load(path)
	switch {
	case errors.Is(err, os.ErrNotExist), errors.Is(err, journal.ErrNotBegun):
		return nil, nil
	case errors.Is(err, journal.ErrNoJournal), errors.Is(err, journal.ErrOtherForm):
		return nil, fmt.Errorf("%w; the file stays as it is: name another --out, or put it right, or remove it", err)
	}
	return earlier, err
}

// unfinished fails if an earlier journal is of a sweep that was not finished, and says what to do.
func (a *app) unfinished(earlier *journal.Index, path, todo string) error {
	lacks := int(earlier.Lacks(earlier.Header.Shard).Len())
	if earlier.Len()+earlier.Short() == 0 || lacks == 0 || earlier.Header.Stop != "" && a.sawEnough(earlier) {
		return nil
	}
	return fmt.Errorf("%s has %d of %d batches of a sweep that was not finished: %s", path, earlier.Len(), earlier.Len()+lacks, todo)
}

// sawEnough reports whether all cells of a journal have stopped for what they had seen, as far as that
// can be told here.
func (a *app) sawEnough(x *journal.Index) bool {
	s, err := scenarios.Load(x.Header.Path())
	if err != nil {
		return false
	}
	sweep, cells, err := x.Header.Sweep(a.registry, s)
	if err != nil || a.count(x, sweep, cells) != nil {
		return false
	}
	for _, c := range cells {
		if !c.Finished {
			return false
		}
	}
	return true
}

// begin writes a journal that has some batches already.
func (k *kept) begin(batches []*sweeps.Batch) error {
	err := replaceFile(k.path, func(w io.Writer) error { return journal.Write(w, k.header, batches) })
	if err != nil {
		return &outputError{err}
	}
	x, err := journal.Load(k.path)
	if err != nil {
		return err
	}
	defer x.Close()
	k.writer, err = x.Continue()
	return err
}

// add keeps a batch, and now and then makes sure that it is on the disk.
func (k *kept) add(b *sweeps.Batch) error {
	err := k.writer.Add(b)
	if err == nil && time.Since(k.synced) >= syncEvery {
		err = k.writer.Sync()
		k.synced = time.Now()
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, journal.ErrGone):
		return &outputError{fmt.Errorf("%w; the sweep was stopped, and the cells that were finished are shown", err)}
	}
	return &outputError{fmt.Errorf("%w; when there is room again, go on with the same command and --resume", err)}
}

// close ends the journal. One that is complete is put into the order of the sweep, so that it is
// the same whatever the order in which the batches were finished; what was run beyond a stop goes.
func (k *kept) close(cells []*sweeps.Cell, complete bool) error {
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

// unlock lets other processes write to the directory.
func (k *kept) unlock() {
	if k != nil {
		k.lock.unlock()
	}
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
