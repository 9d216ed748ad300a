// Package live plays scenarios of the library with real servers and real client libraries, and compares what
// comes of it with the simulator.
//
// The program, the resource, the guard, the faults and the checkers are those of the simulator, whose world
// goes along with real time. Acquire, check, renew and release are calls of a real library, in a worker
// process of its own, which talks to real servers through a proxy for each of them. What befalls a simulated
// host befalls the real process: a pause stops it with SIGSTOP, a crash kills it, a step of its wall clock
// moves what it reads of the clock, and a link that is cut or slow is cut or slow at the proxy.
package live

import (
	"errors"
	"time"
)

// Options are those of [Run].
type Options struct {
	// Runs is how often each case is played, Parallel how many are at a time, and Seeds how many simulated
	// runs they are compared with.
	Runs, Parallel int
	Seeds          uint64
	// Histories is a directory for what was done with the lock; empty is none.
	Histories string
	// Late is how much later than in the simulator something may come about, on a machine that has other work.
	Late time.Duration
	// Only is a part of the names of the cases that are run; empty is all. Smoke leaves the few that are tried
	// with each change.
	Only  string
	Smoke bool
	// List says which cases there are, and plays none.
	List bool
	// Page is a file of which the table is written anew; empty is none.
	Page string
}

// ErrDiffers says that reality was not as the simulator has it.
var ErrDiffers = errors.New("reality differs")
