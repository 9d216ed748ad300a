package sweeps

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fencepost/scenarios"
)

// Seeds is a list of ranges such as 1-100,7.
type Seeds []SeedRange

// SeedRange is First to Last, both included.
type SeedRange struct{ First, Last uint64 }

// MaxSeeds bounds how many seeds one command may name. Near a thousand million counts the incomplete beta
// function of gonum (mathext.RegIncBeta), which the intervals are made of, is so inexact that intervals
// come out upside down; up to this bound they do not.
const MaxSeeds = 100_000_000

// ParseSeeds reads a list of seeds and ranges. Seeds start at 1.
func ParseSeeds(text string) (Seeds, error) {
	var seeds Seeds
	highest := uint64(0) // of those so far: long lists are in order
	for _, part := range strings.Split(text, ",") {
		from, to, isRange := strings.Cut(strings.TrimSpace(part), "-")
		first, err := scenarios.ParseSeed(from)
		last := first
		if err == nil && isRange {
			last, err = scenarios.ParseSeed(to)
		}
		if err != nil {
			return nil, fmt.Errorf("seeds %q: %w; write seeds and ranges such as 1-100,7", text, err)
		}
		if last < first {
			return nil, fmt.Errorf("seeds %q: the range %s is empty; write the smaller seed first", text, part)
		}
		if first <= highest && seeds.overlap(first, last) {
			return nil, fmt.Errorf("seeds %q: %s is named twice; a seed counts once", text, part)
		}
		highest = max(highest, last)
		seeds = append(seeds, SeedRange{first, last})
	}
	if seeds.Len() > MaxSeeds {
		return nil, fmt.Errorf("seeds %q: more than %d seeds", text, MaxSeeds)
	}
	return seeds, nil
}

// overlap reports whether the list has a seed of a range.
func (s Seeds) overlap(first, last uint64) bool {
	return slices.ContainsFunc(s, func(r SeedRange) bool { return first <= r.Last && r.First <= last })
}

// Len is the number of seeds.
func (s Seeds) Len() (n uint64) {
	for _, r := range s {
		if r.Last-r.First >= MaxSeeds {
			return MaxSeeds + 1
		}
		n += r.Last - r.First + 1
	}
	return n
}

// At returns the i-th seed.
func (s Seeds) At(i uint64) uint64 {
	for _, r := range s {
		if n := r.Last - r.First + 1; i < n {
			return r.First + i
		} else {
			i -= n
		}
	}
	panic("sweeps: seed index out of range")
}

// String writes the list the way ParseSeeds reads it.
func (s Seeds) String() string {
	parts := make([]string, len(s))
	for i, r := range s {
		parts[i] = r.String()
	}
	return strings.Join(parts, ",")
}

// String writes the range as it stands in a list.
func (r SeedRange) String() string {
	if r.Last == r.First {
		return strconv.FormatUint(r.First, 10)
	}
	return strconv.FormatUint(r.First, 10) + "-" + strconv.FormatUint(r.Last, 10)
}
