package checker

import (
	"fmt"
	"strings"
	"time"

	"fencepost/checker/monitor"
	"fencepost/sim"
	"fencepost/sim/history"
)

// blameService: a promise was broken. Who took the lock from its holder is told by how the service
// ended the hold, and by what the servers have noted of it. Only for what that leaves open is a
// fault looked for.
func (f *facts) blameService(v monitor.Finding, s Setting) Cause {
	rest, first, second := left(v.At, v.To), f.who(v.First), f.who(v.Second)
	if at, by, ok := f.takenAway(v.First, v.At); ok {
		return Cause{ForeignUnlock, fmt.Sprintf("A client: %s, who did not have the lock any more, released it at %s, with %s of the promise to %s left, and the service let %s in.",
			f.who(by), Seconds(at), left(at, v.To), first, second)}
	}
	if removal, ok := f.removed(v.First, v.At); ok {
		return Cause{ThirdParty, fmt.Sprintf("%s: %s at %s took the lock from %s with %s of its promise left, and the service let %s in.",
			thirdParty, removal.Text, Seconds(removal.At), first, left(removal.At, v.To), second)}
	}
	if until, ok := f.stillborn(v); ok {
		return Cause{ReplyLate, fmt.Sprintf("The library of %s: it took the lock for acquired at %s, when what it had asked for had run out at %s, and %s of the promise to %s was left.",
			second, Seconds(v.At), Seconds(until), rest, first)}
	}
	why := f.endedBefore(v.First, v.Second, v.At, v.To, s)
	switch why.kind {
	case HealthCheck:
		return Cause{HealthCheck, fmt.Sprintf("The service's health check: it took %s for dead at %s%s, and the service let %s in with %s of its promise left.",
			first, Seconds(why.at), why.after(), second, rest)}
	case FailoverLost:
		return Cause{FailoverLost, fmt.Sprintf("The service's failover%s: the server that took over did not know of the promise to %s, and let %s in with %s of it left.",
			why.after(), first, second, rest)}
	case StaleLeader:
		return Cause{StaleLeader, fmt.Sprintf("A stale leader: at %s %s%s, and the service let %s in with %s of the promise to %s left.",
			Seconds(why.at), why.noted(), why.after(), second, rest, first)}
	case SplitBrain:
		return Cause{SplitBrain, fmt.Sprintf("The split of the service%s: one side let %s in with %s of the other side's promise to %s left.", why.after(), second, rest, first)}
	case LeaseDatedBack:
		return Cause{LeaseDatedBack, fmt.Sprintf("The service: %s, so that it let %s in with %s of its promise to %s left.", why.text, second, rest, first)}
	case TakenOverEarly:
		return Cause{TakenOverEarly, fmt.Sprintf("The successor: %s took the lock over with %s of the promise to %s left, by its own clock%s.", second, rest, first, why.brackets())}
	case PromiseForgotten:
		return Cause{PromiseForgotten, fmt.Sprintf("The service: after %s at %s it no longer knew of its promise to %s.", why.fault.Text, Seconds(why.fault.At), first)}
	case ServerClockStepped, ServerClockFast:
		return Cause{why.kind, fmt.Sprintf("The service's clock: %s at %s ended the lease of %s early, and the service let %s in with %s of its promise left.",
			why.fault.Text, Seconds(why.fault.At), first, second, rest)}
	}
	return Cause{BrokenPromise, fmt.Sprintf("The service: it let %s in with %s of its promise to %s left%s.", second, rest, first, f.stopped(v.First, v.At))}
}

// early is why a hold ended before its promise was over, as far as the record says.
type early struct {
	kind  CauseKind
	at    sim.Time
	text  string         // what a server has noted
	fault history.Record // what brought it about; without a kind there is none
}

// noted is what a server has noted, without the word for it.
func (e *early) noted() string {
	who, what, _ := strings.Cut(e.text, history.StaleLeader+": ")
	return strings.TrimSpace(strings.TrimSuffix(who, ": ") + " " + what)
}

