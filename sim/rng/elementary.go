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
// x = k ln 2 + r with |r| <= 0.35, and e**r = cosh r + r (sinh r / r): two independent
// Taylor series in r*r, which the processor can evaluate side by side.
func expOf(x float64) float64 {
	switch {
	case x > 709:
		return math.Inf(1)
	case x < -708:
		return 0
	}
	k := math.Floor(float64(x*log2E) + 0.5)
	r := (x - float64(k*ln2Hi)) - float64(k*ln2Lo)
	q := float64(r * r)

	cosh := float64(q*(1.0/87178291200)) + 1.0/479001600
	cosh = float64(q*cosh) + 1.0/3628800
	cosh = float64(q*cosh) + 1.0/40320
	cosh = float64(q*cosh) + 1.0/720
	cosh = float64(q*cosh) + 1.0/24
	cosh = float64(q*cosh) + 1.0/2

	sinh := float64(q*(1.0/6227020800)) + 1.0/39916800
	sinh = float64(q*sinh) + 1.0/362880
	sinh = float64(q*sinh) + 1.0/5040
	sinh = float64(q*sinh) + 1.0/120
	sinh = float64(q*sinh) + 1.0/6

	// 1 + (r + (q*cosh + r*q*sinh)), smallest terms first
	small := float64(q*cosh) + float64(float64(r*q)*sinh)
	power := math.Float64frombits(uint64(int64(k)+1023) << 52) // 2**k
	return float64((1 + (r + small)) * power)
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
