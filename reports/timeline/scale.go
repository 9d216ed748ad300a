package timeline

import (
	"strconv"
	"strings"
	"time"
)

// scale places instants between two abscissae, linearly.
type scale struct {
	start, end  time.Duration
	left, right float64
}

func (s scale) x(at time.Duration) float64 {
	return s.left + (s.right-s.left)*float64(at-s.start)/float64(s.end-s.start)
}

func (s scale) shows(at time.Duration) bool { return s.start <= at && at <= s.end }

// clamped is the abscissa of the part of the window that is nearest to the instant.
func (s scale) clamped(at time.Duration) float64 { return s.x(min(max(at, s.start), s.end)) }

// step is the distance of labelled ticks: 1, 2 or 5 times a power of ten nanoseconds, so
// that there are at most twelve of them.
func (s scale) step() time.Duration {
	const most = 12
	for power := time.Duration(1); ; power *= 10 {
		for _, digit := range []time.Duration{1, 2, 5} {
			if (s.end-s.start)/(digit*power) < most {
				return digit * power
			}
		}
	}
}

// ticks returns the multiples of the step inside of the window.
func (s scale) ticks(step time.Duration) []time.Duration {
	first := s.start / step * step
	if first < s.start {
		first += step
	}
	var ticks []time.Duration
	for at := first; at <= s.end; at += step {
		ticks = append(ticks, at)
	}
	return ticks
}

// unit is what the ticks of a window are labelled in.
type unit struct {
	name string
	size time.Duration
}

func (s scale) unit() unit {
	longest := max(s.end, -s.start)
	switch {
	case longest >= 2*time.Second:
		return unit{"s", time.Second}
	case longest >= 2*time.Millisecond:
		return unit{"ms", time.Millisecond}
	}
	return unit{"µs", time.Microsecond}
}

// in prints the duration exactly, without trailing zeros.
func (u unit) in(d time.Duration) string {
	whole, rest := d/u.size, d%u.size
	sign := ""
	if d < 0 {
		sign, whole, rest = "-", -whole, -rest
	}
	text := sign + strconv.FormatInt(int64(whole), 10)
	if rest == 0 {
		return text
	}
	digits := strconv.FormatInt(int64(u.size+rest), 10)[1:]
	return text + "." + strings.TrimRight(digits, "0")
}

// instant prints an instant exactly, in seconds, for tooltips.
func instant(at time.Duration) string { return unit{"s", time.Second}.in(at) + " s" }
