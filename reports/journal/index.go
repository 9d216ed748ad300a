package journal

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"slices"

	"fencepost/scenarios"
)

// Index says where the batches of one sweep stand, in one file or in several. It keeps none of them
// in memory.
type Index struct {
	Header *Header
	// Shards are those of the files.
	Shards []Shard
	// Damaged counts the lines that are not whole.
	Damaged int

	entries []entry
	files   []*os.File
	good    int64 // where the last whole line of the last file ends
}

// entry is where a batch stands.
type entry struct {
	cell, index int
	file        int
	from, to    int64
	crc         uint32
}

// Load reads journals of one sweep, each a file or a result's directory. Close the index.
func Load(paths ...string) (*Index, error) {
	x := &Index{}
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
	switch {
	case err != nil:
		return err
	case x.Header == nil:
		x.Header = h
	default:
		if err := x.Header.Same(h); err != nil {
			return err
		}
	}
	x.Shards = append(x.Shards, h.Shard)
	x.good = r.to
	for {
		if err := r.next(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		b, err := r.batch()
		switch {
		case errors.Is(err, errDamaged):
			x.Damaged++
			continue
		case err != nil:
			return err
		}
		x.good = r.to
		x.entries = append(x.entries, entry{b.Cell, b.Index, len(x.files) - 1, r.from, r.to, crc32.Checksum(r.line, castagnoli)})
	}
}

// sort puts the batches into the order of the sweep, each once.
func (x *Index) sort() error {
	slices.SortStableFunc(x.entries, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.cell, b.cell), cmp.Compare(a.index, b.index))
	})
	kept := x.entries[:0]
	for _, e := range x.entries {
		if n := len(kept); n > 0 && kept[n-1].cell == e.cell && kept[n-1].index == e.index {
			if kept[n-1].crc != e.crc {
				return fmt.Errorf("%s and %s have two results of batch %d of cell %d: one of them is not of this program",
					x.files[kept[n-1].file].Name(), x.files[e.file].Name(), e.index, e.cell)
			}
			continue
		}
		kept = append(kept, e)
	}
	x.entries = kept
	return nil
}

// Len is how many batches there are.
func (x *Index) Len() int { return len(x.entries) }

func (x *Index) read(e entry) ([]byte, error) {
	line := make([]byte, e.to-e.from)
	_, err := x.files[e.file].ReadAt(line, e.from)
	return line, err
}

// Each calls for each batch, in the order of the sweep.
func (x *Index) Each(do func(*scenarios.Batch) error) error {
	for _, e := range x.entries {
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

// Missing are the shards of n of which a batch is missing, and how many are missing of all.
func (x *Index) Missing(n int) (shards []Shard, batches int) {
	have := map[[2]int]bool{}
	for _, e := range x.entries {
		have[[2]int{e.cell, e.index}] = true
	}
	whole := *x.Header
	whole.Shard = Shard{}
	lacking := make([]bool, n)
	for cell := range whole.Cells {
		for index := range whole.perCell() {
			if whole.wants(cell, index) && !have[[2]int{cell, index}] {
				lacking[(cell*whole.perCell()+index)%n] = true
				batches++
			}
		}
	}
	for i, lacks := range lacking {
		if lacks {
			shards = append(shards, Shard{i + 1, n})
		}
	}
	return shards, batches
}

// Write writes a journal of the batches in their order, under a header of the same sweep; of all, or of
// those that are wanted.
func (x *Index) Write(out io.Writer, h *Header, wanted func(cell, index int) bool) error {
	line, err := encode(h)
	if err != nil {
		return err
	}
	if _, err := out.Write(line); err != nil {
		return err
	}
	for _, e := range x.entries {
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
