// Package live plays scenarios with real servers and real clients, in processes that are stopped with
// SIGSTOP, and compares what comes of it with the simulator.
package live

import (
	"errors"
	"time"
)

// Options are those of [Run].
type Options struct {
	Runs      int
	Seeds     uint64
	Histories string
	// Late is how much later than in the simulator the second client may get in, on a machine that has
	// other work.
	Late time.Duration
	// Only is a part of the names of the cases that are run; empty is all.
	Only string
}

// ErrDiffers says that reality was not as the simulator has it.
var ErrDiffers = errors.New("reality differs")
