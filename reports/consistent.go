package reports

import (
	"fmt"
	"slices"
	"strings"

	"fencepost/checker"
	"fencepost/scenarios/sweeps"
)

// consistent fails if a row cannot be one of a sweep over some seeds, or is there twice: a table that
// was changed by hand, or put together, could pass for one in which nothing rose.
func (t *SweepTable) consistent(seeds sweeps.Seeds) error {
	known := map[string]int{}
	for i := range t.Rows {
		r := &t.Rows[i]
		key := r.cell() + "\x00" + r.Property
		if first, twice := known[key]; twice {
			return fmt.Errorf("rows %d and %d are both %s of %s / %s under the same parameters", first+1, i+1, r.Property, r.Lock, r.Guard)
		}
		known[key] = i
		if err := r.consistent(seeds); err != nil {
			return fmt.Errorf("row %d (%s / %s): %w", i+1, r.Lock, r.Guard, err)
		}
	}
	return nil
}

func (r *SweepRow) consistent(seeds sweeps.Seeds) error {
	all := int64(seeds.Len())
	fewer := r.Property == checker.Tokens && r.Rate.Trials < all // those in which somebody had one
	switch {
	case !slices.Contains(checker.Properties, r.Property):
		return fmt.Errorf("there is no property %q; there are %s", r.Property, strings.Join(checker.Properties, ", "))
	case r.NotApplicable == "" && r.Rate.Trials != all && !fewer:
		return fmt.Errorf("%s has %d trials of %d seeds", r.Property, r.Rate.Trials, all)
	}
	for _, named := range []sweeps.Seeds{r.Violated, r.Open} {
		for _, part := range named {
			if !seeds.Has(part.First) || !seeds.Has(part.Last) {
				return fmt.Errorf("%s names the seeds %s, which are not among those of the sweep, %s", r.Property, part, seeds)
			}
		}
	}
	return nil
}
