// Package models defines what a lock system is to fencepost: how it describes
// itself, how its servers are built in a world, and what its client library does.
//
// One folder below holds one lock system. A server is a handler on a host
// ([host.Server]); a client library is sequential code on a [host.Process], so that
// Acquire and Release read like the library they follow. Models report what happened
// to a [history.Recorder] and never read it.
package models

import (
	"errors"
	"time"

	"fencepost/sim/history"
	"fencepost/sim/host"
)

// ErrNotAcquired is what Acquire returns when the library gives up. Where a program can tell from what the library
// returns that it was not because the lock is another's, it is wrapped together with another error.
var ErrNotAcquired = errors.New("lock not acquired")

// ErrNotHeld is what Release and Renew return when the service or the library says that the
// lock was not, or no longer, this client's. Silence is another error.
var ErrNotHeld = errors.New("lock not held")

// Lock is a lock system. Its methods have no side effects but on what they build.
type Lock interface {
	Describe() Description
	// Build makes the servers of the system in the world of e. It is called once
	// for many trials.
	Build(e *Env) System
}

// System is a lock system that stands in a world.
type System interface {
	// Reset brings servers and clients to their state at time zero of a trial. The
	// fleet has been reset before, and Env.Seed is that of the new trial.
	Reset()
	// Locker returns the library of the client with an index as a process has it that
	// has just started: its memory is empty, also if an earlier process of the client
	// crashed. Values that it draws go on, so that none repeats.
	Locker(client int) Locker
}

// Locker is the client library in one client. It holds at most one lock at a time.
type Locker interface {
	// Acquire blocks until the lock is held or the library gives up. The hold is
	// the name under which the record knows this attempt.
	Acquire(p *host.Process, hold history.HoldID) (Grant, error)
	// Valid is the library's own answer to "do I still hold it?", from what the client
	// knows, or, if the library asks its servers, from what they say. A library that has no
	// such answer says true.
	Valid(p *host.Process) bool
	// Release gives the lock back. The error is what the library would return. It may be
	// called when nothing was acquired, as by a clean-up block.
	Release(p *host.Process) error
}

// Renewer is a Locker whose library prolongs a hold when the program asks it to. A library
// that renews by itself is none.
type Renewer interface {
	// Renew asks the service to promise the lock for its whole TTL anew, from now on. It
	// is called by another process of the client's than the one that holds. The error is
	// what the library would return: [ErrNotHeld] if the lock is lost, another one if there
	// was no answer, so that the renewal may have been applied or not.
	Renew(p *host.Process) error
}

// Suspender is a Locker whose library blocks its callers for as long as it does not know
// whether the lock is still held. Who is blocked does not act, and believes nothing.
type Suspender interface {
	Locker
	// InDoubt reports whether a call would block now.
	InDoubt(p *host.Process) bool
	// Settle blocks until the library knows; then Valid tells.
	Settle(p *host.Process)
}

// TokenChecker is a System whose service tells whoever asks whether a token is that of the
// lock's holder, as a resource may ask before it serves a request.
type TokenChecker interface {
	// CheckToken asks on behalf of a hold, and blocks until there is an answer.
	CheckToken(p *host.Process, hold history.HoldID, token int64) (valid bool)
}

// Grant is what a successful acquire returns to the client.
type Grant struct {
	// Token is the fencing token, 0 if the system has none.
	Token int64
}

// Description is what a lock system says of itself; it is what `list locks` prints
// and what scenarios are checked against.
type Description struct {
	Name    string
	Summary string
	Sources []string
	// Promise says where the service's promise starts and how long it is, Granted
	// at which instant a hold is let in.
	Promise string
	Granted string
	// Token says where the fencing token comes from; empty means there is none.
	Token string
	// TokenWith says for which parameters there is one, if Token says where from; nil is
	// for all.
	TokenWith When
	// Asked says how a resource can ask the service about a token; the system is a
	// [TokenChecker] then.
	Asked string
	// Removal says how somebody who is no client removes the record of the lock; the system is a
	// [Remover] then. NoRemoval says why nobody can.
	Removal, NoRemoval string
	// ServiceClock is the clock of the servers that ends a lease: "wall", "monotonic" or, for
	// a system without a service clock, empty.
	ServiceClock string
	// LeaseClock says in words whose clock ends a lease, where it is not a server's.
	LeaseClock string
	// Durable says that what the service has promised survives a crash of its servers.
	Durable When
	// Renews says that the library renews by itself what a client holds, by whatever name: a
	// watchdog, heartbeats, the life of a session.
	Renews When
	// Disk says that servers have disks that make a difference.
	Disk When
	// Notice says how a holder learns that it has lost the lock.
	Notice string
	// Check is where the documented example of the library asks whether the lock is still
	// held: a word of the client's policy, empty if it never asks.
	Check string
	// Role names the servers, Servers is how many there are by default; a system
	// inside the clients' process has none.
	Role    string
	Servers int
	// Leader says that the servers elect a leader: the system is [Elected].
	Leader bool
	// OneProcess puts all clients as threads into one process on one host.
	OneProcess bool
	// Params are the parameters that a scenario may set.
	Params []Param
	// Validate says why parameters make no sense together, naming them and what would;
	// nil accepts all.
	Validate func(p Params) error
	// Steps are the named points of the library's own code.
	Steps []Step
	// Takeover is the longest time from a holder that falls silent to the next
	// grant, as the parameters have it.
	Takeover func(p Params) time.Duration
}

// TokenAsked is the [Description.TokenWith] of a system with a parameter token of which the
// first word is none.
func TokenAsked(p Params) bool { return p.Choice("token") > 0 }

// HasToken reports whether holds have a fencing token under these parameters.
func (d *Description) HasToken(p Params) bool {
	return d.Token != "" && (d.TokenWith == nil || d.TokenWith(p))
}

// When says for which parameters something holds; nil is for none.
type When func(p Params) bool

// Always holds for all parameters.
func Always(Params) bool { return true }

// With reports whether it holds for some parameters.
func (w When) With(p Params) bool { return w != nil && w(p) }

// Step is a named point of client code at which a fault can be placed.
type Step struct {
	Name string
	Doc  string
}

// StepsOfAcquire are the steps that every library has.
var StepsOfAcquire = []Step{
	{"acquire.send", "an attempt begins: nothing has been sent"},
	{"acquire.reply", "every reply of the attempt is in, none has been evaluated"},
	{"release.send", "release was called: nothing has been sent"},
	{"release.reply", "the replies to the release are in"},
}

// StepsOfRenewal are the steps of a library that is a [Renewer].
var StepsOfRenewal = []Step{
	{"renew.send", "a renewal begins: nothing has been sent"},
	{"renew.reply", "every reply to the renewal is in, none has been evaluated"},
}

// Elected is a system whose servers have a leader; faults can be aimed at it.
type Elected interface {
	// Leader returns the index of the server that leads now, and false if none does.
	Leader() (server int, ok bool)
}
