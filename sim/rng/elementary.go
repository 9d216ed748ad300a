package rng

import "math"

// ln 2 in two parts. The high part has 21 trailing zero bits, so its product with any
// exponent of a float64 is exact, and the low part carries the rest (the split used by
// FDLIBM, Sun Microsystems 1993).
const (
	ln2Hi = 6.93147180369123816490e-01
	ln2Lo = 1.90821492927058770002e-10
	log2E = 1.44269504088896338700e+00
)

// expOf returns e**x to about 1e-15 relative. It returns +Inf above 709 and 0 below
// -708, a little inside the range of float64: no duration comes near either.
//
// x = (k + i/64) ln 2 + r with |r| <= ln 2 / 128, so e**x = 2**k 2**(i/64) e**r: an
// exponent, an entry of a table, and five terms of Taylor's series (P. Tang, "Table-Driven
// Implementation of the Exponential Function in IEEE Floating-Point Arithmetic", ACM TOMS
// 15(2), 1989).
func expOf(x float64) float64 {
	switch {
	case x > 709:
		return math.Inf(1)
	case x < -708:
		return 0
	}
	// Adding 1.5 * 2**52 rounds to a whole number, which are then the low bits.
	const toWhole = 0x1.8p52
	shifted := float64(x*(rootsOfTwo*log2E)) + toWhole
	n := shifted - toWhole
	word := math.Float64bits(shifted) - math.Float64bits(toWhole) // 64 k + i
	r := (x - float64(n*(ln2Hi/rootsOfTwo))) - float64(n*(ln2Lo/rootsOfTwo))

	q := float64(r * r)
	low := float64(r*(1.0/6)) + 1.0/2
	high := float64(r*(1.0/120)) + 1.0/24
	small := r + float64(q*(low+float64(q*high)))

	power := math.Float64frombits(rootOfTwo[word%rootsOfTwo] + word/rootsOfTwo<<52)
	return power + float64(power*small)
}

// rootsOfTwo is how many parts the table has for an octave.
const rootsOfTwo = 64

// rootOfTwo are the bits of 2**(i/64), to which a whole power of 2 is added in the
// exponent.
var rootOfTwo = func() (bits [rootsOfTwo]uint64) {
	for i := range bits {
		bits[i] = math.Float64bits(expSeries(float64(float64(i)*(ln2Hi/rootsOfTwo)) + float64(float64(i)*(ln2Lo/rootsOfTwo))))
	}
	return bits
}()

// expSeries returns e**x for 0 <= x <= 1, by Taylor's series, smallest terms first.
func expSeries(x float64) float64 {
	sum := 0.0
	for n := 20.0; n >= 1; n-- {
		sum = float64(x/n) * (1 + sum)
	}
	return 1 + sum
}

// logOf returns the natural logarithm of a normal positive x (not 0, not subnormal,
// not Inf or NaN) to about 1e-15 relative.
//
// x = 2**k m with m in [sqrt 1/2, sqrt 2), and ln m = 2 artanh s, s = (m-1)/(m+1), whose
// Taylor series in s*s <= 0.0295 needs eleven terms. They are summed as two
// interleaved chains, again for side by side evaluation.
func logOf(x float64) float64 {
	word := math.Float64bits(x)
	exponent := int64(word>>52) - 1023
	m := math.Float64frombits(word&(1<<52-1) | 1023<<52) // in [1, 2)
	if m >= math.Sqrt2 {
		m /= 2
		exponent++
	}
	k := float64(exponent)

	s := (m - 1) / (m + 1)
	q := float64(s * s)
	w := float64(q * q)
	odd := float64(w*(2.0/23)) + 2.0/19
	odd = float64(w*odd) + 2.0/15
	odd = float64(w*odd) + 2.0/11
	odd = float64(w*odd) + 2.0/7
	odd = float64(w*odd) + 2.0/3
	even := float64(w*(2.0/21)) + 2.0/17
	even = float64(w*even) + 2.0/13
	even = float64(w*even) + 2.0/9
	even = float64(w*even) + 2.0/5

	tail := float64(s * (float64(q*odd) + float64(w*even)))
	return float64(k*ln2Hi) + ((s + s) + (tail + float64(k*ln2Lo)))
}
