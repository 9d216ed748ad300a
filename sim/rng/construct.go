package rng

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"time"
)

// The functions below validate and normalise. A distribution that cannot vary becomes
// a constant, so that "draws nothing" does not depend on how it was written.

func newConstant(d time.Duration) (Dist, error) {
	if d < 0 {
		return Dist{}, fmt.Errorf("constant(%s): a duration must not be negative", durationText(int64(d)))
	}
	return Dist{a: int64(d)}, nil
}

func newUniform(lo, hi time.Duration) (Dist, error) {
	switch {
	case lo < 0:
		return Dist{}, fmt.Errorf("uniform: the lower end %s must not be negative", durationText(int64(lo)))
	case hi < lo:
		return Dist{}, fmt.Errorf("uniform: the upper end %s is below the lower end %s; write the smaller one first",
			durationText(int64(hi)), durationText(int64(lo)))
	case lo == hi:
		return newConstant(lo)
	}
	return Dist{kind: kindUniform, a: int64(lo), b: int64(hi)}, nil
}

func newExponential(mean time.Duration) (Dist, error) {
	if mean <= 0 {
		return Dist{}, fmt.Errorf("exponential: the mean %s must be above zero", durationText(int64(mean)))
	}
	return Dist{kind: kindExponential, a: int64(mean)}, nil
}

func newLogNormal(median time.Duration, sigma float64) (Dist, error) {
	if median <= 0 {
		return Dist{}, fmt.Errorf("lognormal: the median %s must be above zero", durationText(int64(median)))
	}
	if !positive(sigma) {
		return Dist{}, fmt.Errorf("lognormal: sigma is %v and must be a finite number above zero "+
			"(for no spread use a constant)", sigma)
	}
	return Dist{kind: kindLogNormal, a: int64(median), shape: sigma}, nil
}

func newPareto(lowest time.Duration, alpha float64) (Dist, error) {
	if lowest <= 0 {
		return Dist{}, fmt.Errorf("pareto: the minimum %s must be above zero", durationText(int64(lowest)))
	}
	if !positive(alpha) {
		return Dist{}, fmt.Errorf("pareto: alpha is %v and must be a finite number above zero", alpha)
	}
	return Dist{kind: kindPareto, a: int64(lowest), shape: alpha}, nil
}

func newLogUniform(lo, hi time.Duration) (Dist, error) {
	switch {
	case lo <= 0:
		return Dist{}, fmt.Errorf("loguniform: the lower end %s must be above zero", durationText(int64(lo)))
	case hi < lo:
		return Dist{}, fmt.Errorf("loguniform: the upper end %s is below the lower end %s; write the smaller one first",
			durationText(int64(hi)), durationText(int64(lo)))
	case hi-lo <= lo>>20:
		// The logarithms of ends closer than a millionth are too close for floats; no
		// sample would tell the two families apart there.
		return newUniform(lo, hi)
	}
	return Dist{kind: kindLogUniform, a: int64(lo), b: int64(hi)}, nil
}

func newHalfNormal(sigma time.Duration) (Dist, error) {
	if sigma <= 0 {
		return Dist{}, fmt.Errorf("halfnormal: sigma %s must be above zero", durationText(int64(sigma)))
	}
	return Dist{kind: kindHalfNormal, a: int64(sigma)}, nil
}

// positive reports whether f is above zero and finite (false for NaN).
func positive(f float64) bool { return f > 0 && f <= math.MaxFloat64 }

func newMixture(parts []Weighted) (Dist, error) {
	if len(parts) == 0 {
		return Dist{}, errors.New("mixture: needs at least one weight: distribution")
	}
	t := &table{}
	for _, p := range parts {
		if p.Weight <= 0 {
			return Dist{}, fmt.Errorf("mixture: weight %d must be above zero; leave the part out instead", p.Weight)
		}
		t.dists = append(t.dists, p.Dist)
		t.counts = append(t.counts, p.Weight)
	}
	if len(parts) == 1 {
		return parts[0].Dist, nil
	}
	if err := t.sum(); err != nil {
		return Dist{}, fmt.Errorf("mixture: %w", err)
	}
	return Dist{kind: kindMixture, table: t}, nil
}

