package checker

import (
	"maps"
	"slices"
	"time"

	"fencepost/checker/monitor"
	"fencepost/sim"
	"fencepost/sim/history"
)

// FirstFinding is the first violation of a property, which decides the verdict, as far as a
// scenario can expect something of it.
type FirstFinding struct {
	Kind string
	// Lasts is the length of its window. One that is open lasts to the end of the run.
	Lasts time.Duration
	// Clients are those of its holds, from 1, the earlier hold first; Tokens are their tokens,
	// 0 for a hold without one. There are one or two.
	Clients []int
	Tokens  []int64
}

// First returns the first violation of a property in a run that has ended at an instant.
func (c *Checker) First(r *history.Recorder, property string, end sim.Time) (first FirstFinding, ok bool) {
	list := c.findingsOf(property)
	if len(list) == 0 {
		return FirstFinding{}, false
	}
	v := list[0]
	first = FirstFinding{Kind: v.Kind, Lasts: min(v.To, end).Sub(v.From)}
	e := gather(r).evidence(property, v)
	for _, h := range e.Holds {
		first.Clients = append(first.Clients, h.Client)
		first.Tokens = append(first.Tokens, h.Token)
	}
	if e.Tokens != nil { // which are those that were compared
		first.Tokens = []int64{e.Tokens.Before, e.Tokens.Token}
	}
	return first, true
}

// Rejected counts the requests that the guard rejected in a run.
func Rejected(r *history.Recorder) int { return (&facts{recorder: r}).rejections() }

// Stopped counts the sections of a run that ended before they were done, since their clients took
// the lock for lost.
func Stopped(r *history.Recorder) (n int) {
	for i := range r.Records {
		if rec := &r.Records[i]; rec.Kind == history.BeliefEnd && rec.Text == history.TakenForLost {
			n++
		}
	}
	return n
}

// Waited is how long one attempt to get the lock lasted at the longest, in a run that has ended at an
// instant: until its caller had the lock, gave up or crashed.
func Waited(r *history.Recorder, end sim.Time) (longest time.Duration) {
	type attempt struct {
		since    sim.Time
		executor history.Executor
	}
	open := map[history.HoldID]attempt{}
	over := func(hold history.HoldID, at sim.Time) {
		if a, ok := open[hold]; ok {
			longest = max(longest, at.Sub(a.since))
			delete(open, hold)
		}
	}
	for i := range r.Records {
		switch rec := &r.Records[i]; rec.Kind {
		case history.Attempt:
			open[rec.Hold] = attempt{rec.At, r.Hold(rec.Hold).Executor}
		case history.BeliefBegin, history.GiveUp:
			over(rec.Hold, rec.At)
		case history.Crash:
			for _, hold := range slices.Sorted(maps.Keys(open)) {
				if open[hold].executor == rec.Executor {
					over(hold, rec.At)
				}
			}
		}
	}
	for _, hold := range slices.Sorted(maps.Keys(open)) {
		over(hold, end)
	}
	return longest
}

func (c *Checker) findingsOf(property string) []monitor.Finding {
	switch property {
	case Grants:
		return c.Grants.Findings()
	case Exclusion:
		return c.Exclusion.Findings()
	case ResourceName:
		return c.Resource.Findings()
	case Progress:
		return c.Progress.Findings()
	case Tokens:
		return c.Tokens.Findings()
	}
	return nil
}
