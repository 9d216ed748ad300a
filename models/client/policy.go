package client

import (
	"time"

	"fencepost/models"
	"fencepost/sim/rng"
)

// Check says where a client asks its library whether it still holds the lock.
type Check string

const (
	// CheckNever: the client never asks.
	CheckNever Check = "never"
	// CheckBeforeWrite: it asks once, right before it sends the write.
	CheckBeforeWrite Check = "before-write"
	// CheckEvery: it asks before every protected request.
	CheckEvery Check = "every"
	// CheckTimer: it asks before every protected request, and again and again while it
	// works: a program that is told of the loss of its lock, as by a channel or a context.
	CheckTimer Check = "timer"
)

// Checks are the accepted values.
var Checks = []string{string(CheckNever), string(CheckBeforeWrite), string(CheckEvery), string(CheckTimer)}

// OnLoss says what a client does when its check fails.
type OnLoss string

const (
	// StopOnLoss: it stops its section and releases.
	StopOnLoss OnLoss = "stop"
	// IgnoreLoss: it goes on.
	IgnoreLoss OnLoss = "ignore"
)

// OnLosses are the accepted values.
var OnLosses = []string{string(StopOnLoss), string(IgnoreLoss)}

// OnError says what a renewal loop does when a renewal was not answered.
type OnError string

const (
	// RenewOn: it tries again at the next turn.
	RenewOn OnError = "go-on"
	// QuitRenewing: it ends, and nobody renews the hold any more.
	QuitRenewing OnError = "quit"
)

// OnErrors are the accepted values, of what a loop does at a loss as well.
var OnErrors = []string{string(RenewOn), string(QuitRenewing)}

// Workload is what a client does.
type Workload struct {
	// Start is when the client starts, in true time since the run began.
	Start time.Duration
	// Cycles is how often it acquires, works and releases.
	Cycles int
	// Think is the time between two cycles.
	Think rng.Dist
	// BeforeRead, Between and AfterWrite are the three stretches of work in the
	// critical section. A pause inside one makes it end later by the pause's length.
	BeforeRead, Between, AfterWrite rng.Dist
	// Check is where it asks whether it still holds the lock; empty is as the documented
	// example of the lock's library does.
	Check Check
	// CheckPeriod is how often it looks up from its work with [CheckTimer].
	CheckPeriod time.Duration
	// OnLoss is what it does when it hears that the lock is lost.
	OnLoss OnLoss
	// StopLatency is how long it goes on after it has noticed a loss: the time of an orderly
	// shutdown, in which it still sends what it is about to send.
	StopLatency rng.Dist
	// Renew is how often the client asks its library to renew the lock while it holds
	// it; 0 is never. A library that cannot is not asked.
	Renew time.Duration
	// RenewLate is by how much each renewal is late.
	RenewLate rng.Dist
	// RenewTimes is after how many renewals of a hold the loop stops; 0 is never.
	RenewTimes int
	// RenewOnError is what the loop does when a renewal fails without an answer.
	RenewOnError OnError
	// RenewOnLoss is what it does when the library says that the lock is lost; empty is
	// [QuitRenewing].
	RenewOnLoss OnError
	// ReleaseDelay is from the end of the section to the release.
	ReleaseDelay rng.Dist
	// ReleaseAttempts is how often it tries to release, should there be no answer.
	ReleaseAttempts int
	// UnownedRelease: it releases also what it did not acquire, as code does whose release
	// stands in a clean-up block that covers the acquire.
	UnownedRelease bool
	// RequestTimeout bounds a request to the resource. When it passes, the outcome
	// is indefinite: the client gives the section up, releases and stops.
	RequestTimeout time.Duration
	// RequestAttempts is how often the client sends a request, should there be no answer; 0 is once.
	RequestAttempts int
	// Prunes: of what is read and written, it deletes what nobody refers to, where others make
	// references ([resource.References]).
	Prunes bool
}

// Steps are the named points of the client's own code, in the order in which a cycle
// passes them.
var Steps = []models.Step{
	{Name: "start", Doc: "the client starts a cycle"},
	{Name: "acquired", Doc: "acquire has returned success: the client believes that it holds the lock"},
	{Name: "read.send", Doc: "the read is about to be sent"},
	{Name: "read.reply", Doc: "the reply to the read is in"},
	{Name: "check", Doc: "the client is about to ask its library whether it still holds the lock"},
	{Name: "write.send", Doc: "every check has been passed: the write is about to be sent"},
	{Name: "write.sent", Doc: "the write has been sent, no reply is in"},
	{Name: "write.reply", Doc: "the reply to the write is in"},
}

// MarkSteps are those that a client passes between "acquired" and "read.send" if the guard of
// the resource wants a mark.
var MarkSteps = []models.Step{
	{Name: "mark.send", Doc: "the mark is about to be sent"},
	{Name: "mark.reply", Doc: "the reply to the mark is in"},
}

// EffectSteps are those that a client passes beside its write if it has an effect outside of the
// data.
var EffectSteps = []models.Step{
	{Name: "effect.send", Doc: "the request for the effect is about to be sent"},
	{Name: "effect.reply", Doc: "the reply to that request is in: the effect has begun"},
}
