package scenarios

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"fencepost/sim/rng"
)

// Axis is one parameter with the values it takes in a sweep.
type Axis struct {
	Name   string
	Values []string
}

// MaxAxisValues bounds the values of one axis.
const MaxAxisValues = 10_000

// forms is what an axis may look like.
const forms = "write KEY=a,b,c or KEY=a..b/n or KEY=a..b/log:n, such as fault.pause=1s..60s/20"

// ParseAxis reads one --vary argument. A range takes durations or whole numbers and
// includes both ends.
func ParseAxis(text string) (Axis, error) {
	name, spec, ok := strings.Cut(text, "=")
	if !ok || name == "" || spec == "" {
		return Axis{}, fmt.Errorf("vary %q: %s", text, forms)
	}
	from, rest, ok := strings.Cut(spec, rangeMark)
	if !ok {
		values := SplitValues(spec)
		if err := allDifferent(values); err != nil {
			return Axis{}, fmt.Errorf("vary %q: %w; %s", shortened(text), err, forms)
		}
		return Axis{Name: name, Values: values}, nil
	}
	if len(SplitValues(spec)) > 1 {
		return Axis{}, fmt.Errorf("vary %q: a range and other values cannot be mixed; %s", shortened(text), forms)
	}
	to, count, ok := strings.Cut(rest, "/")
	if !ok {
		return Axis{}, fmt.Errorf("vary %q: a range needs a number of values; %s", text, forms)
	}
	digits, isLog := strings.CutPrefix(count, "log:")
	n, err := strconv.Atoi(digits)
	if err != nil || n < 2 || n > MaxAxisValues {
		return Axis{}, fmt.Errorf("vary %q: %q is not a number of values from 2 to %d; %s", text, digits, MaxAxisValues, forms)
	}
	values, err := spread(from, to, n, isLog)
	if err != nil {
		return Axis{}, fmt.Errorf("vary %q: %w; %s", text, err, forms)
	}
	return Axis{Name: name, Values: values}, nil
}

// rangeMark stands between the ends of a range.
const rangeMark = ".."

// isRange reports whether a value is a range of values.
func isRange(text string) bool { return strings.Contains(text, rangeMark) }

// allDifferent fails if a list of values has two that are the same, in other words too, or one that is
// empty, or is too long.
func allDifferent(values []string) error {
	if len(values) > MaxAxisValues {
		return fmt.Errorf("these are %d values: at most %d", len(values), MaxAxisValues)
	}
	seen := map[string]string{}
	for _, v := range values {
		earlier, twice := seen[meaning(v)]
		switch {
		case v == "":
			return fmt.Errorf("the value %q is empty", v)
		case twice && earlier == v:
			return fmt.Errorf("the value %q is given twice", v)
		case twice:
			return fmt.Errorf("the values %q and %q are the same", earlier, v)
		}
		seen[meaning(v)] = v
	}
	return nil
}

// meaning is a value in one of the ways in which it can be written, as far as it is a length, a number or
// a distribution.
func meaning(value string) string {
	if d, err := time.ParseDuration(value); err == nil {
		return d.String()
	}
	if n, err := strconv.ParseFloat(value, 64); err == nil {
		return strconv.FormatFloat(n, 'g', -1, 64)
	}
	if d, err := rng.Parse(value); err == nil {
		return d.String()
	}
	return value
}

// shortened is the beginning of a text that may be very long.
func shortened(text string) string {
	const most = 200
	if r := []rune(text); len(r) > most {
		return string(r[:most]) + "…"
	}
	return text
}

// SplitValues splits at commas that stand outside parentheses, so that values may be
// distributions.
func SplitValues(text string) []string {
	var parts []string
	depth, start := 0, 0
	for i, c := range text {
		switch {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ',' && depth == 0:
			parts = append(parts, strings.TrimSpace(text[start:i]))
			start = i + 1
		}
	}
	return append(parts, strings.TrimSpace(text[start:]))
}

// spread returns n values from one end to the other.
func spread(from, to string, n int, isLog bool) ([]string, error) {
	format := func(v float64) string { return time.Duration(v).Round(time.Microsecond).String() }
	a, errA := parseDuration(from)
	b, errB := parseDuration(to)
	if errA != nil || errB != nil {
		format = func(v float64) string { return strconv.FormatInt(int64(v+0.5), 10) }
		a, errA = strconv.ParseFloat(from, 64)
		b, errB = strconv.ParseFloat(to, 64)
	}
	switch {
	case errA != nil || errB != nil:
		return nil, fmt.Errorf("%q and %q are not two durations or two numbers", from, to)
	case a >= b:
		return nil, fmt.Errorf("the range from %s to %s is empty", from, to)
	case isLog && a <= 0:
		return nil, fmt.Errorf("a logarithmic range cannot start at %s", from)
	}
	values := make([]string, n)
	for i := range values {
		values[i] = format(between(a, b, float64(i)/float64(n-1), isLog))
	}
	values[0], values[n-1] = from, to
	if len(slices.Compact(slices.Clone(values))) < n {
		return nil, fmt.Errorf("%d values from %s to %s are not all different after rounding", n, from, to)
	}
	return values, nil
}

func parseDuration(text string) (float64, error) {
	d, err := time.ParseDuration(text)
	return float64(d), err
}

// between is the value at a fraction of the way, linearly or logarithmically.
func between(a, b, fraction float64, isLog bool) float64 {
	if isLog {
		return a * math.Pow(b/a, fraction)
	}
	return a + (b-a)*fraction
}
