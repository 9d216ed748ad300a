package cli

import (
	"fmt"
	"slices"
	"strings"

	"fencepost/reports/journal"
	"fencepost/scenarios/sweeps"
)

// resumption takes what an earlier run has finished into a sweep.
type resumption struct {
	sweep   *sweeps.Sweep
	cells   []*sweeps.Cell
	earlier *journal.Header
	// here is which cell of this sweep each of the earlier one is; same says that the two are one sweep.
	here map[int]int
	same bool

	taken []*sweeps.Batch
	// short are the last batches of cells that are run again as a part of longer ones. They stay until
	// those are finished.
	short []*sweeps.Batch
	// Of these the journal of this sweep would have nothing.
	otherCells, otherSeeds int
}

// goOn takes what an earlier run has finished. If that was of other cells or seeds, it is copied to a
// journal of this sweep, unless something would be lost that way.
func (a *app) goOn(k *kept, earlier *journal.Index, s *sweeps.Sweep, cells []*sweeps.Cell) error {
	if err := k.header.Adds(earlier.Header); err != nil {
		return fmt.Errorf("--resume: %s is of another sweep: %w; name another --out, or remove the file", k.path, err)
	}
	if earlier.Damaged > 0 {
		fmt.Fprintf(a.streams.Err, "fencepost: %s: %s not whole, and run again\n", k.path, counted(earlier.Damaged, "batch is", "batches are"))
	}
	r := &resumption{sweep: s, cells: cells, earlier: earlier.Header, here: k.header.Translation(earlier.Header),
		same: k.header.Same(earlier.Header) == nil && k.header.Shard == earlier.Header.Shard}
	err := earlier.Each(r.take)
	if err == nil {
		err = earlier.EachShort(r.take)
	}
	if err == nil {
		err = r.losses(k, earlier.Len()+earlier.Short())
	}
	switch {
	case err != nil:
		return err
	case r.same:
		k.writer, err = earlier.Continue()
		return err
	}
	if n := len(r.short); n > 0 {
		fmt.Fprintf(a.streams.Err, "fencepost: %s: %s run again, with the trials that follow\n", k.path, counted(n, "batch is", "batches are"))
	}
	return k.begin(slices.Concat(r.taken, r.short))
}

// take takes a batch, if it is one of this sweep.
func (r *resumption) take(b *sweeps.Batch) error {
	cell, here := r.here[b.Cell]
	if !r.same && !here {
		r.otherCells++
		return nil
	}
	if !r.same {
		b.Cell = cell
	}
	switch err := r.sweep.HasBatch(r.cells, b); {
	case err != nil && r.isShort(b):
		r.short = append(r.short, b)
		return nil
	case err != nil && r.same:
		return altered(err)
	case err != nil:
		r.otherSeeds++
		return nil
	}
	if err := r.sweep.Fits(r.cells, b); err != nil {
		return altered(err)
	}
	r.sweep.Take(r.cells, b)
	if !r.same {
		r.taken = append(r.taken, b)
	}
	return nil
}

// altered is a mistake in a line that is whole, so that nothing but a change can have brought it there.
func altered(err error) error {
	return fmt.Errorf("%w; the file was changed: name another --out, or remove the line of that batch, to have it run again", err)
}

// isShort reports whether a batch is the last and shorter one of its cell, all of whose trials this sweep
// has as well.
func (r *resumption) isShort(b *sweeps.Batch) bool {
	if b.Seeds.Len() >= uint64(r.earlier.BatchTrials) {
		return false
	}
	for i := range b.Seeds.Len() {
		if !r.sweep.Seeds.Has(b.Seeds.At(i)) {
			return false
		}
	}
	return true
}

// losses fails if the journal of this sweep would not have all that the earlier one has.
func (r *resumption) losses(k *kept, all int) error {
	var why []string
	if r.otherCells > 0 {
		why = append(why, fmt.Sprintf("%d are of cells that this sweep has not", r.otherCells))
	}
	if r.otherSeeds > 0 {
		why = append(why, fmt.Sprintf("%d have other seeds (the file is of %s, this sweep of %s)", r.otherSeeds, r.earlier.Seeds, r.sweep.Seeds))
	}
	if n := r.beyond(k); n > 0 {
		why = append(why, fmt.Sprintf("%d are beyond where --until-… stops", n))
	}
	if len(why) == 0 {
		return nil
	}
	return fmt.Errorf("--resume: %s has %s, and some of them would be lost: %s; name another --out, or sweep all that the file has",
		k.path, counted(all, "finished batch", "finished batches"), strings.Join(why, ", "))
}

// beyond counts the batches that this sweep, which stops elsewhere than the earlier one, may not need.
func (r *resumption) beyond(k *kept) (n int) {
	if !r.sweep.Stops() || k.header.Stop == r.earlier.Stop {
		return 0
	}
	for _, b := range r.taken {
		if !r.cells[b.Cell].Counted(b.Index) {
			n++
		}
	}
	return n
}
