package journal

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"fencepost/scenarios/sweeps"
)

// Index says where the batches of one sweep stand, in one file or in several. It keeps none of them
// in memory.
type Index struct {
	Header *Header
	// Parts is the largest number of shards that a file says the sweep was divided into, at least 1.
	Parts int
	// Damaged counts the lines that are not whole.
	Damaged int

	entries []entry
	// short are the last batches of cells of an earlier sweep that had fewer trials: they are kept until
	// the longer one is there which has their trials, too, and count for nothing.
	short []entry
	files []*os.File
	good  int64 // where the last whole line of the last file ends
}

// entry is where a batch stands.
type entry struct {
	cell, index int
	trials      uint64
	file        int
	from, to    int64
}

// Load reads journals of one sweep, each a file or a result's directory. Close the index.
func Load(paths ...string) (*Index, error) {
	x := &Index{Parts: 1}
	for _, path := range paths {
		if err := x.load(In(path)); err != nil {
			x.Close()
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	if err := x.sort(); err != nil {
		x.Close()
		return nil, err
	}
	x.split()
	return x, nil
}

func (x *Index) load(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return errors.Unwrap(err) // the file is named already
	}
	x.files = append(x.files, f)
	r := &reader{in: bufio.NewReaderSize(f, 1<<20)}
	h, err := r.header()
	if err == nil {
		err = x.heads(h)
	}
	if err != nil {
		return err
	}
	x.good = r.to
	for {
		if err := r.next(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if err := x.line(r); errors.Is(err, errDamaged) {
			x.Damaged++
		} else if err != nil {
			return err
		} else {
			x.good = r.to
		}
	}
}

// line takes a line behind the first: a batch, or the header of a journal that was put behind another.
func (x *Index) line(r *reader) error {
	b, err := r.batch()
	if err == nil {
		x.entries = append(x.entries, entry{b.Cell, b.Index, b.Seeds.Len(), len(x.files) - 1, r.from, r.to})
		return nil
	}
	switch h, headErr := r.headerHere(); {
	case headErr != nil:
		return headErr
	case h != nil:
		return x.heads(h)
	}
	return err
}

// heads takes a header, which has to be of the same sweep as those before it.
func (x *Index) heads(h *Header) error {
	x.Parts = max(x.Parts, h.Shard.Of, h.Parts)
	if x.Header == nil {
		x.Header = h
		return nil
	}
	return x.Header.Same(h)
}

// sort puts the batches into the order of the sweep, each once.
func (x *Index) sort() error {
	slices.SortStableFunc(x.entries, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.cell, b.cell), cmp.Compare(a.index, b.index), cmp.Compare(a.trials, b.trials))
	})
	kept := x.entries[:0]
	for _, e := range x.entries {
		n := len(kept)
		if n == 0 || kept[n-1].cell != e.cell || kept[n-1].index != e.index || kept[n-1].trials != e.trials {
			kept = append(kept, e)
		} else if err := x.equal(kept[n-1], e); err != nil {
			return err
		}
	}
	x.entries = kept
	return nil
}

// equal fails if two lines of one batch are not the same.
func (x *Index) equal(a, b entry) error {
	one, err := x.read(a)
	if err != nil {
		return err
	}
	other, err := x.read(b)
	if err == nil && !bytes.Equal(one, other) {
		err = fmt.Errorf("%s and %s have two results of batch %d of cell %d: one of them is not of this program",
			x.files[a.file].Name(), x.files[b.file].Name(), b.index, b.cell)
	}
	return err
}

// split takes what is short out of the batches.
func (x *Index) split() {
	whole := x.entries[:0]
	for _, e := range x.entries {
		if e.trials < x.Header.trialsOf(e.index) {
			x.short = append(x.short, e)
		} else {
			whole = append(whole, e)
		}
	}
	x.entries = whole
	have := x.have()
	x.short = slices.DeleteFunc(x.short, func(e entry) bool { return have[[2]int{e.cell, e.index}] })
}

// Len is how many batches there are.
func (x *Index) Len() int { return len(x.entries) }

// Short is how many there are beside them that have fewer trials than the sweep has in their place.
func (x *Index) Short() int { return len(x.short) }

func (x *Index) read(e entry) ([]byte, error) {
	line := make([]byte, e.to-e.from)
	_, err := x.files[e.file].ReadAt(line, e.from)
	return line, err
}

// Each calls for each batch, in the order of the sweep.
func (x *Index) Each(do func(*sweeps.Batch) error) error { return x.each(x.entries, do) }

// EachShort calls for each that has fewer trials than the sweep has in its place.
func (x *Index) EachShort(do func(*sweeps.Batch) error) error { return x.each(x.short, do) }

func (x *Index) each(entries []entry, do func(*sweeps.Batch) error) error {
	for _, e := range entries {
		line, err := x.read(e)
		if err != nil {
			return err
		}
		r := reader{line: line}
		b, err := r.batch()
		if err == nil {
			err = do(b)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", x.files[e.file].Name(), err)
		}
	}
	return nil
}

// Lacks are the batches that a shard of the sweep is to have and that are not there, numbered through
// all cells from 1 on.
func (x *Index) Lacks(of Shard) (numbers sweeps.Seeds) {
	have := x.have()
	h := *x.Header
	h.Shard = of
	for cell := range h.Cells {
		for index := range h.perCell() {
			if h.wants(cell, index) && !have[[2]int{cell, index}] {
				numbers = numbers.With(uint64(cell*h.perCell() + index + 1))
			}
		}
	}
	return numbers
}

// Beside is how many batches there are that another index of the same sweep has not.
func (x *Index) Beside(other *Index) (n int) {
	have := other.have()
	for _, e := range other.short {
		have[[2]int{e.cell, e.index}] = true
	}
	for _, e := range slices.Concat(x.entries, x.short) {
		if !have[[2]int{e.cell, e.index}] {
			n++
		}
	}
	return n
}

// have are the batches, by cell and index.
func (x *Index) have() map[[2]int]bool {
	have := map[[2]int]bool{}
	for _, e := range x.entries {
		have[[2]int{e.cell, e.index}] = true
	}
	return have
}

// Missing are the shards of n of which a batch is missing, and the batches, numbered as [Index.Lacks] does.
func (x *Index) Missing(n int) (shards []Shard, batches sweeps.Seeds) {
	batches = x.Lacks(Shard{})
	lacking := make([]bool, n)
	for _, r := range batches {
		for number := r.First; number <= r.Last; number++ {
			lacking[(number-1)%uint64(n)] = true
		}
	}
	for i, lacks := range lacking {
		if lacks {
			shards = append(shards, Shard{i + 1, n})
		}
	}
	return shards, batches
}

// Write writes a journal of the batches in their order, under a header of the same sweep; of all, those
// that are short too, or of those that are wanted.
func (x *Index) Write(out io.Writer, h *Header, wanted func(cell, index int) bool) error {
	line, err := encode(h)
	if err != nil {
		return err
	}
	if _, err := out.Write(line); err != nil {
		return err
	}
	entries := x.entries
	if wanted == nil {
		entries = slices.Concat(x.entries, x.short)
	}
	for _, e := range entries {
		if wanted != nil && !wanted(e.cell, e.index) {
			continue
		}
		line, err := x.read(e)
		if err != nil {
			return err
		}
		if _, err := out.Write(line); err != nil {
			return err
		}
	}
	return nil
}

// Close closes the files.
func (x *Index) Close() {
	for _, f := range x.files {
		f.Close()
	}
}
