package reports

import (
	"math"
	"regexp"
	"time"

	"fencepost/reports/plots"
	"fencepost/sim/rng"
)

// fractional is a duration as Go prints it, if it has a fraction. Others are short already.
var fractional = regexp.MustCompile(`\b(?:\d+h)?(?:\d+m)?\d+\.\d+(?:s|ms|µs)\b`)

// rounded shortens the durations in a text for people: to the millisecond as instants are,
// and to three digits where that would say too little. Lengths that are drawn, or worked
// out as a share of something, have nine digits behind the point, which nobody reads; the
// trace and the numbers of the JSON keep them.
func rounded(text string) string {
	return replaced(text, func(d time.Duration) time.Duration { return d.Round(min(time.Millisecond, unitOf(d, 3))) })
}

// shortened keeps three digits of each duration, for the labels of a chart.
func shortened(text string) string {
	return replaced(text, func(d time.Duration) time.Duration { return d.Round(unitOf(d, 3)) })
}

// lengthText writes a value of a parameter for a picture: a duration as the axes write it, and else as it is,
// with three digits.
func lengthText(value string) string {
	d, err := rng.Parse(value)
	if err != nil {
		return value
	}
	if length, constant := d.IsConstant(); constant {
		return plots.DurationText(length.Seconds())
	}
	return shortened(value)
}

func replaced(text string, round func(time.Duration) time.Duration) string {
	return fractional.ReplaceAllStringFunc(text, func(exact string) string {
		d, err := time.ParseDuration(exact)
		if err != nil {
			return exact
		}
		return round(d).String()
	})
}

// unitOf is the power of ten nanoseconds to which a positive duration is rounded so that so
// many digits remain.
func unitOf(d time.Duration, digits int) time.Duration {
	power := int(math.Floor(math.Log10(float64(max(d, 1))))) + 1 - digits
	unit := time.Duration(1)
	for ; power > 0; power-- {
		unit *= 10
	}
	return unit
}
