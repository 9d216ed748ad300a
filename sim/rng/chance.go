package rng

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Chance is a probability as a ratio of whole numbers, Num out of Den, so that no float
// decides anything. The zero value is never.
type Chance struct{ Num, Den int64 }

// Sample draws whether it happens. A certain answer, 0 or 1, makes no draw.
func (c Chance) Sample(s *Stream) bool { return !c.Never() && s.Ratio(c.Num, c.Den) }

// Never reports whether the chance is nil.
func (c Chance) Never() bool { return c.Num == 0 }

// ParseChance reads a percentage such as 0.1%, a fraction such as 1/1000 or a decimal
// such as 0.001, exactly. The result is a reduced fraction.
func ParseChance(text string) (Chance, error) {
	c, err := parseChance(strings.TrimSpace(text))
	if err != nil {
		return Chance{}, fmt.Errorf("rng: chance %q: %w; accepted forms: 0.1%%, 1/1000, 0.001", text, err)
	}
	return c, nil
}

func parseChance(text string) (Chance, error) {
	number, percent := strings.CutSuffix(text, "%")
	p := &parser{text: number}
	num, den := p.ratio()
	if bad, ok := errors.AsType[*ParseError](p.err); ok {
		return Chance{}, errors.New(bad.Problem)
	}
	if p.at < len(number) {
		return Chance{}, fmt.Errorf("unexpected %q", rest(number[p.at:]))
	}
	if percent {
		if den > math.MaxInt64/100 {
			return Chance{}, errors.New("more than 16 decimals in a percentage")
		}
		den *= 100
	}
	switch {
	case num > den:
		return Chance{}, errors.New("it is above 100%")
	case num == 0:
		return Chance{}, nil
	}
	g := gcd(num, den)
	return Chance{num / g, den / g}, nil
}

// String returns the canonical text: a percentage if that is exact with at most six
// decimals, else a fraction. [ParseChance] reads it back.
func (c Chance) String() string {
	if c.Never() {
		return "0%"
	}
	const decimals = 1_000_000
	g := gcd(c.Num, c.Den)
	num, den := c.Num/g, c.Den/g
	if den > 100*decimals || 100*decimals%den != 0 {
		return ratioText(num, den)
	}
	share := num * (100 * decimals / den) // in millionths of a percent
	text := strconv.FormatInt(share/decimals, 10)
	if part := share % decimals; part > 0 {
		text += "." + strings.TrimRight(fmt.Sprintf("%06d", part), "0")
	}
	return text + "%"
}
