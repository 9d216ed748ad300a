package checker

import (
	"fmt"
	"slices"

	"fencepost/checker/monitor"
	"fencepost/sim/history"
)

// outcome says what the overlap of two beliefs did to the resource.
func (f *facts) outcome(c *Checker, s Setting) string {
	switch n := f.rejections(); {
	case c.Resource.Violated() && s.Guard == "none" && !s.HasToken:
		return "The resource had no guard, and this lock has no token that a guard could compare."
	case c.Resource.Violated() && s.Guard == "none" && f.rose(c.Resource.Findings()[0]):
		return "The resource had no guard; the lock has a token that it could have compared."
	case c.Resource.Violated() && s.Guard == "none":
		return "The resource had no guard; the lock's tokens did not rise from hold to hold, so comparing them would not have helped."
	case c.Resource.Violated():
		return f.passed(c, s)
	case n > 0:
		return fmt.Sprintf("The guard %s rejected %s, so nothing was harmed.", s.Guard, plural(n, "request"))
	}
	if f.stoppedByCheck() {
		return "The holder's own check stopped it before it wrote, so nothing was harmed."
	}
	return "Nothing was harmed in this run."
}

// passed says why a guard did not prevent the first harm.
func (f *facts) passed(c *Checker, s Setting) string {
	switch v := c.Resource.Findings()[0]; {
	case s.Asks:
		return fmt.Sprintf("The guard %s let it pass: the service's answer was right when it was given, and old when the request was served.", s.Guard)
	case !f.rose(v):
		return fmt.Sprintf("The guard %s let it pass: the tokens did not rise from hold to hold.", s.Guard)
	case !slices.Contains(c.Resource.Ordered, history.ReadEffect):
		return fmt.Sprintf("The guard %s does not prevent this: a read by the newer holder raises nothing.", s.Guard)
	}
	return fmt.Sprintf("The guard %s let it pass.", s.Guard)
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
	failed := history.HoldID(0)
	for i := range f.recorder.Records {
		switch r := &f.recorder.Records[i]; {
		case r.Kind == history.Check && r.Text == "failed":
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
