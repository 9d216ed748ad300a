package sweeps

import (
	"time"

	"fencepost/checker"
	"fencepost/checker/stats"
	"fencepost/scenarios"
	"fencepost/sim/fault"
)

// Count is how trials came out for one property.
type Count struct {
	Trials     int64 `json:"trials"`
	Violations int64 `json:"violations"`
	Unknown    int64 `json:"unknown"`
	// Harms counts each violation, where Violations counts the trials that had any.
	Harms int64 `json:"harms"`
}

// Tally is what some trials of a cell have counted. Tallies add up to the same in any order.
type Tally struct {
	// Counts are by property, in the order of checker.Properties.
	Counts []Count `json:"counts"`
	// Acquisitions and Held are how much the lock was used in all trials.
	Acquisitions int64         `json:"acquisitions"`
	Held         time.Duration `json:"held_ns"`
	// GaveUp counts attempts to acquire that ended without the lock.
	GaveUp int64 `json:"gave_up"`
	// Waited is how long acquisitions took, Recovered how long after the crash of a holder the next
	// one had the lock.
	Waited    stats.Latencies `json:"waited"`
	Recovered stats.Latencies `json:"recovered"`
	// Overlapped is for how long more than one client believed to hold the lock, in each trial; most
	// are 0.
	Overlapped stats.Latencies `json:"overlapped"`
	// Messages counts what clients and servers of the lock have sent each other, but for heartbeats
	// among servers, Fsyncs the fsyncs of the servers.
	Messages uint64 `json:"messages"`
	Fsyncs   uint64 `json:"fsyncs"`
	// Events counts the simulator's events.
	Events uint64 `json:"events"`
	// Ledger is that of all trials, added up.
	Ledger []fault.Entry `json:"ledger,omitempty"`
	// Coverage is what they covered.
	Coverage *scenarios.Coverage `json:"coverage"`
	estimates
}

func newTally(lock string, e Estimator) Tally {
	return Tally{Counts: make([]Count, len(checker.Properties)), Coverage: scenarios.NewCoverage(lock), estimates: newEstimates(e)}
}

// count counts what a trial has just come to.
func (y *Tally) count(t *scenarios.Trial, r *scenarios.Result) {
	y.Acquisitions += t.Checker.Usage.Acquisitions
	y.GaveUp += t.Checker.Usage.GaveUp
	y.Held += t.Checker.Usage.Held
	for _, d := range t.Checker.Usage.Waited {
		y.Waited.Add(d)
	}
	for _, d := range t.Checker.Usage.Recovered {
		y.Recovered.Add(d)
	}
	y.Overlapped.Add(t.Checker.Exclusion.Overlap)
	messages, fsyncs := t.Cost()
	y.Messages += messages
	y.Fsyncs += fsyncs
	y.Events += r.Events
	for i, property := range checker.Properties {
		switch r.Verdict.Of(property) {
		case checker.Violated:
			y.Counts[i].Violations++
		case checker.Unknown:
			y.Counts[i].Unknown++
		case checker.NotApplicable:
			continue
		}
		y.Counts[i].Trials++
		y.Counts[i].Harms += t.Checker.Harms(&r.Verdict, property)
	}
	y.enter(t.Ledger())
	y.weigh(t, r)
}

// Add adds another tally of the same cell.
func (y *Tally) Add(o *Tally) {
	for i, c := range o.Counts {
		sum := &y.Counts[i]
		sum.Trials += c.Trials
		sum.Violations += c.Violations
		sum.Unknown += c.Unknown
		sum.Harms += c.Harms
	}
	y.Acquisitions += o.Acquisitions
	y.Held += o.Held
	y.GaveUp += o.GaveUp
	y.Waited.Merge(&o.Waited)
	y.Recovered.Merge(&o.Recovered)
	y.Overlapped.Merge(&o.Overlapped)
	y.Messages += o.Messages
	y.Fsyncs += o.Fsyncs
	y.Events += o.Events
	y.enter(o.Ledger)
	y.Coverage.Add(o.Coverage)
	y.add(&o.estimates)
}

// enter adds up a ledger.
func (y *Tally) enter(ledger []fault.Entry) {
	for i, e := range ledger {
		if i == len(y.Ledger) {
			y.Ledger = append(y.Ledger, fault.Entry{Label: e.Label, Layer: e.Layer})
		}
		sum := &y.Ledger[i]
		sum.Fired += e.Fired
		sum.TookEffect += e.TookEffect
		sum.TouchedHolder += e.TouchedHolder
	}
}
