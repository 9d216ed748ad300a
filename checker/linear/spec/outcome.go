package spec

import (
	"fmt"
	"math"
)

// Never is the Return of an operation that did not return, or whose outcome is not known
// and which may thus take effect at any later time.
const Never = math.MaxInt64

// Outcome is what the caller of an operation learned about it.
type Outcome uint8

const (
	// OK: it took effect.
	OK Outcome = iota
	// Failed: it did not take effect, and the answer says that its condition was not
	// met: somebody holds the lock, the caller does not hold it, the ETag is another.
	// Leave out operations that failed for any other reason.
	Failed
	// Unknown: it may have taken effect, or may still do so. Its Return is [Never].
	Unknown
)

// String returns the word for the outcome.
func (o Outcome) String() string {
	if words := [...]string{"ok", "failed", "unknown"}; int(o) < len(words) {
		return words[o]
	}
	return fmt.Sprintf("Outcome(%d)", uint8(o))
}

// settle judges an operation by its outcome: whether it was possible is what the state
// says, and after is the state that it leads to.
func settle[S any](o Outcome, possible bool, before, after S) (bool, S) {
	switch {
	case o == OK:
		return possible, after
	case o == Failed:
		return !possible, before
	case possible:
		return true, after
	}
	return true, before
}
