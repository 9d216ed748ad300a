package rng

import (
	"math"
	"time"
)

// Longest is the largest duration a [Dist] yields, about 73 years. Heavy tails and
// large scale factors saturate there, which leaves room to add a few samples to a
// clock without overflow.
const Longest = time.Duration(math.MaxInt64 / 4)

// kind names the family of a distribution.
type kind uint8

const (
	kindConstant kind = iota // zero, so that the zero Dist is Constant(0)
	kindUniform
	kindExponential
	kindLogNormal
	kindPareto
	kindMixture
	kindEmpirical
	kindHistogram
	kindScaled
	kindShifted
	kindLogUniform
	kindHalfNormal
)

// Dist is a distribution of durations: an immutable value of five words, safe to copy
// and to share. The zero value is Constant(0).
//
// Construction validates and may allocate; [Dist.Sample] does not. Simple families
// compare with ==, but mixtures, tables, scaled and shifted distributions hold a pointer, so ==
// on them asks "the same construction?". Compare the canonical text of [Dist.String]
// to ask "the same distribution?"; that costs an allocation or more.
//
// Constructors panic on invalid arguments, which are programming errors; text from
// users goes through [Parse], which returns them as errors.
type Dist struct {
	kind kind
	// a and b are nanoseconds, or numerator and denominator of a scaled distribution:
	// constant a; uniform and log-uniform a..b; exponential mean a; log-normal median a;
	// Pareto minimum a; half-normal deviation a; shifted by a.
	a, b int64
	// shape is sigma of a log-normal and alpha of a Pareto.
	shape float64
	table *table
}

// table holds what does not fit in a few words. It is never changed once built.
type table struct {
	dists  []Dist  // the parts of a mixture; the one inside a scaled or shifted one
	values []int64 // empirical: the values, ascending; histogram: upper ends, ascending
	counts []int64 // mixture: weights; histogram: counts
	upto   []int64 // running sums of counts, for a binary search
}

// Weighted is one part of a [Mixture]: it is chosen with probability Weight over the
// sum of all weights.
type Weighted struct {
	Weight int64
	Dist   Dist
}

// Bucket is one bar of a [Histogram]: Count observations above the previous bucket's
// Upto (above zero for the first) and at most Upto.
type Bucket struct {
	Upto  time.Duration
	Count int64
}

// Constant is always d, without a draw. It panics if d is negative.
func Constant(d time.Duration) Dist { return must(newConstant(d)) }

// Uniform is uniform on the whole nanoseconds in [lo, hi], both included. It panics
// unless 0 <= lo <= hi.
func Uniform(lo, hi time.Duration) Dist { return must(newUniform(lo, hi)) }

// Exponential has P(X > x) = exp(-x/mean), the gaps of events at a constant rate. It
// panics unless mean > 0.
func Exponential(mean time.Duration) Dist { return must(newExponential(mean)) }

// LogNormal is median*exp(sigma*Z) with a standard normal Z. Its 99 % quantile is
// median*exp(2.326*sigma). It panics unless median > 0 and sigma is positive and finite.
func LogNormal(median time.Duration, sigma float64) Dist { return must(newLogNormal(median, sigma)) }

// Pareto has P(X > x) = (lowest/x)^alpha for x >= lowest: the smaller alpha, the heavier
// the tail. With alpha <= 2 the variance is infinite and with alpha <= 1 the mean is,
// so describe samples by quantiles. It panics unless lowest > 0 and alpha is positive and
// finite.
func Pareto(lowest time.Duration, alpha float64) Dist { return must(newPareto(lowest, alpha)) }

// LogUniform has a logarithm that is uniform between those of lo and hi: every doubling
// in between has the same chance. It panics unless 0 < lo <= hi.
func LogUniform(lo, hi time.Duration) Dist { return must(newLogUniform(lo, hi)) }

// HalfNormal is the size of a normal deviate with mean zero and standard deviation sigma:
// two of three samples are below sigma, 95 % below 1.96 of it. It panics unless sigma is
// above zero.
func HalfNormal(sigma time.Duration) Dist { return must(newHalfNormal(sigma)) }

// Mixture draws a part by weight, then a sample of that part. A single part is that
// part itself, without the first draw. It panics unless there is at least one part,
// every weight is positive and their sum fits in an int64.
func Mixture(parts ...Weighted) Dist { return must(newMixture(parts)) }

// Empirical gives each of the values with equal chance; a value listed twice has twice
// the chance. A single value is a constant. The order of values does not matter. It
// panics if there are none or one is negative.
func Empirical(values ...time.Duration) Dist { return must(newEmpirical(values)) }

// Histogram draws a bucket by count, then a whole nanosecond uniformly inside it. It is
// the form of Prometheus histograms, except that counts here are per bucket and not
// cumulative. It panics unless the upper ends are positive and ascending, no count is
// negative, and the sum of counts is positive and fits in an int64.
func Histogram(buckets ...Bucket) Dist { return must(newHistogram(buckets)) }

// Scaled multiplies every sample by num/den, exactly, and rounds half up to a whole
// nanosecond: 4 GB of heap at Uniform(8s, 10s) per GB is Uniform(8s, 10s).Scaled(4, 1).
// Scaling twice multiplies the ratios if they fit. It panics unless num >= 0 and den > 0.
func (d Dist) Scaled(num, den int64) Dist { return must(newScaled(d, num, den)) }

// Shifted adds by to every sample: a distance that takes at least 75 ms, and a
// distribution of what comes on top. Shifting twice adds up. It panics if by is negative.
func (d Dist) Shifted(by time.Duration) Dist { return must(newShifted(d, by)) }

// IsConstant reports whether every sample is the same and made without a draw, and
// that sample.
func (d Dist) IsConstant() (time.Duration, bool) {
	if d.kind != kindConstant {
		return 0, false
	}
	return min(time.Duration(d.a), Longest), true
}

// must turns a constructor's error into a panic.
func must(d Dist, err error) Dist {
	if err != nil {
		panic("rng: " + err.Error())
	}
	return d
}
