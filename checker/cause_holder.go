package checker

import (
	"fmt"
	"slices"
	"time"

	"fencepost/checker/monitor"
	"fencepost/sim"
	"fencepost/sim/history"
)

// blameHolder: the service kept its promises, so one of two holders believed for
// longer than it was promised, or before it was.
func (f *facts) blameHolder(v monitor.Finding, s Setting) Cause {
	if removal, ok := f.removed(v.First, v.From); ok {
		return Cause{ThirdParty, fmt.Sprintf("%s: %s at %s took the lock from %s, who went on believing.", thirdParty, removal.Text, Seconds(removal.At), f.who(v.First))}
	}
	stale := v.First
	if f.promised(v.Second) < f.promised(v.First) {
		stale = v.Second
	}
	o := overrun{id: stale, until: f.promised(stale), from: v.From}
	switch {
	case f.holds[stale].Granted == nil:
		return Cause{NeverLetIn, fmt.Sprintf("The library of %s: it took the lock for acquired, and the service had not let it in. The lock kept every promise.", f.who(stale))}
	case o.until > v.From:
		return Cause{BothBelieved, fmt.Sprintf("The holder: %s and %s believed at once. The lock kept every promise.", f.who(v.First), f.who(v.Second))}
	}
	went := "went on believing"
	if began := f.holds[stale].Believed; began != nil && sim.Time(*began) > o.until {
		went, o.late = "began to believe", true
	}
	kind, why := f.whyOverrun(o, s)
	return Cause{kind, fmt.Sprintf("The holder: %s %s (%s) when its promise had run out, %s before the overlap began. The lock kept every promise.",
		f.who(stale), went, why, Length(v.From.Sub(o.until)))}
}

// overrun is a hold that was believed when the promise to it was over, and another one had begun.
type overrun struct {
	id    history.HoldID
	until sim.Time // end of the promise
	from  sim.Time // when the other one began to believe, too
	late  bool     // the belief itself began when the promise was over
}

// promised is the end of the promise to a hold, which is over before it begins if there is none.
func (f *facts) promised(id history.HoldID) sim.Time {
	switch h := &f.holds[id]; {
	case h.Granted == nil:
		return 0
	case h.PromisedUntil != nil:
		return sim.Time(*h.PromisedUntil)
	}
	return sim.Forever
}

// whyOverrun names what kept a holder, or its renewals, and the fault that did, if one did.
func (f *facts) whyOverrun(o overrun, s Setting) (kind CauseKind, why string) {
	kind, fault := f.kept(o, s)
	switch {
	case fault.Fault != "":
		why = fault.Text
	case o.late:
		why = "the reply came late"
	case f.renews(o, s):
		kind, why = RenewalLate, "it was not renewed in time"
	default:
		kind, why = f.worked(o)
	}
	if o.late {
		kind = ReplyLate
	}
	return kind, why
}

// worked says for what a holder used more time than its lease, which nobody renews.
func (f *facts) worked(o overrun) (kind CauseKind, why string) {
	q := f.waiting(o)
	if q == nil {
		return Overran, "nobody renews its lease"
	}
	why = fmt.Sprintf("it waited for its %s, sent at %s", nameOf(q.sent.Effect), Seconds(q.sent.At))
	for _, kept := range []func(q *request, rec *history.Record) bool{f.heldBack, waitedAtResource} {
		if fault, ok := f.onItsWay(q, kept); ok {
			return WaitedForData, why + ", " + fault.Text
		}
	}
	return WaitedForData, why
}

// waiting is the request that a hold sent before the end of its promise, and that was still under way
// when another one began to believe, if there is one and it did nothing since.
func (f *facts) waiting(o overrun) (last *request) {
	all := f.requests()
	for i := range all {
		if q := all[i]; q.sent.Hold == o.id && !q.copied && q.sent.At <= o.from {
			if q.served.Kind == 0 {
				q.served.At = o.from
			}
			last = &q
		}
	}
	if last == nil || last.sent.At > o.until || last.served.At < o.from {
		return nil
	}
	return last
}

