package assume

import (
	"fmt"
	"math"
	"time"
)

// scale is how magnitudes of a kind are measured: a ladder that is climbed to find the first one
// that breaks something, and how finely the space below it is searched.
type scale struct {
	ladder []int64
	// finest is the smallest magnitude that is told from nothing; 0 is a scale of steps, on which
	// there is nothing between two.
	finest int64
	text   func(int64) string
	// cycles are how often client 2 works; 0 leaves it as the scenario has it.
	cycles func(size int64) int
}

// Resolution is how far apart the smallest magnitude that broke something and the largest below it
// that did not may be, as a ratio.
const Resolution = 1.02

const ms = int64(time.Millisecond)

// spans are lengths of time. A section of client 2's takes five seconds on average.
var spans = &scale{
	ladder: []int64{1000 * ms, 3000 * ms, 10_000 * ms, 30_000 * ms, 120_000 * ms},
	finest: ms,
	text:   func(size int64) string { return time.Duration(size).String() },
	cycles: func(size int64) int {
		const usual, section = 16, 4000 * ms
		return max(usual, int(size/section)+6)
	},
}

// delays are those of single messages: most clients give up waiting after a few seconds.
var delays = &scale{
	ladder: []int64{10 * ms, 100 * ms, 300 * ms, 1000 * ms, 3000 * ms, 10_000 * ms},
	finest: ms, text: spans.text, cycles: func(int64) int { return 0 },
}

// rates are errors of rate, in millionths. A clock cannot run faster than twice its rate.
var rates = &scale{
	ladder: []int64{1_000, 10_000, 100_000, 300_000, 999_999},
	finest: 100,
	text:   func(size int64) string { return fmt.Sprintf("%dppm", size) },
	cycles: func(int64) int { return 0 },
}

// losses are what a crash takes, the least first.
var losses = &scale{
	ladder: []int64{0, 1, 2},
	text:   func(size int64) string { return [...]string{"memory", "unsynced", "disk"}[size] },
	cycles: func(int64) int { return 0 },
}

// between is a magnitude halfway between two by ratio, in whole units; false if they lie within
// the resolution.
func (s *scale) between(low, high int64) (int64, bool) {
	if s.finest == 0 {
		return 0, false
	}
	low = max(low, s.finest)
	if float64(high) <= Resolution*float64(low) {
		return 0, false
	}
	middle := int64(math.Sqrt(float64(low)*float64(high))) / s.finest * s.finest
	return middle, low < middle && middle < high
}
