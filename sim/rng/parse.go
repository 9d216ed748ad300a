package rng

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Forms lists the accepted text forms, for error messages and help texts.
const Forms = "15s, constant(15s), uniform(1s, 2s), exponential(100ms), lognormal(45us, 0.3), pareto(1ms, 1.5), " +
	"loguniform(4ms, 262s), halfnormal(5ms), " +
	"empirical(23.3s, 31s, 79s), mixture(9: 1ms, 1: uniform(5ms, 100ms)), histogram(1ms: 10, 2ms: 5), " +
	"scaled(4, uniform(8s, 10s)), shifted(75ms, exponential(1ms)), or a preset such as net/az or pause/hbase-juliet(4)"

// maxDepth bounds nesting, so that hostile text cannot exhaust the stack.
const maxDepth = 32

// ParseError tells what is wrong with the text of a distribution, and where.
type ParseError struct {
	Text    string // all of the text
	Offset  int    // bytes before the offending part
	Problem string // what is wrong there and what would be right
}

func (e *ParseError) Error() string {
	return fmt.Sprintf("rng: distribution %q, offset %d: %s; accepted forms: %s", e.Text, e.Offset, e.Problem, Forms)
}

// Parse reads a distribution from the text form used in scenario files; see [Forms].
// Durations are in time.ParseDuration's syntax, white space between words is free, and
// the parts of mixtures, scaled and shifted distributions may be of any form, presets included.
//
// A scale factor is an integer, a decimal or a fraction (4, 2.5, 1/3) and is taken
// exactly. The argument of a preset that accepts one is such a factor, too.
//
// The error is a *ParseError. Negative durations, a sigma, alpha or weight that is not
// above zero and finite, and an upper end below a lower one are errors. Parse never
// panics.
func Parse(text string) (Dist, error) {
	p := &parser{text: text}
	d := p.dist(0)
	if p.skipSpace(); p.err == nil && p.at < len(text) {
		p.fail(p.at, "expected the end of the text, found %q", rest(text[p.at:]))
	}
	if p.err != nil {
		return Dist{}, p.err
	}
	return d, nil
}

// parser reads text from left to right. After the first error, which it keeps, every
// method returns zero values without reading on.
type parser struct {
	text string
	at   int
	err  error
}

func (p *parser) fail(offset int, format string, args ...any) {
	if p.err == nil {
		p.err = &ParseError{Text: p.text, Offset: offset, Problem: fmt.Sprintf(format, args...)}
	}
}

// dist reads one distribution.
func (p *parser) dist(depth int) Dist {
	start, word := p.word()
	if p.err != nil {
		return Dist{}
	}
	call := p.peek() == '('
	read := family(word)
	var d Dist
	var err error
	switch {
	case depth > maxDepth:
		p.fail(start, "more than %d levels of nesting", maxDepth)
	case word == "":
		p.fail(start, "expected a distribution, found %q", rest(p.text[start:]))
	case read != nil && !call:
		p.fail(start, "%s needs its arguments in parentheses", word)
	case read != nil:
		p.expect('(')
		d, err = read(p, depth)
		p.expect(')')
	case strings.Contains(word, "/"):
		d, err = p.preset(start, word)
	case call:
		p.fail(start, "unknown distribution %q", word)
	default:
		d, err = newConstant(p.asDuration(start, word))
	}
	if err != nil {
		p.fail(start, "%v", err)
	}
	if p.err != nil {
		return Dist{}
	}
	return d
}

// argsReader reads the arguments of one family, between the parentheses.
type argsReader func(p *parser, depth int) (Dist, error)

