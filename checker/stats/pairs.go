package stats

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Pairs counts how trials of two locks, A and B, on the same seeds came out: in how many both were
// violated, only A, only B, and neither. No count is negative, or the methods panic. Pairs of which
// one is unknown belong to none of the four.
//
// Whether one of several locks is worse is several tests at once: adjust their P by [Holm].
type Pairs struct{ Both, OnlyA, OnlyB, Neither int64 }

// Trials is the number of pairs.
func (p Pairs) Trials() int64 {
	if min(p.Both, p.OnlyA, p.OnlyB, p.Neither) < 0 {
		panic(fmt.Sprintf("stats: %+v", p))
	}
	return p.Both + p.OnlyA + p.OnlyB + p.Neither
}

// P is the exact two-sided p-value of McNemar's test of whether the two locks are violated equally
// often: twice the [SignTest] of the larger side, and at most 1.
func (p Pairs) P() float64 {
	return min(1, 2*SignTest(max(p.OnlyA, p.OnlyB), min(p.OnlyA, p.OnlyB)))
}

// Difference is A's share of violated trials minus B's, in [-1, 1]; NaN of no pairs.
func (p Pairs) Difference() float64 {
	return float64(p.OnlyA-p.OnlyB) / float64(p.Trials())
}

// Interval is the score interval for A's probability of a violation minus B's, in [-1, 1]: every
// difference d from which the observed one is no further than the normal quantile of confidence
// times the standard deviation that d implies, with the likeliest probabilities that differ by d.
// Pairs that came out alike only add to the trials, and none that differ give ±3.84/(n+3.84) at
// 95 %. No pairs give [-1, 1].
//
// It covers with about the given confidence: summed exactly at 95 % for probabilities of one lock
// only and of the other only in steps of 0.05, with 94.0 % at worst (96.3 % on average) for 10 pairs,
// and 94.4 % (95.1 %) for 50; for 1000 pairs and rare violations (0.0005 to 0.01), with 94.7 % or
// more.
//
// It panics unless 0 < confidence < 1.
//
// Sources: T. Tango, "Equivalence test and confidence interval for the difference in proportions
// for the paired-sample design", Statist. Med. 17 (1998) 891-908; recommended beside Newcombe's by
// M. W. Fagerland, S. Lydersen and P. Laake, "Recommended tests and confidence intervals for paired
// binomial proportions", Statist. Med. 33 (2014) 2850-2875.
func (p Pairs) Interval(confidence float64) Interval {
	z := -distuv.UnitNormal.Quantile(tailOf(confidence))
	if p.Trials() == 0 {
		return Interval{Low: -1, High: 1}
	}
	n, a, b := float64(p.Trials()), float64(p.OnlyA), float64(p.OnlyB)
	kept := func(d float64) bool {
		off := a - b - n*d
		return off*off <= z*z*n*(2*likeliestOnlyB(a, b, n, d)+d*(1-d))
	}
	difference := p.Difference()
	return Interval{
		Low:  bisect(-1, difference, kept),
		High: bisect(difference, 1, func(d float64) bool { return !kept(d) }),
	}
}

// likeliestOnlyB is the maximum-likelihood estimate of the probability that only B is violated, if
// the one that only A is, is by d larger: the root of Tango's equations (25) and (26).
func likeliestOnlyB(a, b, n, d float64) float64 {
	second := (2*n-a+b)*d - a - b
	last := -b * d * (1 - d)
	root := math.Sqrt(max(0, second*second-8*n*last))
	return (root - second) / (4 * n)
}

// Concordance is the share of pairs that came out alike, in [0, 1]; NaN of no pairs. It says little
// of rare violations, where two locks that have nothing in common come out alike, too: see
// [Pairs.Correlation].
func (p Pairs) Concordance() float64 {
	return float64(p.Both+p.Neither) / float64(p.Trials())
}

// Correlation is that of the two outcomes (phi), in [-1, 1]: what the same seeds are worth. The
// variance of the difference is 1-phi times that on different seeds, if both are violated equally
// often; below 0, the same seeds do harm. NaN where a lock always or never is violated.
func (p Pairs) Correlation() float64 {
	n := float64(p.Trials())
	a, b := float64(p.Both+p.OnlyA), float64(p.Both+p.OnlyB)
	// Each product is of two counts, so float64 is near enough.
	return (float64(p.Both)*float64(p.Neither) - float64(p.OnlyA)*float64(p.OnlyB)) /
		math.Sqrt(a*(n-a)*b*(n-b))
}