func newEmpirical(values []time.Duration) (Dist, error) {
	if len(values) == 0 {
		return Dist{}, errors.New("empirical: needs at least one value")
	}
	t := &table{values: make([]int64, len(values))}
	for i, v := range values {
		if v < 0 {
			return Dist{}, fmt.Errorf("empirical: the value %s must not be negative", durationText(int64(v)))
		}
		t.values[i] = int64(v)
	}
	if len(values) == 1 {
		return newConstant(values[0])
	}
	slices.Sort(t.values)
	return Dist{kind: kindEmpirical, table: t}, nil
}

func newHistogram(buckets []Bucket) (Dist, error) {
	t := &table{}
	last := int64(0)
	for _, b := range buckets {
		switch {
		case int64(b.Upto) <= last:
			return Dist{}, fmt.Errorf("histogram: the upper end %s must be above %s, where the bucket begins",
				durationText(int64(b.Upto)), durationText(last))
		case b.Count < 0:
			return Dist{}, fmt.Errorf("histogram: the count %d up to %s must not be negative",
				b.Count, durationText(int64(b.Upto)))
		}
		last = int64(b.Upto)
		t.values = append(t.values, last)
		t.counts = append(t.counts, b.Count)
	}
	if err := t.sum(); err != nil {
		return Dist{}, fmt.Errorf("histogram: %w", err)
	}
	if t.total() == 0 {
		return Dist{}, errors.New("histogram: needs at least one bucket with a count above zero")
	}
	return Dist{kind: kindHistogram, table: t}, nil
}

// newScaled reduces the ratio and merges it with the ratio of an already scaled d.
func newScaled(d Dist, num, den int64) (Dist, error) {
	if num < 0 || den <= 0 {
		return Dist{}, fmt.Errorf("scaled: the factor %d/%d must not be negative and its denominator must be above zero", num, den)
	}
	if c, ok := d.IsConstant(); ok {
		return newConstant(scale(c, num, den))
	}
	if num == 0 {
		return newConstant(0)
	}
	g := gcd(num, den)
	num, den = num/g, den/g
	if num == den {
		return d, nil
	}
	if d.kind == kindScaled {
		if n, m, ok := timesRatio(d.a, d.b, num, den); ok {
			return newScaled(d.table.dists[0], n, m)
		}
	}
	return Dist{kind: kindScaled, a: num, b: den, table: &table{dists: []Dist{d}}}, nil
}

// newShifted merges the offset with that of an already shifted d.
func newShifted(d Dist, by time.Duration) (Dist, error) {
	if by < 0 {
		return Dist{}, fmt.Errorf("shifted: the offset %s must not be negative", durationText(int64(by)))
	}
	by = min(by, Longest)
	if c, ok := d.IsConstant(); ok {
		return newConstant(min(c+by, Longest))
	}
	if d.kind == kindShifted {
		by, d = min(by+time.Duration(d.a), Longest), d.table.dists[0]
	}
	if by == 0 {
		return d, nil
	}
	return Dist{kind: kindShifted, a: int64(by), table: &table{dists: []Dist{d}}}, nil
}

// timesRatio multiplies two reduced ratios; ok is false if the result does not fit.
func timesRatio(n1, d1, n2, d2 int64) (n, d int64, ok bool) {
	g, h := gcd(n1, d2), gcd(n2, d1)
	nHi, nLo := bits.Mul64(uint64(n1/g), uint64(n2/h))
	dHi, dLo := bits.Mul64(uint64(d1/h), uint64(d2/g))
	return int64(nLo), int64(dLo), nHi|dHi == 0 && nLo|dLo <= math.MaxInt64
}

// gcd is Euclid's, for positive arguments.
func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// sum fills the running sums of the counts.
func (t *table) sum() error {
	total := int64(0)
	for _, c := range t.counts {
		if c > math.MaxInt64-total {
			return errors.New("the weights or counts add up to more than 2^63-1; divide them by a common factor")
		}
		total += c
		t.upto = append(t.upto, total)
	}
	return nil
}

// total is the sum of the counts.
func (t *table) total() int64 {
	if len(t.upto) == 0 {
		return 0
	}
	return t.upto[len(t.upto)-1]
}

// from is the lower end, excluded, of bucket i of a histogram.
func (t *table) from(i int) int64 {
	if i == 0 {
		return 0
	}
	return t.values[i-1]
}
