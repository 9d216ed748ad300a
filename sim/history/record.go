package history

import (
	"time"

	"fencepost/sim"
)

// HoldID names one hold of the lock: one attempt to acquire it that may succeed. A
// client that acquires twice has two holds. Zero is no hold.
type HoldID int32

// Executor is a thread of one process incarnation, the thing that believes. Two
// executors may share an owner name or a session and are still two holders.
type Executor int32

// MaxClients bounds the clients of a run.
const MaxClients = 64

// ExecutorOf names the thread of a client, by index, in one of its lives: a client that
// starts anew after a crash is another executor.
func ExecutorOf(client, life int) Executor { return Executor(life*MaxClients + client + 1) }

// Client returns the index of the client whose thread it is.
func (e Executor) Client() int { return int(e-1) % MaxClients }

// NoLine is the index of a fault that has no line in the ledger.
const NoLine = -1

// Clients is a set of clients, by index.
type Clients uint64

// Add adds a client.
func (c *Clients) Add(client int) { *c |= 1 << client }

// Has reports whether a client is in the set.
func (c Clients) Has(client int) bool { return c>>client&1 == 1 }

// Parties are those that a fault may strike besides clients.
type Parties uint8

const (
	// Service: one of the lock's servers, or links of one.
	Service Parties = 1 << iota
	// MostServers: more than half of the lock's servers, so that it has none to spare.
	MostServers
	// Protected: the host of what the lock protects, or links between it and clients.
	Protected
)

// ResourceHost is the name of the host of what the lock protects.
const ResourceHost = "resource"

// Kind says what a record tells.
type Kind uint8

const (
	// Attempt: an executor called acquire; Hold is the hold it may get.
	Attempt Kind = iota + 1
	// GiveUp: acquire returned without the lock, or the executor stopped trying.
	GiveUp
	// Grant: the service (or the library's protocol with it) let the hold in.
	// Until is the end of the promise in true time, Token the fencing token or 0.
	Grant
	// Promise: the service renewed its promise to the hold, up to Until.
	Promise
	// ServiceEnd: the service no longer holds the lock for this hold; Text says why.
	ServiceEnd
	// Refuse: the library refused what the service had granted; Text says why.
	Refuse
	// BeliefBegin: acquire returned success to the executor.
	BeliefBegin
	// BeliefEnd: the executor stopped believing; Text says why, if its section was
	// not finished.
	BeliefEnd
	// Check: the executor asked its library whether it still holds the lock; Text is
	// "passed" or "failed".
	Check
	// ReleaseBegin: the executor began to release the hold.
	ReleaseBegin
	// ReleaseEnd: the release call came back.
	ReleaseEnd
	// Request: the executor sent a protected request; Effect says which.
	Request
	// Read: the resource served a read of the hold; Value is what it returned: which write the
	// object's content comes from.
	Read
	// Write: the resource applied a write of the hold. Value is what was written,
	// Base the value that it replaced.
	Write
	// Reject: the guard refused a request of the hold; Effect says which.
	Reject
	// Crash: the incarnation that ran the executor is gone.
	Crash
	// Pause: the executor's host stops until Until.
	Pause
	// Restart: the host of an executor that has crashed runs again; the executor is the
	// one that starts there now.
	Restart
	// Fault: an entry of the fault ledger fired; Value is its index, Fault its kind,
	// Host where it struck, Struck which clients it reaches, Parties whom else, Apart which
	// clients it parts from most of the lock's servers, Text names it. Base is by how much a
	// clock is moved, in nanoseconds, or runs faster, in parts per billion; Effect is that of the
	// requests of which it holds one, [AnyEffect] if it holds any message. What befell a host
	// without a plan, such as a step of its clock by its own daemon, has [NoLine].
	Fault
	// Note: a model tells something worth knowing when causes are named.
	Note
	// Mark: the resource took the token of the hold, to compare later requests with.
	Mark
	// Perform: the resource began what no check of its data calls back, such as a payment, for
	// the hold. Content is the number of the job that it does, Until when it is over.
	Perform
	// Removal: somebody who is no client took a record of the lock from a server, at the order of
	// a [Fault]: Hold is whose it was, if anybody's, Value and Text are those of the fault, Base is
	// its sequence number. A lock on several servers may go on with the records that are left.
	Removal
)

var kindNames = [...]string{"", "attempt", "give-up", "grant", "promise", "service-end", "refuse", "belief-begin", "belief-end",
	"check", "release-begin", "release-end", "request", "read", "write", "reject", "crash", "pause", "restart", "fault", "note", "mark", "perform", "removal"}

// String returns the word for the kind.
func (k Kind) String() string { return kindNames[k] }

