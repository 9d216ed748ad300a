package rng

import (
	"strconv"
	"strings"
	"time"
)

// String returns the canonical text, which [Parse] reads back to the same distribution:
// a constant is a bare duration, durations are in time.Duration's form with "us" for
// microseconds, values are in the order the distribution keeps them (empirical values
// ascending), and a scale factor is an integer or a reduced fraction such as 5/2.
func (d Dist) String() string {
	var b strings.Builder
	d.write(&b)
	return b.String()
}

func (d *Dist) write(b *strings.Builder) {
	switch d.kind {
	case kindConstant:
		b.WriteString(durationText(d.a))
	case kindUniform:
		b.WriteString("uniform(" + durationText(d.a) + ", " + durationText(d.b) + ")")
	case kindExponential:
		b.WriteString("exponential(" + durationText(d.a) + ")")
	case kindLogNormal:
		b.WriteString("lognormal(" + durationText(d.a) + ", " + numberText(d.shape) + ")")
	case kindPareto:
		b.WriteString("pareto(" + durationText(d.a) + ", " + numberText(d.shape) + ")")
	case kindLogUniform:
		b.WriteString("loguniform(" + durationText(d.a) + ", " + durationText(d.b) + ")")
	case kindHalfNormal:
		b.WriteString("halfnormal(" + durationText(d.a) + ")")
	case kindMixture:
		writeList(b, "mixture(", len(d.table.dists), func(i int) {
			b.WriteString(strconv.FormatInt(d.table.counts[i], 10) + ": ")
			d.table.dists[i].write(b)
		})
	case kindEmpirical:
		writeList(b, "empirical(", len(d.table.values), func(i int) {
			b.WriteString(durationText(d.table.values[i]))
		})
	case kindHistogram:
		writeList(b, "histogram(", len(d.table.values), func(i int) {
			b.WriteString(durationText(d.table.values[i]) + ": " + strconv.FormatInt(d.table.counts[i], 10))
		})
	case kindScaled:
		b.WriteString("scaled(" + ratioText(d.a, d.b) + ", ")
		d.table.dists[0].write(b)
		b.WriteString(")")
	case kindShifted:
		b.WriteString("shifted(" + durationText(d.a) + ", ")
		d.table.dists[0].write(b)
		b.WriteString(")")
	}
}

// writeList writes open, then n items separated by commas, then a closing parenthesis.
func writeList(b *strings.Builder, open string, n int, item func(int)) {
	b.WriteString(open)
	for i := range n {
		if i > 0 {
			b.WriteString(", ")
		}
		item(i)
	}
	b.WriteString(")")
}

// durationText is time.Duration's text in ASCII.
func durationText(ns int64) string {
	return strings.Replace(time.Duration(ns).String(), "µ", "u", 1)
}

// numberText is the shortest decimal that reads back to the same float64.
func numberText(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }

func ratioText(num, den int64) string {
	text := strconv.FormatInt(num, 10)
	if den != 1 {
		text += "/" + strconv.FormatInt(den, 10)
	}
	return text
}
