package plots

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
)

// Scale is what the vertical axis of a chart measures.
type Scale int

// The scales. On a logarithmic one a rate of nothing has no place: where nothing was seen, the
// upper end of the interval is drawn, as a hollow triangle that points down.
const (
	Shares      Scale = iota // probabilities, 0 to 100 %
	LogShares                // probabilities, logarithmic
	LogSeconds               // durations in seconds, logarithmic
	Seconds                  // durations in seconds from 0 on
	Differences              // of two probabilities, -100 to 100 percentage points
)

func (s Scale) log() bool { return s == LogShares || s == LogSeconds }

// check fails on a point that has no place on the scale.
func (s Scale) check(p Point) error {
	low, high := 0.0, 1.0
	switch s {
	case Differences:
		low = -1
	case LogSeconds:
		low, high = math.SmallestNonzeroFloat64, math.MaxFloat64
	case Seconds:
		high = math.MaxFloat64
	}
	if low <= p.Low && p.Low <= p.Rate && p.Rate <= p.High && p.High <= high {
		return nil
	}
	if s == Shares || s == LogShares {
		return fmt.Errorf("want 0 <= low <= rate <= high <= 1, got %v, %v, %v", p.Low, p.Rate, p.High)
	}
	return fmt.Errorf("want low <= value <= high within the scale, got %v, %v, %v", p.Low, p.Rate, p.High)
}

// bounded reports whether a point is an upper bound: nothing was seen, and the scale has no place
// for that.
func (s Scale) bounded(p Point) bool { return s == LogShares && p.Rate == 0 && !p.Withheld }

// shown is where a point stands.
func (s Scale) shown(p Point) float64 {
	switch {
	case p.Withheld && s == LogShares:
		return math.Sqrt(max(p.Low, p.High/100) * p.High)
	case p.Withheld:
		return (p.Low + p.High) / 2
	case s.bounded(p):
		return p.High
	}
	return p.Rate
}

// yaxis is a scale with its ends.
type yaxis struct {
	scale     Scale
	low, high float64
}

// yaxisOf covers all points. That of probabilities is whole, so that charts can be compared.
func yaxisOf(s Scale, curves []curve) yaxis {
	switch s {
	case Shares: // The margin keeps markers at 0 and 100 % whole.
		return yaxis{s, -0.03, 1.03}
	case Differences:
		most := symmetric(curves)
		return yaxis{s, -1.06 * most, 1.06 * most}
	}
	low, high := math.Inf(1), 0.0
	for _, k := range curves {
		for _, p := range k.points {
			if k.formula && s.log() {
				continue // what is worked out may be as small as it likes, and leave the picture
			}
			low, high = min(low, s.shown(p)), max(high, s.shown(p))
			if s == LogSeconds {
				low, high = min(low, p.Low), max(high, p.High)
			}
			if s == LogShares {
				high = max(high, p.High)
			}
		}
	}
	if s.log() && !(0 < low && low <= high) {
		low, high = 0.5, 1 // nothing but formulas
	}
	switch s {
	case Seconds:
		return yaxis{s, -0.03 * max(high, 1e-9), 1.06 * max(high, 1e-9)}
	case LogShares:
		// A triangle that stands at the bound of few trials needs room to point to. Rates that are all
		// small need no decades of nothing above them.
		y := yaxis{s, roundedDown(min(low, 0.5) / 3), 1.25}
		if high < 0.03 {
			y.high = 6 * high
		}
		return y
	}
	return yaxis{s, roundedDown(low / 1.15), high * 1.3}
}

// symmetric is a round difference that none of the curves exceeds, to either side.
func symmetric(curves []curve) float64 {
	most := 0.0
	for _, k := range curves {
		for _, p := range k.points {
			most = max(most, math.Abs(p.Low), math.Abs(p.High))
		}
	}
	for _, round := range []float64{0.02, 0.04, 0.1, 0.2, 0.4, 0.6, 0.8} {
		if most <= round {
			return round
		}
	}
	return 1
}

