package clock

import "math/bits"

// scale returns floor(n*ppb/1e9) without overflow. It is [mulDiv] without a remainder and
// with a constant divisor, for every reading of a clock with a rate.
func scale(n, ppb int64) int64 {
	negative := (n < 0) != (ppb < 0)
	hi, lo := bits.Mul64(magnitude(n), magnitude(ppb))
	quotient, remainder := bits.Div64(hi, lo, 1e9)
	if !negative {
		return int64(quotient)
	}
	if remainder != 0 {
		quotient++
	}
	return -int64(quotient)
}

// mulDivUp is n*m/d, rounded up.
func mulDivUp(n, m, d int64) int64 {
	q, r := mulDiv(n, m, d)
	if r > 0 {
		q++
	}
	return q
}

// mulDiv divides n*m by d without overflow, rounding down: n*m = quotient*d + remainder
// with 0 <= remainder < d. The quotient has to fit.
func mulDiv(n, m, d int64) (quotient, remainder int64) {
	negative := (n < 0) != (m < 0)
	hi, lo := bits.Mul64(magnitude(n), magnitude(m))
	q, r := bits.Div64(hi, lo, uint64(d))
	if !negative {
		return int64(q), int64(r)
	}
	if r != 0 {
		return -int64(q) - 1, d - int64(r)
	}
	return -int64(q), 0
}

func magnitude(n int64) uint64 {
	if n < 0 {
		return uint64(-n)
	}
	return uint64(n)
}

func abs(n int64) int64 { return int64(magnitude(n)) }

func floorDiv(n, d int64) int64 {
	q := n / d
	if n%d < 0 {
		q--
	}
	return q
}
