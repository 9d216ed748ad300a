package scenarios

import (
	"math"
	"strconv"
	"strings"

	"fencepost/sim/fault"
	"fencepost/sim/rng"
)

// shift reads how far a clock moves: a signed distribution, with ± for a drawn sign, or
// the length of the fault itself.
func (r *reader) shift(s *scalar) fault.Shift {
	if !s.set() {
		return fault.Shift{}
	}
	text, b := r.text(s), fault.Shift{Sign: 1}
	for _, p := range []struct {
		prefix string
		sign   int
	}{{"±", 0}, {"+-", 0}, {"-", -1}, {"+", 1}} {
		if rest, ok := strings.CutPrefix(text, p.prefix); ok {
			text, b.Sign = rest, p.sign
			break
		}
	}
	if text == "for" {
		b.Whole = true
		return b
	}
	amount, err := rng.Parse(text)
	if err != nil {
		r.fail(s, "%q is not a shift of a clock: write a duration or a distribution, with - or ± before it if it is not forward, such as -5s or ±uniform(1ms, 2s), or the word for", r.text(s))
	}
	b.Amount = amount
	return b
}

// chance reads a probability.
func (r *reader) chance(s *scalar) rng.Chance {
	if !s.set() {
		return rng.Chance{}
	}
	c, err := rng.ParseChance(r.text(s))
	if err != nil {
		r.fail(s, "%s", strings.TrimPrefix(err.Error(), "rng: "))
	}
	return c
}

// flag reads true or false.
func (r *reader) flag(s *scalar, def bool) bool {
	if !s.set() {
		return def
	}
	return r.word(s, "false", []string{"true", "false"}) == "true"
}

// bandwidths are units, in bytes a second.
var bandwidths = []struct {
	unit  string
	bytes float64
}{
	{"kbit/s", 125}, {"Mbit/s", 125e3}, {"Gbit/s", 125e6}, {"kB/s", 1e3}, {"MB/s", 1e6}, {"B/s", 1},
}

// bandwidth reads what a link carries, in bytes a second.
func (r *reader) bandwidth(s *scalar) int64 {
	if !s.set() {
		return 0
	}
	text := r.text(s)
	for _, b := range bandwidths {
		number, ok := strings.CutSuffix(text, b.unit)
		if !ok {
			continue
		}
		n, err := strconv.ParseFloat(number, 64)
		if bytes := n * b.bytes; err == nil && bytes >= 1 && bytes <= 1e12 && !math.IsNaN(n) {
			return int64(bytes)
		}
		break
	}
	r.fail(s, "%q is not a bandwidth: write a number from 1 B/s to 1 TB/s and a unit, such as 10Mbit/s, 500kB/s or 64B/s", text)
	return 0
}
