package assume

import (
	"slices"
	"strings"

	"fencepost/checker"
)

// Documented is what a lock system's documentation asks of the world.
type Documented struct {
	Assumes []Phrase
	// admits are the kinds that the documentation says can break the lock, or says what to do
	// about, with spaces between.
	admits string
	// differs explains kinds that broke it unadmitted, or were admitted and did not break it.
	differs []Explained
}

// Phrase is an assumption in a few words, and where it is written.
type Phrase struct{ Text, Source string }

// Explained is why some kinds, named with spaces between, came out otherwise than documented.
type Explained struct{ Kinds, Why string }

// Of is what is documented of a lock; false if nothing is on record here, as of a user's own.
func Of(lock string) (Documented, bool) {
	d, ok := documented[lock]
	return d, ok
}

// Admits reports whether the documentation says that a kind can break the lock.
func (d *Documented) Admits(kind string) bool {
	return slices.Contains(strings.Fields(d.admits), kind)
}

// Differences are the explanations, each with those of its kinds that are among the rows.
func (d *Documented) Differences() []Explained { return d.differs }

// Explains returns why a kind came out otherwise than documented, empty if nothing says so.
func (d *Documented) Explains(kind string) string {
	for _, e := range d.differs {
		if slices.Contains(strings.Fields(e.Kinds), kind) {
			return e.Why
		}
	}
	return ""
}

// Broke reports whether a kind broke a promise or exclusion, or harmed the resource without a
// guard.
func (r *Row) Broke() bool {
	return slices.ContainsFunc(r.Findings, func(f Finding) bool {
		return f.Broken() && (f.Guard == Guards[0] || f.Property != checker.ResourceName)
	})
}
