package clock

import (
	"cmp"
	"slices"
	"time"

	"fencepost/sim/rng"
)

// Spread is how far something may be off, with either sign and equal chance. The zero
// value is not at all.
type Spread struct {
	Size rng.Dist
	// Most bounds the size; what is drawn beyond it is cut to it. 0 is no bound.
	Most time.Duration
}

// draw draws from a spread, first the size and then the sign; nothing has no sign.
func (s Spread) draw(r *rng.Stream) time.Duration {
	size := s.Size.Sample(r)
	if s.Most > 0 {
		size = min(size, s.Most)
	}
	if size == 0 || r.Ratio(1, 2) {
		return size
	}
	return -size
}

// PresetInfo describes a clock taken from published data: what it is like at the start
// of a run, and what becomes of it.
type PresetInfo struct {
	Name string // "clock/" and the name
	// Source names the publication, its year and a public address.
	Source string
	// Condition says what was observed, on what, and how the model follows from it. It
	// starts with "published", "fit" or "choice", as in package rng.
	Condition string

	// Offset is how far the wall clock is off at the start.
	Offset Spread
	// Rate is what the clocks gain in a second, so that its nanoseconds are parts per
	// billion.
	Rate Spread
	// Wander is a change of the rate, away from what it was at the start, every so often.
	Wander Wander
	// Discipline is what a daemon does about it.
	Discipline Discipline
	// Leap is a leap second.
	Leap Leap
	// Bumps are steps of the wall clock that nothing announces.
	Bumps Bumps
}

// Wander is a slow change of the rate. Without Every there is none.
type Wander struct {
	Every time.Duration
	By    Spread // nanoseconds a second
}

// Leap is one inserted leap second.
type Leap struct {
	// At is when it happens, after the start of the run. A smear has its middle there.
	At rng.Dist
	// Smear is how long the second is spread over; 0 steps the clock back by all of it
	// at once. A smear has begun before the run, if it has to.
	Smear time.Duration
	// By is by how much the clock falls back. 0 is no leap second.
	By time.Duration
}

// Bumps are steps of a random size. Without an Every above zero there are none.
type Bumps struct {
	Every rng.Dist
	By    Spread
}

// Preset returns the preset of that name.
func Preset(name string) (PresetInfo, bool) {
	for _, p := range presetTable {
		if p.Name == name {
			return p, true
		}
	}
	return PresetInfo{}, false
}

// Presets returns all presets sorted by name, in a slice that the caller may change.
func Presets() []PresetInfo {
	all := slices.Clone(presetTable)
	slices.SortFunc(all, func(a, b PresetInfo) int { return cmp.Compare(a.Name, b.Name) })
	return all
}
