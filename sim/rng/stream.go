package rng

import (
	"fmt"
	"math/bits"
	"time"

	"fencepost/sim/trace"
)

// Stream is a seeded sequence of draws. It is a plain value of three words: copying it
// forks the sequence, so pass *Stream to whoever is meant to advance it. Make one with
// [New]; the zero value works but every zero value gives the same draws.
//
// The generator is PCG with 128 bits of state and the DXSM output function (O'Neill,
// "PCG: A Family of Simple Fast Space-Efficient Statistically Good Algorithms for
// Random Number Generation", HMC-CS-2014-0905; the DXSM variant and its multiplier are
// those of NumPy's PCG64DXSM and Go's math/rand/v2.PCG). With 2^128 states, streams
// from hashed seeds do not meet in practice; a generator with 64 bits of state would
// see overlaps in a study of some million worlds.
//
// A Stream is not safe for concurrent use.
type Stream struct {
	hi, lo uint64
	digest *trace.Digest
}

// New returns the stream of a seed. Neighbouring seeds (1, 2, 3...) give unrelated
// streams. Every word drawn is mixed into digest, which may be nil.
func New(seed uint64, digest *trace.Digest) Stream {
	// The first two outputs of SplitMix64 from this seed.
	hi := seed + golden
	return Stream{hi: mix(hi), lo: mix(hi + golden), digest: digest}
}

// Uint64 returns 64 uniform bits. All other draws are made of calls to it.
func (s *Stream) Uint64() uint64 {
	const (
		mulHi, mulLo = 2549297995355413924, 4865540595714422341
		incHi, incLo = 6364136223846793005, 1442695040888963407
		cheapMul     = 0xda942042e4dd58b5
	)
	// state = state*mul + inc, modulo 2^128
	hi, lo := bits.Mul64(s.lo, mulLo)
	hi += s.hi*mulLo + s.lo*mulHi
	lo, carry := bits.Add64(lo, incLo, 0)
	hi, _ = bits.Add64(hi, incHi, carry)
	s.hi, s.lo = hi, lo

	// DXSM: "double xorshift multiply" of the state into one word
	hi ^= hi >> 32
	hi *= cheapMul
	hi ^= hi >> 48
	hi *= lo | 1
	if s.digest != nil {
		s.digest.Mix(hi)
	}
	return hi
}

// Int64N returns a uniform integer in [0, n), without bias. It takes one word, rarely
// more. It panics if n <= 0.
func (s *Stream) Int64N(n int64) int64 {
	if n <= 0 {
		panic(fmt.Sprintf("rng: Int64N(%d): the bound must be at least 1", n))
	}
	return int64(s.uint64N(uint64(n)))
}

// uint64N is uniform in [0, n), n > 0, by Lemire's multiplication method ("Fast Random
// Integer Generation in an Interval", ACM TOMACS 2019): the high word of draw*n is the
// answer, and draws whose low word falls in the uneven remainder are thrown away.
func (s *Stream) uint64N(n uint64) uint64 {
	hi, lo := bits.Mul64(s.Uint64(), n)
	if lo < n {
		// The division is reached with probability n/2^64 only.
		for uneven := -n % n; lo < uneven; {
			hi, lo = bits.Mul64(s.Uint64(), n)
		}
	}
	return hi
}

// Between returns a uniform duration in [lo, hi], both ends included, in steps of one
// nanosecond. If lo == hi it returns it without a draw. It panics if hi < lo.
func (s *Stream) Between(lo, hi time.Duration) time.Duration {
	if hi < lo {
		panic(fmt.Sprintf("rng: Between(%v, %v): the upper end is below the lower one", lo, hi))
	}
	if lo == hi {
		return lo
	}
	count := uint64(hi) - uint64(lo) + 1
	if count == 0 { // all 2^64 values
		return time.Duration(s.Uint64())
	}
	return time.Duration(uint64(lo) + s.uint64N(count))
}

// Ratio returns true with probability num/den, in integers only. A certain answer
// (num == 0 or num == den) makes no draw. It panics unless 0 <= num <= den and den > 0.
func (s *Stream) Ratio(num, den int64) bool {
	if den <= 0 || num < 0 || num > den {
		panic(fmt.Sprintf("rng: Ratio(%d, %d): need 0 <= num <= den and den > 0", num, den))
	}
	if num == 0 || num == den {
		return num != 0
	}
	return s.Int64N(den) < num
}

// unitClosed is uniform on {1, 2, ..., 2^53} / 2^53: never 0, so its logarithm is finite.
func (s *Stream) unitClosed() float64 {
	return float64(float64(int64(s.Uint64()>>11)+1) * (1.0 / (1 << 53)))
}

// unitOpen is uniform on the odd multiples of 2^-53 in (0, 1): symmetric about 1/2 and
// never 0 or 1, so its normal quantile is finite. 52 bits keep the half exact.
func (s *Stream) unitOpen() float64 {
	half := float64(int64(s.Uint64()>>12)) + 0.5
	return float64(half * (1.0 / (1 << 52)))
}

// exponential is a standard exponential deviate (mean 1), in [0, 36.74].
func (s *Stream) exponential() float64 { return -logOf(s.unitClosed()) }

// normal is a standard normal deviate, in [-8.21, 8.21].
func (s *Stream) normal() float64 { return normalQuantile(s.unitOpen()) }
