package clock

import (
	"math/bits"
	"time"

	"fencepost/sim"
)

// slew is an extra gain that is spread evenly over a time from the last change on. The
// zero value is none.
type slew struct {
	by     int64 // what is gained in all, nanoseconds
	length int64 // true nanoseconds
}

// over reports whether the slew has ended, if there was any.
func (s *slew) over(elapsed int64) bool { return elapsed >= s.length }

// gain is what rate and slew add in a time, together rounded down, so that a sum of two
// fractions never makes the clock go back.
func (s *slew) gain(elapsed, ppb int64) int64 {
	whole, rest := mulDiv(elapsed, ppb, 1e9)
	if s.over(elapsed) {
		return whole + s.by
	}
	slewed, part := mulDiv(elapsed, s.by, s.length)
	return whole + slewed + carry(rest, part, s.length)
}

// carry is 1 if rest/1e9 + part/length is at least one, else 0.
func carry(rest, part, length int64) int64 {
	hi, lo := bits.Mul64(uint64(rest), uint64(length))
	hi2, lo2 := bits.Mul64(uint64(part), 1e9)
	sumLo, c := bits.Add64(lo, lo2, 0)
	sumHi, _ := bits.Add64(hi, hi2, c)
	oneHi, oneLo := bits.Mul64(uint64(length), 1e9)
	_, borrow := bits.Sub64(sumLo, oneLo, 0)
	_, borrow = bits.Sub64(sumHi, oneHi, borrow)
	return int64(1 - borrow)
}

// rest is what is left of the slew after a time.
func (s *slew) rest(elapsed int64) slew {
	if s.over(elapsed) {
		return slew{}
	}
	done, _ := mulDiv(elapsed, s.by, s.length)
	return slew{by: s.by - done, length: s.length - elapsed}
}

// ppb is the slew's own rate, rounded away from zero.
func (s *slew) ppb() int64 {
	if s.length == 0 {
		return 0
	}
	q := mulDivUp(abs(s.by), 1e9, s.length)
	if s.by < 0 {
		return -q
	}
	return q
}

// fit makes the slew last long enough for a clock of a rate to neither run backwards nor
// run at more than twice true time. No slew outlasts every run: of one that would there is
// what fits.
func (s slew) fit(ppb int64) slew {
	if s.by == 0 {
		return slew{}
	}
	const longest = int64(sim.Forever)
	if s.length > longest {
		s.by, _ = mulDiv(s.by, longest, s.length)
		s.length = longest
	}
	room := MaxRatePPB - ppb
	if s.by < 0 {
		room = MaxRatePPB + ppb
	}
	most, _ := mulDiv(longest, room, 1e9)
	s.by = min(max(s.by, -most), most)
	if s.by == 0 {
		return slew{}
	}
	s.length = max(s.length, mulDivUp(abs(s.by), 1e9, room))
	return s
}

// Slew makes the clocks gain by (lose, if by is negative) on what they would show, evenly
// over a length of true time from t on, and exactly by that. A slew that has not ended is
// given up where it is, as adjtime(3) has it. A slew that would turn the clock back, or
// make it more than twice as fast as true time, takes as long as it must instead.
func (c *Clock) Slew(t sim.Time, by, length time.Duration) {
	c.anchor(t)
	c.slew = slew{by: int64(by), length: int64(max(length, 1))}.fit(c.rate)
	c.classify()
}
