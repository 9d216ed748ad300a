package sweeps

import (
	"errors"
	"fmt"
	"slices"

	"fencepost/checker"
	"fencepost/checker/stats"
)

// plausible fails if no trials can have come to what a batch says. A checksum tells what was damaged, and
// not what was changed; and numbers that cannot be are no base of a rate.
func (b *Batch) plausible(lock string) error {
	n := int64(b.Seeds.Len())
	for i, c := range b.Counts {
		if err := c.plausible(n); err != nil {
			return fmt.Errorf("%s: %w", checker.Properties[i], err)
		}
	}
	if n := len(b.Outcomes); n > len(checker.Properties) {
		return fmt.Errorf("outcomes of %d properties", n)
	}
	for i, o := range b.Outcomes {
		if err := o.plausible(b.Seeds, b.Counts[i]); err != nil {
			return fmt.Errorf("%s: %w", checker.Properties[i], err)
		}
	}
	for _, amount := range []struct {
		name string
		is   int64
	}{{"acquisitions", b.Acquisitions}, {"held_ns", int64(b.Held)}, {"gave_up", b.GaveUp}} {
		if amount.is < 0 {
			return fmt.Errorf("%s is %d", amount.name, amount.is)
		}
	}
	for _, e := range b.Ledger {
		if e.Fired < 0 || e.TookEffect < 0 || e.TouchedHolder < 0 {
			return fmt.Errorf("the fault %q fired %d times, took effect %d times and touched a holder %d times", e.Label, e.Fired, e.TookEffect, e.TouchedHolder)
		}
	}
	if err := b.estimates.plausible(n); err != nil {
		return err
	}
	return b.Coverage.Plausible(lock)
}

// plausible fails if so many trials cannot have the count.
func (c Count) plausible(trials int64) error {
	switch {
	case c.Trials < 0 || c.Trials > trials:
		return fmt.Errorf("%d trials of %d", c.Trials, trials)
	case c.Violations < 0 || c.Unknown < 0 || c.Violations > c.Trials-c.Unknown:
		return fmt.Errorf("%d violations and %d unknown in %d trials", c.Violations, c.Unknown, c.Trials)
	case c.Harms < 0:
		return fmt.Errorf("%d harms", c.Harms)
	}
	return nil
}

// plausible fails if so many trials cannot have been weighed or integrated.
func (s *estimates) plausible(trials int64) error {
	for _, w := range slices.Concat(s.Weighted, s.WeightedHigh) {
		if w == nil {
			return errors.New("weighted trials are missing")
		}
		if w.Trials() > trials {
			return fmt.Errorf("%d weighted trials of %d", w.Trials(), trials)
		}
	}
	for _, c := range []*stats.Conditional{s.Conditional, s.ConditionalHigh} {
		if c != nil && c.Trials() != trials {
			return fmt.Errorf("%d conditional trials of %d", c.Trials(), trials)
		}
	}
	return nil
}

// plausible fails if an outcome is not of these trials, or not of this count.
func (o *Outcome) plausible(of Seeds, c Count) error {
	for _, list := range []struct {
		what  string
		seeds Seeds
		want  int64
	}{{"violations", o.Violated, c.Violations}, {"unknown", o.Open, c.Unknown}} {
		if n := list.seeds.Len(); n != uint64(list.want) {
			return fmt.Errorf("%d seeds for %d %s", n, list.want, list.what)
		}
		for i := range list.seeds.Len() {
			if seed := list.seeds.At(i); !of.Has(seed) {
				return fmt.Errorf("seed %d is not one of the batch", seed)
			}
		}
	}
	return nil
}
