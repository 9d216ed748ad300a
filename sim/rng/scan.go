package rng

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// The words of the text form: everything up to a delimiter. What a word means (a
// duration, a number, a name) depends on the place, so there is no token type.
const delimiters = "(),: \t\r\n"

// skipSpace moves to the next character that is not white space.
func (p *parser) skipSpace() {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
}

// peek returns the next character, or 0 at the end.
func (p *parser) peek() byte {
	if p.skipSpace(); p.at < len(p.text) {
		return p.text[p.at]
	}
	return 0
}

// expect reads one given delimiter.
func (p *parser) expect(c byte) {
	switch {
	case p.err != nil:
	case p.peek() == c:
		p.at++
	case p.at == len(p.text):
		p.fail(p.at, "expected %q, found the end of the text", c)
	default:
		p.fail(p.at, "expected %q, found %q", c, rest(p.text[p.at:]))
	}
}

// comma reads a comma if there is one, which promises another item.
func (p *parser) comma() bool {
	if p.err != nil || p.peek() != ',' {
		return false
	}
	p.at++
	return true
}

// word reads up to a delimiter and tells where it began. It may be empty.
func (p *parser) word() (start int, word string) {
	if p.err != nil {
		return p.at, ""
	}
	p.skipSpace()
	start = p.at
	if n := strings.IndexAny(p.text[start:], delimiters); n >= 0 {
		p.at += n
	} else {
		p.at = len(p.text)
	}
	return start, p.text[start:p.at]
}

// duration reads a duration that is not negative.
func (p *parser) duration() time.Duration {
	start, word := p.word()
	return p.asDuration(start, word)
}

func (p *parser) asDuration(start int, word string) time.Duration {
	if p.err != nil {
		return 0
	}
	d, err := time.ParseDuration(word)
	switch {
	case err != nil:
		p.fail(start, "expected a duration such as 1.5s or 300us, found %q", word)
	case d < 0:
		p.fail(start, "the duration %s is negative; it must be 0s or longer", word)
	}
	return d
}

// number reads a finite decimal number above zero (a sigma or an alpha).
func (p *parser) number() float64 {
	start, word := p.word()
	if p.err != nil {
		return 0
	}
	f, err := strconv.ParseFloat(word, 64)
	switch {
	case strings.Trim(word, "0123456789.eE+-") != "": // hexadecimal, inf, nan, underscores
		p.fail(start, "expected a finite decimal number above zero, such as 0.3, found %q", word)
	case err != nil && math.IsInf(f, 0):
		p.fail(start, "the number %s is too large", word)
	case err != nil:
		p.fail(start, "expected a number above zero, such as 0.3, found %q", word)
	case !positive(f):
		p.fail(start, "the number %s must be above zero", word)
	}
	return f
}

// count reads an integer that is not negative (a weight or a count).
func (p *parser) count() int64 {
	start, word := p.word()
	return p.asCount(start, word)
}

func (p *parser) asCount(start int, word string) int64 {
	if p.err != nil {
		return 0
	}
	n, err := strconv.ParseInt(word, 10, 64)
	switch {
	case strings.Trim(word, "0123456789") != "" || word == "":
		p.fail(start, "expected a whole number that is not negative, found %q", word)
	case err != nil:
		p.fail(start, "the number %s is larger than 2^63-1", word)
	}
	return n
}

// ratio reads a factor: an integer, a decimal or a fraction of integers.
func (p *parser) ratio() (num, den int64) {
	start, word := p.word()
	if over, under, ok := strings.Cut(word, "/"); ok {
		num, den = p.asCount(start, over), p.asCount(start+len(over)+1, under)
		if den == 0 {
			p.fail(start, "the factor %s divides by zero", word)
		}
		return num, den
	}
	whole, fraction, _ := strings.Cut(word, ".")
	fraction = strings.TrimRight(fraction, "0")
	if len(fraction) > 18 {
		p.fail(start, "the factor %s has more than 18 decimals", word)
		return 0, 1
	}
	den = 1
	for range len(fraction) {
		den *= 10
	}
	return p.asCount(start, whole+fraction), den
}

// rest shortens the text that follows an error for its message.
func rest(text string) string {
	const most = 20
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "..."
}
