package rng

import (
	"math"
	"math/bits"
	"slices"
	"time"
)

// Sample draws one duration: whole nanoseconds, never negative, at most [Longest]. A
// constant makes no draw; the number of draws of the others depends on the family and
// on which part of a mixture was chosen, hardly ever on the values. It does not allocate.
func (d Dist) Sample(s *Stream) time.Duration {
	return min(d.draw(s), Longest)
}

func (d *Dist) draw(s *Stream) time.Duration {
	switch d.kind {
	case kindUniform:
		return s.Between(time.Duration(d.a), time.Duration(d.b))
	case kindExponential:
		return wholeNanos(float64(float64(d.a) * s.exponential()))
	case kindLogNormal:
		return wholeNanos(float64(float64(d.a) * expOf(float64(d.shape*s.normal()))))
	case kindPareto:
		// P(min e^(E/alpha) > x) = P(E > alpha ln(x/min)) = (min/x)^alpha
		return wholeNanos(float64(float64(d.a) * expOf(s.exponential()/d.shape)))
	case kindLogUniform:
		x := wholeNanos(float64(float64(d.a) * expOf(float64(s.unitClosed()*d.logWidth()))))
		return min(max(x, time.Duration(d.a)), time.Duration(d.b))
	case kindHalfNormal:
		return wholeNanos(math.Abs(float64(float64(d.a) * s.normal())))
	case kindMixture:
		return d.table.dists[d.table.pick(s)].draw(s)
	case kindEmpirical:
		return time.Duration(d.table.values[s.Int64N(int64(len(d.table.values)))])
	case kindHistogram:
		i := d.table.pick(s)
		return s.Between(time.Duration(d.table.from(i)+1), time.Duration(d.table.values[i]))
	case kindScaled:
		return scale(d.table.dists[0].Sample(s), d.a, d.b)
	case kindShifted:
		return time.Duration(d.a) + d.table.dists[0].Sample(s)
	}
	return time.Duration(d.a)
}

// logWidth is the logarithm of how many times the lower end of a log-uniform goes into
// the upper one.
func (d *Dist) logWidth() float64 { return logOf(float64(d.b) / float64(d.a)) }

// pick draws an index with probability proportional to its count.
func (t *table) pick(s *Stream) int {
	// The first running sum above x; sums are integers, so "above x" is "at least x+1".
	i, _ := slices.BinarySearch(t.upto, s.Int64N(t.total())+1)
	return i
}

// wholeNanos rounds half up to a whole nanosecond and saturates at Longest.
func wholeNanos(x float64) time.Duration {
	if !(x < float64(Longest)) {
		return Longest
	}
	return time.Duration(x + 0.5)
}

// scale returns d*num/den rounded half up, saturating at Longest, through a 128-bit
// product. d and num are not negative and den is positive.
func scale(d time.Duration, num, den int64) time.Duration {
	hi, lo := bits.Mul64(uint64(d), uint64(num))
	if hi >= uint64(den) {
		return Longest // the quotient needs more than 64 bits
	}
	quotient, rest := bits.Div64(hi, lo, uint64(den))
	if quotient >= uint64(Longest) {
		return Longest
	}
	if rest >= uint64(den)-rest {
		quotient++
	}
	return time.Duration(quotient)
}