// after says after which fault it was, if that is known.
func (e *early) after() string {
	if e.fault.Fault == "" {
		return ""
	}
	return fmt.Sprintf(", after %s at %s", e.fault.Text, Seconds(e.fault.At))
}

// brackets names the fault, if there is one.
func (e *early) brackets() string {
	if e.fault.Fault == "" {
		return ""
	}
	return fmt.Sprintf(" (%s at %s)", e.fault.Text, Seconds(e.fault.At))
}

// endedBefore is why a hold was over for the service at an instant, before the end of its promise.
// Next is who was let in, 0 if nobody was.
func (f *facts) endedBefore(id, next history.HoldID, at, until sim.Time, s Setting) early {
	end, ended := f.endOf(id, at)
	if !ended {
		end = history.Record{At: at}
	}
	silenced := func(rec *history.Record) bool { return onService(rec) && silences(rec) }
	strikes := func(so func(rec *history.Record) bool) history.Record { return f.latest(f.attempted[id], end.At, so) }
	switch {
	case end.Text == history.Unhealthy:
		client := f.clientOf(id)
		return early{kind: HealthCheck, at: end.At, fault: strikes(func(rec *history.Record) bool {
			return rec.Apart.Has(client) || stops(rec) && onHost(rec, client)
		})}
	case end.Text == history.LostInFailover:
		return early{kind: FailoverLost, at: end.At, fault: strikes(silenced)}
	case end.Text == history.TakenOver:
		return early{kind: TakenOverEarly, at: end.At, fault: f.challengersClock(next, at, until)}
	case end.Text == history.LostInMerge:
		return early{kind: SplitBrain, at: end.At, fault: strikes(silenced)}
	}
	for _, known := range []struct {
		kind CauseKind
		says string
	}{{StaleLeader, history.StaleLeader}, {SplitBrain, history.SplitSides}} {
		if note, ok := f.noted(known.says+":", at, id, next); ok {
			return early{kind: known.kind, at: note.At, text: note.Text, fault: strikes(silenced)}
		}
	}
	if note, ok := f.noted(history.DatedBack, at, id); ok && time.Duration(note.Base) >= part(until.Sub(end.At), 9, 10) { // a clock may add to it
		return early{kind: LeaseDatedBack, at: note.At, text: note.Text}
	}
	return f.shortened(id, end, until, s)
}

// noted returns the last note of one of two holds by an instant that contains a text.
func (f *facts) noted(contained string, by sim.Time, ids ...history.HoldID) (note history.Record, ok bool) {
	for i := range f.recorder.Records {
		rec := &f.recorder.Records[i]
		if rec.Kind != history.Note || rec.At > by || rec.Hold == 0 || !strings.Contains(rec.Text, contained) {
			continue
		}
		for _, id := range ids {
			if rec.Hold == id {
				note, ok = *rec, true
			}
		}
	}
	return note, ok
}

// latest returns the latest fault of a window for which something is so, or none.
func (f *facts) latest(from, to sim.Time, so func(rec *history.Record) bool) (last history.Record) {
	for i := range f.faults {
		if rec := &f.faults[i]; meets(rec, from, to) && so(rec) {
			last = *rec
		}
	}
	return last
}

// shortened finds the fault of a server that ended a hold: a crash, or a clock that ran ahead. What
// the service says of the end settles which of the two, if it says anything.
func (f *facts) shortened(id history.HoldID, end history.Record, until sim.Time, s Setting) early {
	made, since := f.promisedSince(id, end.At)
	forgets := func(rec *history.Record) bool {
		return !s.Durable && end.Text != history.Expired && rec.Fault == "crash" && rec.At >= since
	}
	gain := map[string]time.Duration{} // by server, of all that moved its clock since the promise was made
	clocks := func(rec *history.Record) bool {
		if end.Text == history.Lost || !leaseClock(rec, s) {
			return false
		}
		if meets(rec, made, end.At) {
			gain[rec.Host] += gained(rec, made, end.At)
		}
		ahead := max(gain[rec.Host], gained(rec, since, end.At)) // a quorum may have begun before
		return rec.Ahead && (rec.Fault == "clock-jitter" || ahead >= until.Sub(end.At))
	}
	fault := f.latest(since, end.At, func(rec *history.Record) bool { return onService(rec) && (forgets(rec) || clocks(rec)) })
	switch fault.Fault {
	case "":
		return early{}
	case "crash":
		return early{kind: PromiseForgotten, at: end.At, fault: fault}
	case "clock-step", "clock-jitter":
		return early{kind: ServerClockStepped, at: end.At, fault: fault}
	}
	return early{kind: ServerClockFast, at: end.At, fault: fault}
}

