package stats

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// ConfidenceSequence returns the interval for the probability of a hit that may be looked at
// after every trial: with at least the given confidence, no interval of the whole sequence, for
// trials = 1, 2, 3, ... without end, excludes the true probability. So it holds at a number of
// trials that was chosen for what was seen, where [ClopperPearson] does not, and is wider for it:
// at 95 %, by about 80 % for 100 hits of 1000 trials, and no hit of 10 000 trials gives 8.2/n
// instead of 3.7/n. No trials give [0, 1].
//
// It keeps every p at which the likelihood of what was seen, averaged over the Beta(1/2, 1/2)
// distribution, is less than 1/(1-confidence) times the likelihood at p. That ratio is a
// martingale at the true p, so that Ville's inequality bounds its ever being so large. The mixture
// has half its mass near 0 and 1, where rates of violations are; the uniform one would give
// 12.2/n for the case above.
//
// The ends are accurate to a relative 1e-9 up to a hundred thousand trials. It panics unless
// 0 <= hits <= trials and 0 < confidence < 1.
//
// Sources: H. Robbins, "Statistical methods related to the law of the iterated logarithm", Ann.
// Math. Statist. 41 (1970) 1397-1409; S. R. Howard, A. Ramdas, J. McAuliffe and J. Sekhon,
// "Time-uniform, nonparametric, nonasymptotic confidence sequences", Ann. Statist. 49 (2021)
// 1055-1080.
func ConfidenceSequence(hits, trials int64, confidence float64) Interval {
	checkCounts(hits, trials)
	alpha := 2 * tailOf(confidence)
	const a, b = 0.5, 0.5
	k, m := float64(hits), float64(trials-hits)
	least := mathext.Lbeta(a+k, b+m) - mathext.Lbeta(a, b) + math.Log(alpha)
	kept := func(p float64) bool { return k*math.Log(p)+m*math.Log1p(-p) > least }

	// The likelihood is largest at the share of hits, which is always kept.
	in, share := Interval{Low: 0, High: 1}, k/(k+m)
	if hits > 0 {
		in.Low = bisect(0, share, kept)
	}
	if hits < trials {
		in.High = bisect(share, 1, func(p float64) bool { return !kept(p) })
	}
	return in
}

// AnytimeInterval is the [ConfidenceSequence] of the violation probability, widened by the unknown
// trials as [Rate.Interval] is: Low takes each of them for sound and High takes each for violated.
// It is what is printed of a sweep that stopped for what it had seen ([Stop]).
func (r Rate) AnytimeInterval() Interval {
	r.check()
	return Interval{
		Low:  ConfidenceSequence(r.Violations, r.Trials, r.confidence()).Low,
		High: ConfidenceSequence(r.Violations+r.Unknown, r.Trials, r.confidence()).High,
	}
}
