package checker

import (
	"fmt"
	"slices"

	"fencepost/checker/monitor"
	"fencepost/sim/history"
)

// outcome says what the overlap of two beliefs did to the resource.
func (f *facts) outcome(c *Checker, s Setting) string {
	past := ""
	if c.Resource.Violated() {
		defer f.lookingBack(c.Resource.Findings()[0])()
		past = f.pastGuards(c.Resource.Findings()[0])
	}
	switch n := f.rejections(); {
	case past != "":
		return past
	case c.Resource.Violated() && s.Guard == "none" && !s.HasToken:
		return "The resource had no guard, and this lock has no token that a guard could compare."
	case c.Resource.Violated() && s.Guard == "none" && f.rose(c.Resource.Findings()[0]):
		return "The resource had no guard; the lock has a token that it could have compared."
	case c.Resource.Violated() && s.Guard == "none":
		return "The resource had no guard; the lock's tokens did not rise from hold to hold, so comparing them would not have helped."
	case c.Resource.Violated():
		return f.passed(c, s)
	case n > 0:
		return fmt.Sprintf("The guard %s rejected %s, so nothing was harmed.%s", s.Guard, plural(n, "request"), f.outOfOrder(s))
	}
	if f.stoppedByCheck() {
		return "The holder's own check stopped it before it wrote, so nothing was harmed."
	}
	return "Nothing was harmed in this run."
}

// fromOldReads are the harms of who acts on what it has read when it was overtaken.
var fromOldReads = []string{"lost-update", "doubled-effect", "dangling"}

// passed says why a guard did not prevent the first harm.
func (f *facts) passed(c *Checker, s Setting) string {
	v := c.Resource.Findings()[0]
	restart, forgot := f.forgotten(v, s)
	again, twice := f.markedAgain(v)
	switch {
	case s.Beside && v.Kind == "doubled-effect":
		return fmt.Sprintf("The guard %s stands before the record of what is done, and not before the effect itself.", s.Guard)
	case s.Asks:
		return fmt.Sprintf("The guard %s let it pass: the service's answer was right when it was given, and old when the request was served.", s.Guard)
	case s.Returns && s.KeepsNoOrder && v.Kind == "lost-update":
		return fmt.Sprintf("The guard %s let it pass: the content was again what %s had read, and so was its ETag.", s.Guard, f.who(v.Second))
	case !s.KeepsNoOrder && f.holds[v.First].Token != 0 && f.holds[v.First].Token == f.holds[v.Second].Token:
		return fmt.Sprintf("The guard %s let it pass: both holds have the token %d.", s.Guard, f.holds[v.First].Token)
	case !s.KeepsNoOrder && !f.rose(v):
		return fmt.Sprintf("The guard %s let it pass: the tokens did not rise from hold to hold.", s.Guard)
	case !s.KeepsNoOrder && slices.Contains(fromOldReads, v.Kind) && !slices.Contains(c.Resource.Ordered, history.ReadEffect):
		return fmt.Sprintf("The guard %s does not prevent this: a read by the newer holder raises nothing.", s.Guard)
	case forgot:
		return fmt.Sprintf("The guard %s let it pass: after %s at %s the resource no longer knew the token that it had kept.", s.Guard, restart.Text, Seconds(restart.At))
	case s.KeepsNoOrder && twice:
		return fmt.Sprintf("The guard %s let it pass: the mark of %s was served a second time at %s, and put its token back.", s.Guard, f.who(again.Hold), Seconds(again.At))
	case s.ChecksEarly:
		return fmt.Sprintf("The guard %s let it pass: it compared when the request arrived, and not again when it took effect.", s.Guard)
	}
	return fmt.Sprintf("The guard %s let it pass.", s.Guard)
}

// forgotten returns the last crash of the resource before the harm, if that takes what the guard
// compares with, and the later hold could have shown it before.
func (f *facts) forgotten(v monitor.Finding, s Setting) (crash history.Record, ok bool) {
	if !s.Forgets {
		return crash, false
	}
	later := v.First
	if f.earlier(v.First, v.Second) == v.First {
		later = v.Second
	}
	for _, rec := range f.faults {
		if rec.Fault == "crash" && rec.Host == history.ResourceHost && rec.At >= f.attempted[later] && rec.At <= v.At {
			crash, ok = rec, true
		}
	}
	return crash, ok
}

// markedAgain returns the second mark of the hold that did the harm, if there is one before that.
func (f *facts) markedAgain(v monitor.Finding) (again history.Record, ok bool) {
	marks := 0
	for _, rec := range f.recorder.Records {
		if rec.Kind == history.Mark && rec.Hold == v.Second && about(&rec, v) {
			if marks++; marks == 2 {
				return rec, true
			}
		}
	}
	return again, false
}

// outOfOrder says, of a guard that keeps no order, that what it rejected was a request of the
// hold that had been let in last: an earlier one had come between.
func (f *facts) outOfOrder(s Setting) string {
	if !s.KeepsNoOrder {
		return ""
	}
	last := history.HoldID(0)
	for _, rec := range f.recorder.Records {
		switch {
		case rec.Kind == history.Grant:
			last = rec.Hold
		case rec.Kind == history.Reject && rec.Hold == last && f.served(rec) != 0:
			return fmt.Sprintf(" It rejected the %s of %s, who had the lock, since %s came between: it keeps no order.",
				rec.Effect, f.who(rec.Hold), f.who(f.served(rec)))
		}
	}
	return ""
}

// served is the hold of the last write or mark of the object before a rejection that was not its
// own, 0 if there is none.
func (f *facts) served(rejected history.Record) (by history.HoldID) {
	for _, rec := range f.recorder.Records {
		if rec.Sequence >= rejected.Sequence {
			break
		}
		if (rec.Kind == history.Write || rec.Kind == history.Mark) && rec.Hold != rejected.Hold && rec.Object == rejected.Object {
			by = rec.Hold
		}
	}
	return by
}

// rose reports whether the later of a finding's holds has the higher token.
func (f *facts) rose(v monitor.Finding) bool {
	earlier, later := v.First, v.Second
	if f.earlier(earlier, later) != earlier {
		earlier, later = later, earlier
	}
	return f.holds[earlier].Token < f.holds[later].Token
}

// refusedHolder finds a request that the guard rejected though nobody had been let in since its
// hold was: a token lower than that of a hold before it.
func (f *facts) refusedHolder() (history.Record, bool) {
	last := history.HoldID(0)
	for _, rec := range f.recorder.Records {
		switch {
		case rec.Kind == history.Grant:
			last = rec.Hold
		case rec.Kind == history.Reject && rec.Hold == last && rec.Text == "":
			return rec, true
		}
	}
	return history.Record{}, false
}

func (f *facts) rejections() (n int) {
	for i := range f.recorder.Records {
		if f.recorder.Records[i].Kind == history.Reject {
			n++
		}
	}
	return n
}

// stoppedByCheck reports whether a client asked its library, heard that its lock was gone
// and stopped for it.
func (f *facts) stoppedByCheck() bool {
	failed, wrote := history.HoldID(0), map[history.HoldID]bool{}
	for i := range f.recorder.Records {
		switch r := &f.recorder.Records[i]; {
		case r.Kind == history.Write:
			wrote[r.Hold] = true
		case r.Kind == history.Check && r.Text == "failed" && !wrote[r.Hold]:
			failed = r.Hold
		case r.Hold != failed || failed == 0:
		case r.Kind == history.Request:
			failed = 0
		case r.Kind == history.ReleaseBegin:
			return true
		}
	}
	return failed != 0
}
