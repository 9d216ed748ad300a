// Package external reads histories that other programs recorded: JSON lines, whose format
// docs/check.md describes, and the histories of Jepsen. It knows how operations are written
// down, and nothing of what they mean: package checker/linear/recorded judges them.
//
// Nothing is left out silently. What a reader does not understand is an [*Error] with the
// file and the line; what it leaves out on purpose is counted in the [History].
package external

import (
	"fmt"
	"math"
)

// Never is the Return of an operation of which it is not known that it ended.
const Never = math.MaxInt64

// Outcome is what the caller of an operation learned about it.
type Outcome uint8

const (
	// OK: it took effect.
	OK Outcome = iota
	// Fail: it had no effect.
	Fail
	// Info: nobody knows whether it took effect, or will.
	Info
)

var outcomes = []string{"ok", "fail", "info"}

// String returns the word for the outcome.
func (o Outcome) String() string {
	if int(o) < len(outcomes) {
		return outcomes[o]
	}
	return fmt.Sprintf("Outcome(%d)", uint8(o))
}

// Operation is one operation of a history. What a field means depends on the operation; ""
// and 0 stand for what was not recorded.
type Operation struct {
	Line int // on which its call stands, from 1
	End  int // on which its return stands; 0 if it has none

	Process string // who called, one operation at a time
	Owner   string // whom the lock takes for the holder
	Op      string
	Key     string // which lock or value, if there are several

	Value    string // JSON: what is written, or what a read saw
	Expected string // JSON: what a compare-and-set compares with
	Result   string // JSON: what an addition or an append answered
	Token    int64
	Permits  int
	IfMatch  string
	IfAbsent bool
	ETag     string

	Outcome Outcome
	// Call and Return say which operation had ended before which began: nanoseconds on one
	// clock, or places in the history, as History.Clock says. Return is Never if the
	// outcome is Info.
	Call, Return int64
}

// Header is what a history may say about itself.
type Header struct {
	Line    int // on which it stands; 0 if the history has none
	Model   string
	Limit   int    // how often a holder may hold
	Permits int    // of a semaphore
	TTL     int64  // of a lease, in nanoseconds
	Initial string // JSON: the value of a register before the first write
}

// Clock is what the times of a history are.
type Clock uint8

const (
	// Nanoseconds on one clock.
	Nanoseconds Clock = iota
	// Positions in the history, from 0.
	Positions
)

// History is a history as it was recorded, in the order of the calls' lines.
type History struct {
	File       string
	Format     Format
	Clock      Clock
	Header     Header
	Operations []Operation
	// Others counts events that are of no client, such as those of Jepsen's nemesis.
	Others int
	// Guessed are processes of which the history does not tell which client they are.
	Guessed []string
}

// Error says what is wrong where.
type Error struct {
	File string
	Line int
	Text string
}

func (e *Error) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Text) }

// Errorf returns an error about a line of the history.
func (h *History) Errorf(line int, format string, args ...any) error {
	return &Error{h.File, line, fmt.Errorf(format, args...).Error()}
}