// family returns the reader of a family's arguments, nil if there is no such family.
func family(name string) argsReader {
	switch name {
	case "constant":
		return func(p *parser, _ int) (Dist, error) { return newConstant(p.duration()) }
	case "uniform":
		return readEnds(newUniform)
	case "loguniform":
		return readEnds(newLogUniform)
	case "exponential":
		return readScale(newExponential)
	case "halfnormal":
		return readScale(newHalfNormal)
	case "lognormal":
		return readShaped(newLogNormal)
	case "pareto":
		return readShaped(newPareto)
	case "mixture":
		return readMixture
	case "empirical":
		return readEmpirical
	case "histogram":
		return readHistogram
	case "scaled":
		return readScaled
	case "shifted":
		return readShifted
	}
	return nil
}

// readEnds reads a lower and an upper end.
func readEnds(build func(lo, hi time.Duration) (Dist, error)) argsReader {
	return func(p *parser, _ int) (Dist, error) {
		lo := p.duration()
		p.expect(',')
		hi := p.duration()
		return p.ifGood(func() (Dist, error) { return build(lo, hi) })
	}
}

// readScale reads one duration.
func readScale(build func(time.Duration) (Dist, error)) argsReader {
	return func(p *parser, _ int) (Dist, error) {
		d := p.duration()
		return p.ifGood(func() (Dist, error) { return build(d) })
	}
}

// readShaped reads a duration and a number.
func readShaped(build func(time.Duration, float64) (Dist, error)) argsReader {
	return func(p *parser, _ int) (Dist, error) {
		d := p.duration()
		p.expect(',')
		shape := p.number()
		return p.ifGood(func() (Dist, error) { return build(d, shape) })
	}
}

func readScaled(p *parser, depth int) (Dist, error) {
	num, den := p.ratio()
	p.expect(',')
	d := p.dist(depth + 1)
	return p.ifGood(func() (Dist, error) { return newScaled(d, num, den) })
}

func readShifted(p *parser, depth int) (Dist, error) {
	by := p.duration()
	p.expect(',')
	d := p.dist(depth + 1)
	return p.ifGood(func() (Dist, error) { return newShifted(d, by) })
}

func readMixture(p *parser, depth int) (Dist, error) {
	var parts []Weighted
	for more := true; more; more = p.comma() {
		weight := p.count()
		p.expect(':')
		parts = append(parts, Weighted{Weight: weight, Dist: p.dist(depth + 1)})
	}
	return p.ifGood(func() (Dist, error) { return newMixture(parts) })
}

func readEmpirical(p *parser, _ int) (Dist, error) {
	var values []time.Duration
	for more := true; more; more = p.comma() {
		values = append(values, p.duration())
	}
	return p.ifGood(func() (Dist, error) { return newEmpirical(values) })
}

func readHistogram(p *parser, _ int) (Dist, error) {
	var buckets []Bucket
	for more := true; more; more = p.comma() {
		upto := p.duration()
		p.expect(':')
		buckets = append(buckets, Bucket{Upto: upto, Count: p.count()})
	}
	return p.ifGood(func() (Dist, error) { return newHistogram(buckets) })
}

// ifGood builds unless an argument was bad, in which case that error stands.
func (p *parser) ifGood(build func() (Dist, error)) (Dist, error) {
	if p.err != nil {
		return Dist{}, nil
	}
	return build()
}

// preset reads what follows a preset's name: nothing, or a factor in parentheses.
func (p *parser) preset(start int, name string) (Dist, error) {
	info, ok := Preset(name)
	if !ok {
		p.fail(start, "no preset is called %q; there are %s", name, strings.Join(presetNames(), ", "))
		return Dist{}, nil
	}
	if p.peek() != '(' {
		return info.Dist, nil
	}
	if info.Scale == "" {
		p.fail(p.at, "the preset %s takes no argument; for a multiple write scaled(2, %s)", name, name)
		return Dist{}, nil
	}
	p.expect('(')
	num, den := p.ratio()
	p.expect(')')
	return p.ifGood(func() (Dist, error) { return newScaled(info.Dist, num, den) })
}

// presetNames lists the names of all presets in order.
func presetNames() []string {
	var names []string
	for _, info := range presetTable {
		names = append(names, info.Name)
	}
	slices.Sort(names)
	return names
}
