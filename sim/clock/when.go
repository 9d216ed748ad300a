package clock

import (
	"math/bits"
	"time"

	"fencepost/sim"
)

// When returns the earliest true time at or after t at which the monotonic clock reads
// at least m, if nothing changes the clock until then. The end of a slew is no change.
// It is [sim.Forever] while the clock stands.
func (c *Clock) When(t sim.Time, m Mono) sim.Time {
	if m <= c.Mono(t) {
		return t
	}
	need := int64(m - c.mono)
	if need >= 2*int64(sim.Forever) {
		return sim.Forever // at the most a clock runs at twice true time
	}
	if c.state == special {
		if c.stands() {
			return sim.Forever
		}
		if c.slew.length > 0 {
			if need <= c.gain(c.slew.length) {
				return c.whileSlewing(need)
			}
			need -= c.slew.by
		}
	}
	if c.rate == 0 {
		return c.since.Add(time.Duration(need))
	}
	hi, lo := bits.Mul64(uint64(need), 1e9)
	divisor := uint64(1e9 + c.rate)
	if hi >= divisor {
		return sim.Forever
	}
	elapsed, remainder := bits.Div64(hi, lo, divisor)
	if remainder != 0 {
		elapsed++
	}
	if elapsed >= uint64(sim.Forever) {
		return sim.Forever
	}
	return c.since.Add(time.Duration(elapsed))
}

// whileSlewing finds the least time after which the clock has gained what is needed, by
// halving: two fractions rounded down together have no inverse in closed form. A clock
// that slews is rare, and at most 62 steps are left.
func (c *Clock) whileSlewing(need int64) sim.Time {
	short, enough := int64(0), c.slew.length // gain(short) < need <= gain(enough)
	for short+1 < enough {
		if mid := short + (enough-short)/2; c.gain(mid) < need {
			short = mid
		} else {
			enough = mid
		}
	}
	return c.since.Add(time.Duration(enough))
}
