// Package live plays scenarios with real servers and real clients, in processes that are stopped with
// SIGSTOP, and compares what comes of it with the simulator.
package live

import "errors"

// Options are those of [Run].
type Options struct {
	Runs      int
	Seeds     uint64
	Histories string
	// Only is a part of the names of the cases that are run; empty is all.
	Only string
}

// ErrDiffers says that reality was not as the simulator has it.
var ErrDiffers = errors.New("reality differs")
