package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Wilson returns the score interval for the probability of a hit, after hits of trials
// independent trials hit: every p from which the observed share is no further than the
// normal quantile of confidence times the standard deviation that p itself implies. No
// trials give [0, 1].
//
// It is narrower than [ClopperPearson] and covers with about the given confidence on
// average over p, not at least: just below the lower end of one hit, p = 0.1765/n at 95 %,
// it covers with 84 %. Prefer it where many rates are compared by eye, none of them tiny;
// prefer ClopperPearson, as reports do, where a single rate is asserted, where few trials
// hit or missed, or where being wrong more often than stated matters.
//
// It panics unless 0 <= hits <= trials and 0 < confidence < 1.
//
// Sources: E. B. Wilson, "Probable inference, the law of succession, and statistical
// inference", J. Am. Stat. Assoc. 22 (1927) 209-212; for its coverage L. D. Brown, T. T. Cai
// and A. DasGupta, "Interval estimation for a binomial proportion", Statist. Sci. 16 (2001)
// 101-133.
func Wilson(hits, trials int64, confidence float64) Interval {
	checkCounts(hits, trials)
	z := -distuv.UnitNormal.Quantile(tailOf(confidence))
	if trials == 0 {
		return Interval{Low: 0, High: 1}
	}
	n, k := float64(trials), float64(hits)
	middle := (k + z*z/2) / (n + z*z)
	half := z / (n + z*z) * math.Sqrt(k*(n-k)/n+z*z/4)
	in := Interval{Low: max(0, middle-half), High: min(1, middle+half)}
	// Of no hits and of nothing but hits, the end is exact and its rounding is not.
	if hits == 0 {
		in.Low = 0
	}
	if hits == trials {
		in.High = 1
	}
	return in
}
