package rng

import (
	"math"
	"math/bits"
	"time"
)

// Mean returns the mean to about a part in 10^12, in whole nanoseconds and at most
// [Longest] (which stands for infinite, too: a Pareto with alpha <= 1 has no mean). It
// ignores that samples saturate. It is meant for labels and tables; a heavy-tailed
// sample's average may be far from it for any feasible number of draws.
func (d Dist) Mean() time.Duration { return wholeNanos(d.mean()) }

func (d *Dist) mean() float64 {
	a := float64(d.a)
	switch d.kind {
	case kindUniform:
		return (a + float64(d.b)) / 2
	case kindLogNormal:
		return float64(a * expOf(float64(d.shape*d.shape)/2))
	case kindPareto:
		if d.shape <= 1 {
			return math.Inf(1)
		}
		return float64(a * (d.shape / (d.shape - 1)))
	case kindLogUniform:
		return (float64(d.b) - a) / d.logWidth()
	case kindHalfNormal:
		const rootTwoByPi = 0.79788456080286535588
		return float64(a * rootTwoByPi)
	case kindMixture:
		return d.table.average(func(i int) float64 { return d.table.dists[i].mean() })
	case kindEmpirical:
		sum := 0.0
		for _, v := range d.table.values {
			sum += float64(v)
		}
		return sum / float64(len(d.table.values))
	case kindHistogram:
		return d.table.average(func(i int) float64 {
			return (float64(d.table.from(i)) + 1 + float64(d.table.values[i])) / 2
		})
	case kindScaled:
		return float64(d.table.dists[0].mean() * (a / float64(d.b)))
	case kindShifted:
		return a + d.table.dists[0].mean()
	}
	return a // constant and exponential
}

// Survival returns P(X > t) of the sampled, rounded X, for closed forms that stand
// beside simulated results. It is not needed to replay a run.
//
// Rounding is accounted for: a rounded sample exceeds t when the unrounded one is at
// least t + 1/2 ns. The granularity of the generator is not: below about 1e-16 the
// true probability is 0. P(X >= t) is Survival(t-1).
func (d Dist) Survival(t time.Duration) float64 {
	if t < 0 {
		return 1
	}
	if t >= Longest {
		return 0
	}
	return d.survival(int64(t))
}

// survival is Survival for 0 <= t < Longest.
func (d *Dist) survival(t int64) float64 {
	edge := float64(t) + 0.5
	switch d.kind {
	case kindUniform:
		return fractionAbove(t, d.a-1, d.b)
	case kindExponential:
		return expOf(-edge / float64(d.a))
	case kindLogNormal:
		return normalTail(logOf(edge/float64(d.a)) / d.shape)
	case kindPareto:
		if t < d.a {
			return 1
		}
		return expOf(float64(-d.shape * logOf(edge/float64(d.a))))
	case kindLogUniform:
		switch {
		case t < d.a:
			return 1
		case t >= d.b:
			return 0
		}
		return max(0, 1-logOf(edge/float64(d.a))/d.logWidth())
	case kindHalfNormal:
		return 2 * normalTail(edge/float64(d.a))
	case kindMixture:
		return d.table.average(func(i int) float64 { return d.table.dists[i].survival(t) })
	case kindEmpirical:
		above := 0
		for _, v := range d.table.values {
			if v > t {
				above++
			}
		}
		return float64(above) / float64(len(d.table.values))
	case kindHistogram:
		return d.table.average(func(i int) float64 {
			return fractionAbove(t, d.table.from(i), d.table.values[i])
		})
	case kindScaled:
		return d.scaledSurvival(t)
	case kindShifted:
		return d.table.dists[0].Survival(time.Duration(t - d.a))
	}
	if d.a > t {
		return 1
	}
	return 0
}

// scaledSurvival finds the least inner value x that rounds to more than t: the least x
// with x*num/den >= t + 1/2, that is x >= (2t+1)*den / (2*num).
func (d *Dist) scaledSurvival(t int64) float64 {
	num2 := 2 * uint64(d.a)
	hi, lo := bits.Mul64(2*uint64(t)+1, uint64(d.b))
	if hi >= num2 {
		return 0
	}
	x, rest := bits.Div64(hi, lo, num2)
	if rest > 0 {
		x++
	}
	if x > uint64(Longest) {
		return 0
	}
	return d.table.dists[0].Survival(time.Duration(x) - 1)
}

// fractionAbove is the share of the whole numbers in (from, upto] that are above t.
func fractionAbove(t, from, upto int64) float64 {
	switch {
	case t <= from:
		return 1
	case t >= upto:
		return 0
	}
	// from may be -1 and upto the largest int64: their distance needs the 64th bit.
	return float64(upto-t) / float64(uint64(upto)-uint64(from))
}

// average weights of(i) by the counts.
func (t *table) average(of func(int) float64) float64 {
	sum := 0.0
	for i, c := range t.counts {
		if c > 0 {
			sum += float64(float64(c) * of(i))
		}
	}
	return min(sum/float64(t.total()), math.MaxFloat64)
}
