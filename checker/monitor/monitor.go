// Package monitor judges a run while it happens. Each monitor is one property, sees
// every record once and does a bounded amount of work for it, so that a trial pays
// little for being judged.
//
// True time judges: monitors read the instants at which things happened, never the
// clocks of the hosts.
package monitor

import (
	"fencepost/sim"
	"fencepost/sim/history"
)

// MaxFindings bounds how many violations of one property are kept as evidence. The
// first one decides the verdict.
const MaxFindings = 8

// Finding is one violation, in the terms of the record.
type Finding struct {
	// Kind names the violation within its property: "lost-update", "overlap".
	Kind string
	// At is the instant at which it was complete.
	At sim.Time
	// First and Second are the two holds, the earlier one first; Second is zero
	// where only one is concerned.
	First, Second history.HoldID
	// From and To are the window in which it lasted, if it has one. An open
	// window ends at [sim.Forever].
	From, To sim.Time
	// FirstActed and SecondActed say whether the holds sent a protected request
	// in the window.
	FirstActed, SecondActed bool
	// Values are the values that a resource finding speaks of: what the later
	// write replaced, what its own read had seen, what it wrote.
	Replaced, Seen, Written int64
	// Object is which of the objects that the lock protects a resource finding speaks of.
	Object int
	// Change is what the request did that completed a resource finding.
	Change history.Change
	// Job is the job that was done twice; 0 if two were done at one time, or it was none.
	Job int64
	// Newest is the value that a stale read, which has Seen another, ought to have seen.
	Newest int64
	// FirstToken and SecondToken are the tokens that a finding about tokens compares.
	FirstToken, SecondToken int64
	// Passed is how often a hold was passed over.
	Passed int
}

// findings is a bounded list.
type findings struct {
	list  []Finding
	total int
}

func (f *findings) reset() { f.list, f.total = f.list[:0], 0 }

// add keeps a finding if there is room, and returns it for later completion.
func (f *findings) add(v Finding) *Finding {
	f.total++
	if len(f.list) == MaxFindings {
		return nil
	}
	if f.list == nil {
		f.list = make([]Finding, 0, MaxFindings)
	}
	f.list = append(f.list, v)
	return &f.list[len(f.list)-1]
}

// Findings returns what was kept, in order.
func (f *findings) Findings() []Finding { return f.list }

// Total returns how many violations there were, kept or not.
func (f *findings) Total() int { return f.total }

// Violated reports whether there was a violation.
func (f *findings) Violated() bool { return f.total > 0 }