// Effect is what a protected request does to the resource.
type Effect uint8

const (
	NoEffect Effect = iota
	ReadEffect
	WriteEffect
	// MarkEffect is a token that a holder leaves at the resource before it works.
	MarkEffect
	// OutsideEffect is one that is not among the data of the resource, such as a payment.
	OutsideEffect
	// AnyEffect is that of any request.
	AnyEffect
)

// String returns the word for the effect.
func (e Effect) String() string {
	return [...]string{"", "read", "write", "mark", "effect", "any"}[e]
}

// MaxObjects bounds the objects that one lock protects.
const MaxObjects = 8

// Change is what a write makes of an object.
type Change uint8

const (
	// Replaces: the object holds what was written, and no more what it held.
	Replaces Change = iota
	// Counts: the object holds a number, one above what the writer has read.
	Counts
	// Appends: what was written stands behind what the object held.
	Appends
	// Refers: a reference to the object is made, and the object with it, should it be gone as
	// far as the writer has read.
	Refers
	// Deletes: the object is gone.
	Deletes
	// Completes: the object holds the number of the job that was done last.
	Completes
)

// Contents of an object that can be deleted, and that others refer to.
const (
	Gone = iota
	Unreferenced
	Referenced
)

// Record is one thing that happened. Fields that a kind does not use are zero.
type Record struct {
	Sequence uint64
	At       sim.Time      // true time
	Local    time.Duration // the actor's monotonic clock, where it has one
	Kind     Kind
	Effect   Effect
	Change   Change // what a write does, and of a read, what writes do there
	Object   uint8  // which of the objects that the lock protects, from 0
	Hold     HoldID
	Executor Executor
	Token    int64    // fencing token; 0 is none
	Until    sim.Time // end of a promise, of a fault's window
	Value    int64    // value read or written, or line of a fault in the ledger, [NoLine] if none
	Base     int64    // value that a write replaced
	Content  int64    // what the object holds after it, where that is more than its value
	Fault    string   // kind of a fault
	Host     string   // where a fault struck
	Struck   Clients  // whom it reaches
	Apart    Clients  // whom it parts from the lock's servers
	Parties  Parties  // whom else a fault strikes
	Ahead    bool     // it makes a clock read more than it would
	Text     string
}

// NotHolder is why a resource rejected a request whose token it has asked the service about: the
// text of a Reject.
const NotHolder = "the service does not know its token as the holder's"

// Why a resource rejected a request of which it compared something else than whether its token is
// lower: the text of a Reject. The numbers are the status codes of HTTP.
const (
	VersionDiffers = "the data have another version than the one that it read (412)"
	Conflict       = "another write took effect while it was being applied (409)"
	TokenReplaced  = "another holder has set the token since"
	TokenForgotten = "the resource no longer knows its token"
)

// Why the service ended a hold: texts of a ServiceEnd that name a cause.
const (
	Expired = "expired"
	// TakenOver: the client that is let in next has judged, by its own clock, that the lease
	// was over.
	TakenOver = "expired, as its successor saw it"
	// Lost: a server has come back without it.
	Lost = "lost"
	// LostInFailover: a server that took over did not have it.
	LostInFailover = "lost in a failover"
	// LostInMerge: two sides of a split have become one, and the other side's state is kept.
	LostInMerge = "lost: merged into the larger side"
	// Unhealthy: the service took the holder's node for dead.
	Unhealthy = "health check failed"
)

// What the text of a Note contains that tells why a promise is worth nothing.
const (
	// StaleLeader: a server has acted that led no more, and did not know.
	StaleLeader = "stale leader"
	// SplitSides: two sides of a split both let others have the lock.
	SplitSides = "split"
	// DatedBack: the lease counts from before it was granted, by the Base of the Note.
	DatedBack = "the lease counts from"
)

// TakenForLost is why a belief ended before the section was done: the executor has been told that
// the lock is lost, or its deadline has passed. It is the text of a BeliefEnd.
const TakenForLost = "its check failed"

// ForeignRelease is why the service ended a hold that was released by a client that did not
// have the lock: the text of a ServiceEnd.
const ForeignRelease = "released by another client"

// Removed is why the service ended a hold whose record an operator, a reaper or an eviction took
// away: the text of a ServiceEnd, which follows the [Removal].
const Removed = "removed by a third party"

// Suspended is why a belief ended that may go on: the library blocks its caller while it does
// not know whether it still holds the lock. Resumed is the text of the BeliefBegin with which
// the belief in the same hold goes on.
const (
	Suspended = "its library does not know whether it still has the lock"
	Resumed   = "its library knows that it still has the lock"
)
