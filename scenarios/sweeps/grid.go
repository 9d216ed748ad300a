package sweeps

import (
	"fmt"
	"maps"

	"fencepost/scenarios"
)

// Bounds of a sweep, so that one whose size was not meant is refused before it takes the memory of the
// machine. A cell takes about 70 kB until it is written, and each batch that is still to be run 80 bytes.
const (
	// MaxCells bounds the cells of all locks and guards together.
	MaxCells = 10_000
	// MaxBatches bounds the batches of all cells together.
	MaxBatches = 5_000_000
)

// checkSize fails if the grid has too many cells, or they too many trials.
func (s *Sweep) checkSize() error {
	cells := uint64(len(s.Locks) * len(s.Guards))
	for _, axis := range s.Axes {
		// Neither factor is more than a few ten thousands until the product is more than is allowed.
		if cells *= uint64(len(axis.Values)); cells > 1e12 {
			return fmt.Errorf("the grid has more than %d cells: at most %d, for all locks and guards together", uint64(1e12), MaxCells)
		}
	}
	if cells > MaxCells {
		return fmt.Errorf("the grid has %d cells: at most %d, for all locks and guards together", cells, MaxCells)
	}
	if batches := cells * uint64(s.Batches()); batches > MaxBatches {
		return fmt.Errorf("%d cells with %d trials each are %d batches: at most %d", cells, s.Seeds.Len(), batches, MaxBatches)
	}
	return nil
}

// combinations returns every combination of the axes' values, the last axis varying fastest.
func combinations(axes []scenarios.Axis) []map[string]string {
	all := []map[string]string{{}}
	for _, axis := range axes {
		var next []map[string]string
		for _, values := range all {
			for _, v := range axis.Values {
				combined := maps.Clone(values)
				combined[axis.Name] = v
				next = append(next, combined)
			}
		}
		all = next
	}
	return all
}
