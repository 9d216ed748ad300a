// Package stats states how often independent trials failed, and how sure one can be.
//
// The interval that reports print is exact ([ClopperPearson]): it comes from binomial
// tails, not from a normal approximation, so it holds for ten trials and for none violated.
// Each other interval says how far it can be trusted, with the coverage that was measured.
//
// What many processes count in parts ([Latencies], [Weighted], [Conditional]) merges
// exactly: any order and any grouping of the same trials gives the same bytes.
package stats

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mathext"
)

// Interval is a range of probabilities, 0 <= Low <= High <= 1, both ends included. Of a
// difference of two probabilities ([Pairs]) it is a range in [-1, 1].
type Interval struct{ Low, High float64 }

// Contains says whether p is in the interval.
func (i Interval) Contains(p float64) bool { return i.Low <= p && p <= i.High }

// ClopperPearson returns the exact two-sided interval for the probability of a hit,
// after hits of trials independent trials hit. It covers the true probability with at
// least the given confidence (0.95 for 95 %) whatever that probability is, and usually
// with more.
//
// Each end leaves out half of 1-confidence: at Low, this many hits or more have that
// probability, and at High, this many or fewer do. No hit gives Low = 0 and nothing but
// hits gives High = 1; the other end stays the two-sided one, so that no hit of n trials
// gives about 3.69/n at 95 % where the one-sided "rule of three" would give 3.00/n. No
// trials give [0, 1].
//
// The ends are accurate to a relative 1e-10 up to ten thousand trials and to 1e-8 up to
// a million. It panics unless 0 <= hits <= trials and 0 < confidence < 1.
//
// Source: C. J. Clopper and E. S. Pearson, "The use of confidence or fiducial limits
// illustrated in the case of the binomial", Biometrika 26 (1934) 404-413.
func ClopperPearson(hits, trials int64, confidence float64) Interval {
	checkCounts(hits, trials)
	tail := tailOf(confidence)
	return Interval{Low: low(hits, trials, tail), High: high(hits, trials, tail)}
}

func checkCounts(hits, trials int64) {
	if hits < 0 || hits > trials {
		panic(fmt.Sprintf("stats: %d hits of %d trials", hits, trials))
	}
}

// tailOf returns what a two-sided interval leaves out at each end.
func tailOf(confidence float64) float64 {
	if !(0 < confidence && confidence < 1) {
		panic(fmt.Sprintf("stats: confidence %v is not between 0 and 1", confidence))
	}
	return (1 - confidence) / 2
}

// low returns the p at which P(X >= hits) = tail. For hits > 0, P(X >= hits) is
// I_p(hits, trials-hits+1).
func low(hits, trials int64, tail float64) float64 {
	switch hits {
	case 0:
		return 0
	case trials:
		return math.Exp(math.Log(tail) / float64(trials))
	}
	return betaQuantile(float64(hits), float64(trials-hits+1), tail)
}

// high returns the p at which P(X <= hits) = tail. For hits < trials, P(X > hits) is
// I_p(hits+1, trials-hits).
func high(hits, trials int64, tail float64) float64 {
	switch hits {
	case trials:
		return 1
	case 0:
		return -math.Expm1(math.Log(tail) / float64(trials))
	}
	return betaQuantile(float64(hits+1), float64(trials-hits), 1-tail)
}

// betaQuantile returns the x at which I_x(a, b) = y, by bisection. gonum's InvRegIncBeta is
// quicker but some percent off in corners (a = 1e7, b = 1, y = 5e-10), and nobody waits for
// the sixty evaluations.
func betaQuantile(a, b, y float64) float64 {
	return bisect(0, 1, func(x float64) bool { return mathext.RegIncBeta(a, b, x) >= y })
}

// bisect returns where reached turns from false, as it is at below, to true, as it is at
// above, down to neighbouring floats.
func bisect(below, above float64, reached func(float64) bool) float64 {
	for {
		middle := below + (above-below)/2
		if middle <= below || middle >= above {
			return middle
		}
		if reached(middle) {
			above = middle
		} else {
			below = middle
		}
	}
}
