package sim

import (
	"fmt"
	"math"
	"time"
)

// Time is true time: whole nanoseconds since the run began. No host can read it;
// hosts read their own clocks (sim/clock). True time is what judges a history.
type Time int64

// Forever is later than every event of every run.
const Forever Time = math.MaxInt64 / 4

// Add returns t+d, saturating at [Forever].
func (t Time) Add(d time.Duration) Time {
	if sum := t + Time(d); sum < Forever && d < time.Duration(Forever) {
		return sum
	}
	return Forever
}

// Sub returns t-u.
func (t Time) Sub(u Time) time.Duration { return time.Duration(t - u) }

// Duration returns the time since the run began.
func (t Time) Duration() time.Duration { return time.Duration(t) }

// String renders seconds with nine decimals, so that columns of times line up and
// no digit is lost.
func (t Time) String() string {
	sign := ""
	if t < 0 {
		sign, t = "-", -t
	}
	return fmt.Sprintf("%s%d.%09ds", sign, int64(t)/1e9, int64(t)%1e9)
}