// signedTicks labels nothing, half of the most and all of it, to either side, in percentage points: the
// axis says so, since +20 % of a rate would be another thing.
func signedTicks(most float64) (ticks []plot.Tick) {
	for i := -4; i <= 4; i++ {
		tick := plot.Tick{Value: most * float64(i) / 4}
		switch {
		case i == 0:
			tick.Label = "0"
		case i%2 == 0:
			tick.Label = strings.Replace(fmt.Sprintf("%+.3g", 100*tick.Value), "-", "−", 1)
		}
		ticks = append(ticks, tick)
	}
	return ticks
}

// roundedDown is the next 1, 2 or 5 times a power of ten.
func roundedDown(v float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(v)))
	for _, digit := range []float64{5, 2} {
		if digit*power <= v {
			return digit * power
		}
	}
	return power
}

// on keeps what is beyond the axis at its end: an interval may reach down to nothing.
func (y yaxis) on(v float64) float64 { return min(max(v, y.low), y.high) }

// share is how far up the axis a value stands, 0 to 1.
func (y yaxis) share(v float64) float64 {
	v = y.on(v)
	if y.scale.log() {
		return math.Log(v/y.low) / math.Log(y.high/y.low)
	}
	return (v - y.low) / (y.high - y.low)
}

func (y yaxis) set(a *plot.Axis) {
	a.Min, a.Max = y.low, y.high
	if y.scale.log() {
		a.Scale = plot.LogScale{}
	}
	a.Tick.Marker = plot.ConstantTicks(y.ticks())
}

func (y yaxis) ticks() []plot.Tick {
	switch y.scale {
	case Shares:
		return percentTicks(0, 100, 10)
	case Differences:
		return signedTicks(y.high / 1.06)
	case Seconds:
		return durations(linearTicks(0, y.high))
	case LogSeconds:
		return durations(logTicks(y.low, y.high))
	}
	ticks := logTicks(y.low, min(y.high, 1))
	for i := range ticks {
		if ticks[i].Label != "" {
			ticks[i].Label = y.shareText(ticks[i].Value)
		}
	}
	return ticks
}

// shareText prints a probability in percent, or as a power of ten on an axis of such small ones that
// percents would be powers, too.
func (y yaxis) shareText(v float64) string {
	if y.low >= 1e-5 {
		return percentText(v)
	}
	text := strconv.FormatFloat(v, 'g', 3, 64)
	return strings.Replace(text, "e-0", "e-", 1)
}

// percentTicks labels every second of them.
func percentTicks(from, to, step int) []plot.Tick {
	var ticks []plot.Tick
	for percent := from; percent <= to; percent += step {
		tick := plot.Tick{Value: float64(percent) / 100}
		if percent%(2*step) == 0 {
			tick.Label = strconv.Itoa(percent) + " %"
		}
		ticks = append(ticks, tick)
	}
	return ticks
}

// percentText prints a probability with as many digits as it has.
func percentText(v float64) string { return strconv.FormatFloat(100*v, 'g', 3, 64) + " %" }

// durations labels ticks in seconds with the unit that reads best.
func durations(ticks []plot.Tick) []plot.Tick {
	for i := range ticks {
		if ticks[i].Label != "" {
			ticks[i].Label = DurationText(ticks[i].Value)
		}
	}
	return ticks
}

// DurationText prints a number of seconds to three digits in the unit that reads best.
func DurationText(seconds float64) string {
	if seconds == 0 {
		return "0 s"
	}
	for _, u := range []struct {
		name string
		of   float64
	}{{"h", 3600}, {"min", 60}, {"s", 1}, {"ms", 1e-3}, {"µs", 1e-6}} {
		if v := seconds / u.of; v >= 0.9995 && (u.of < 60 || v >= 2) || u.of == 1e-6 {
			digits := max(0, 2-int(math.Floor(math.Log10(max(v, 1)))))
			text := strconv.FormatFloat(v, 'f', digits, 64)
			number, _ := strconv.ParseFloat(text, 64)
			return strconv.FormatFloat(number, 'f', -1, 64) + " " + u.name
		}
	}
	return ""
}
