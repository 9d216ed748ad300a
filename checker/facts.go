package checker

import (
	"fencepost/checker/monitor"
	"fencepost/sim"
	"fencepost/sim/history"
)

// facts are the records of a run, sorted by hold.
type facts struct {
	recorder *history.Recorder
	holds    []HoldFacts // by hold
	faults   []history.Record
	// attempted is when each hold was asked for.
	attempted []sim.Time
	paired    []request        // once they are wanted
	ordered   []history.Effect // that the guard keeps in order
}

// facts gathers the records of a run that this checker has judged.
func (c *Checker) facts(r *history.Recorder) *facts {
	f := gather(r)
	f.ordered = c.Resource.Ordered
	return f
}

func gather(r *history.Recorder) *facts {
	f := &facts{recorder: r, holds: make([]HoldFacts, len(r.Holds)+1), attempted: make([]sim.Time, len(r.Holds)+1)}
	for _, h := range r.Holds {
		f.holds[h.ID] = HoldFacts{Hold: int(h.ID), Client: h.Client + 1}
	}
	for i := range r.Records {
		rec := &r.Records[i]
		h := &f.holds[rec.Hold]
		switch rec.Kind {
		case history.Attempt:
			f.attempted[rec.Hold] = rec.At
		case history.Fault:
			f.faults = append(f.faults, *rec)
		case history.Grant:
			h.Granted, h.Token = instant(rec.At), max(h.Token, rec.Token)
			h.promise(rec.Until)
		case history.Promise:
			h.promise(rec.Until)
		case history.BeliefBegin:
			local := int64(rec.Local)
			h.Believed, h.BelievedLocal, h.Token = instant(rec.At), &local, rec.Token
			h.BelievedUntil, h.BelievedUntilLocal = nil, nil
		case history.BeliefEnd:
			h.ends(rec)
		case history.Crash:
			f.crash(rec)
		}
	}
	return f
}

// crash ends what an executor believed.
func (f *facts) crash(r *history.Record) {
	for _, known := range f.recorder.Holds {
		h := &f.holds[known.ID]
		if known.Executor == r.Executor && h.Believed != nil && h.BelievedUntil == nil {
			h.ends(r)
		}
	}
}

// ends ends a belief with a record of its client.
func (h *HoldFacts) ends(r *history.Record) {
	local := int64(r.Local)
	h.BelievedUntil, h.BelievedUntilLocal = instant(r.At), &local
}

func (h *HoldFacts) promise(until sim.Time) {
	h.PromisedUntil = nil
	if until < sim.Forever {
		h.PromisedUntil = instant(until)
	}
}

func instant(t sim.Time) *int64 {
	n := int64(t)
	return &n
}

// lookingBack takes the holds of a finding as they stood when that was complete, until it is undone.
func (f *facts) lookingBack(v monitor.Finding) (undo func()) {
	first, second := f.holds[v.First], f.holds[v.Second]
	for _, id := range []history.HoldID{v.First, v.Second} {
		if id != 0 {
			f.holds[id] = f.asOf(id, v.At)
		}
	}
	return func() { f.holds[v.First], f.holds[v.Second] = first, second }
}

// asOf is what the service had promised a hold at an instant: it may prolong that later, or let the
// hold in again, as a library that has lost its place asks anew.
func (f *facts) asOf(id history.HoldID, at sim.Time) HoldFacts {
	h := f.holds[id]
	last := h.Token
	h.Granted, h.PromisedUntil, h.Token = nil, nil, 0
	for i := range f.recorder.Records {
		switch rec := &f.recorder.Records[i]; {
		case rec.Hold != id || rec.At > at:
		case rec.Kind == history.Grant:
			h.Granted = instant(rec.At)
			h.promise(rec.Until)
			if rec.Token != 0 {
				h.Token = rec.Token
			}
		case rec.Kind == history.Promise:
			h.promise(rec.Until)
		case rec.Kind == history.BeliefBegin && rec.Token != 0:
			h.Token = rec.Token
		}
	}
	if h.Token == 0 {
		h.Token = last // of one that is handed out later
	}
	return h
}