// leaseClock reports whether a fault moves the clock that ends leases: rates and slews move both.
func leaseClock(rec *history.Record, s Setting) bool {
	switch rec.Fault {
	case "clock-rate", "clock-slew":
		return true
	case "clock-step", "clock-jitter":
		return s.ServiceClock == "wall"
	}
	return false
}

// challengersClock is the fault by which the clock of who was let in was ahead by as much as the
// promise had left. A step stays, however long ago it was.
func (f *facts) challengersClock(next history.HoldID, at, until sim.Time) history.Record {
	if next == 0 {
		return history.Record{}
	}
	client := f.clientOf(next)
	var last history.Record
	for i := range f.faults {
		if rec := &f.faults[i]; rec.At <= at && onHost(rec, client) && rec.Ahead && gained(rec, 0, at) >= until.Sub(at) {
			last = *rec
		}
	}
	return last
}

// stops reports whether a fault makes a host stand still.
func stops(rec *history.Record) bool {
	return rec.Fault == "pause" || rec.Fault == "suspend" || rec.Fault == "crash"
}

// stopped says which server stood still meanwhile, if one did.
func (f *facts) stopped(id history.HoldID, by sim.Time) string {
	still := f.latest(f.attempted[id], by, func(rec *history.Record) bool {
		return onService(rec) && (rec.Fault == "pause" || rec.Fault == "suspend")
	})
	if still.Fault == "" {
		return ""
	}
	return fmt.Sprintf(", after %s at %s", still.Text, Seconds(still.At))
}

// takenAway returns when another client released the lock of a hold, if one did and it was not let
// in again, and for which hold of its own: the last release that had begun by then.
func (f *facts) takenAway(hold history.HoldID, before sim.Time) (at sim.Time, by history.HoldID, ok bool) {
	end, ended := f.endOf(hold, before)
	if !ended || end.Text != history.ForeignRelease {
		return 0, 0, false
	}
	for i := range f.recorder.Records {
		rec := &f.recorder.Records[i]
		if rec.Sequence >= end.Sequence {
			break
		}
		if rec.Kind == history.ReleaseBegin && rec.Hold != hold {
			at, by = rec.At, rec.Hold
		}
	}
	return at, by, by != 0
}

// thirdParty is who removes records of the lock without being a client of it.
const thirdParty = "An operator or an eviction"

// removed returns the removal by which a hold had lost the lock by an instant, if it had lost it so
// and was not let in again: the last one, of a lock that has records on several servers.
func (f *facts) removed(hold history.HoldID, by sim.Time) (removal history.Record, lost bool) {
	end, ended := f.endOf(hold, by)
	if !ended || end.Text != history.Removed {
		return removal, false
	}
	for i := range f.recorder.Records {
		if rec := &f.recorder.Records[i]; rec.Kind == history.Removal && rec.Hold == hold && rec.At <= by {
			removal = *rec
		}
	}
	return removal, true
}

// stillborn returns until when the second hold of a broken promise was promised, if that was
// over when it was let in: only a library that grants itself the lock can do so.
func (f *facts) stillborn(v monitor.Finding) (until sim.Time, ok bool) {
	for i := range f.recorder.Records {
		if rec := &f.recorder.Records[i]; rec.Kind == history.Grant && rec.Hold == v.Second && rec.At == v.At {
			return rec.Until, rec.Until <= rec.At
		}
	}
	return 0, false
}
