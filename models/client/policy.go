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
)

// Checks are the accepted values.
var Checks = []string{string(CheckNever), string(CheckBeforeWrite), string(CheckEvery)}

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
	// Check is where it asks whether it still holds the lock.
	Check Check
	// Renew is how often the client asks its library to renew the lock while it holds
	// it; 0 is never. A library that cannot is not asked.
	Renew time.Duration
	// RequestTimeout bounds a request to the resource. When it passes, the outcome
	// is indefinite: the client gives the section up, releases and stops.
	RequestTimeout time.Duration
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
