package redis

import (
	"errors"
	"time"

	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
)

// Service is what clients talk to: one server, or whichever server is the master.
type Service interface {
	// Call sends a command of a client's and waits for the reply. A command that the server
	// refused to run is an [ErrRefused].
	Call(p *host.Process, client int, b network.Body, timeout time.Duration) (network.Message, error)
	// Send sends a command and does not wait.
	Send(p *host.Process, client int, b network.Body)
	// Confirm reports whether a lock that a server has just granted is good enough.
	Confirm(p *host.Process, client int, hold history.HoldID) bool
	// Promises reports whether the lock is known to be set under a value. It is for the
	// record; no client asks it.
	Promises(value int64) bool
}

var (
	// ErrRefused is the error of a command that was surely not run.
	ErrRefused = errors.New("refused by the server")
	// ErrNotAgain is the error of a command that the library does not send again.
	ErrNotAgain = errors.New("the library gives up")
	// errInterrupted is Java's InterruptedException.
	errInterrupted = errors.New("interrupted")
	// errNotConfirmed is that of a lock that was granted and is not good enough.
	errNotConfirmed = errors.New("not confirmed by the service")
)