// renews reports whether somebody renews a hold, or has done so.
func (f *facts) renews(o overrun, s Setting) bool {
	return s.Renews.Has(f.clientOf(o.id)) || slices.ContainsFunc(f.recorder.Records, func(rec history.Record) bool {
		return rec.Kind == history.Promise && rec.Hold == o.id && rec.At <= o.from
	})
}

// keepers are the kinds of what keeps a holder, in the order in which they are named: who stood
// still would not have heard its replies.
var keepers = []CauseKind{PauseOutlived, MachineAsleep, HolderClock, CutOff, HolderThrottled, ServiceSilent}

// kept returns the fault that kept a holder, or its renewals: best one that was in force when the
// promise ended, of several of a kind the longest.
func (f *facts) kept(o overrun, s Setting) (kind CauseKind, fault history.Record) {
	best := 0
	for i := range f.faults {
		rec := &f.faults[i]
		k := f.keeper(rec, o, s)
		if k == "" {
			continue
		}
		rank := 2 * (len(keepers) - slices.Index(keepers, k))
		if covers(rec, o.until) {
			rank += 2 * len(keepers)
		}
		if rank > best || rank == best && rec.Until.Sub(rec.At) > fault.Until.Sub(fault.At) {
			best, kind, fault = rank, k, *rec
		}
	}
	return kind, fault
}

// keeper is how a fault kept a holder; empty if it did not.
func (f *facts) keeper(rec *history.Record, o overrun, s Setting) CauseKind {
	client := f.clientOf(o.id)
	switch {
	case !meets(rec, f.attempted[o.id], o.from):
		return ""
	case onHost(rec, client):
		return f.keptHost(rec, o)
	case !f.silenced(rec, o):
		return ""
	case rec.Apart.Has(client) && rec.Effect == history.NoEffect && (o.late || f.renews(o, s)):
		return CutOff
	case rec.Parties&history.MostServers != 0 && f.renews(o, s) && silences(rec):
		return ServiceSilent
	}
	return ""
}

// keptHost: a fault of the holder's own host is a reason if it was in force when the promise ended,
// or took so long that the holder would have been done without it. That a clock is wrong by less
// than the holder is late explains nothing.
func (f *facts) keptHost(rec *history.Record, o overrun) CauseKind {
	explains := covers(rec, o.until) || within(rec, f.attempted[o.id], o.from) >= f.end(o.id).Sub(o.from)
	switch rec.Fault {
	case "pause":
		return kindIf(PauseOutlived, explains)
	case "suspend":
		return kindIf(MachineAsleep, explains)
	case "throttle":
		return kindIf(HolderThrottled, explains)
	case "clock-rate", "clock-slew", "clock-freeze", "clock-step":
		return kindIf(HolderClock, -gained(rec, f.attempted[o.id], o.from) >= o.from.Sub(o.until))
	}
	return ""
}

func kindIf(kind CauseKind, so bool) CauseKind {
	if so {
		return kind
	}
	return ""
}

// end is when a hold was believed no more.
func (f *facts) end(id history.HoldID) sim.Time {
	if until := f.holds[id].BelievedUntil; until != nil {
		return sim.Time(*until)
	}
	return sim.Forever
}

// silenced reports whether a fault was in force when the promise ended that a renewal should have
// prolonged, or for half of the time in which one could have.
func (f *facts) silenced(rec *history.Record, o overrun) bool {
	since, _ := f.promisedSince(o.id, o.until)
	return covers(rec, o.until) || 2*within(rec, since, o.until) >= max(o.until.Sub(since), time.Nanosecond)
}

// silences reports whether a fault keeps a server from answering.
func silences(rec *history.Record) bool {
	return stops(rec) || onLinks(rec) || rec.Fault == "throttle" || rec.Fault == "disk-stall" || rec.Fault == "slow-disk"
}
