package checker

import (
	"fmt"

	"fencepost/checker/monitor"
	"fencepost/sim"
	"fencepost/sim/history"
)

// sentence says what a finding is, with instants.
func (f *facts) sentence(v monitor.Finding) string {
	first, second := f.who(v.First), f.who(v.Second)
	switch v.Kind {
	case "promise-broken":
		if v.To == sim.Forever {
			return fmt.Sprintf("%s was let in at %s, when the promise to %s, which has no end, still ran", second, Seconds(v.At), first)
		}
		return fmt.Sprintf("%s was let in at %s, %s before the promise to %s was over", second, Seconds(v.At), Length(v.To.Sub(v.At)), first)
	case "overlap":
		lasted := "to the end of the run"
		if v.To < sim.Forever {
			lasted = "for " + Length(v.To.Sub(v.From))
		}
		return fmt.Sprintf("%s and %s both believed to hold the lock from %s %s; %s", first, second, Seconds(v.From), lasted, acted(first, second, v))
	case "lost-update":
		wrote, over := "wrote", "over"
		if v.Change == history.Appends {
			wrote, over = "appended", "after"
		}
		return fmt.Sprintf("at %s %s %s v%d %s v%d of %s, having read v%d", Seconds(v.At), second, wrote, v.Written, over, v.Replaced, first, v.Seen)
	case "doubled-effect":
		return f.doubled(v)
	case "dangling":
		did, had := "deleted", "had referred to"
		if v.Change == history.Refers {
			did, had = "referred to", "had deleted"
		}
		return fmt.Sprintf("at %s %s %s what %s %s", Seconds(v.At), second, did, first, had)
	case "stale-order":
		return f.outOfTurn(v)
	case "stale-read":
		return fmt.Sprintf("at %s the resource served %s v%d, when the newest was v%d of %s", Seconds(v.At), second, v.Seen, v.Newest, first)
	case "grant-order", "belief-order":
		return f.lowToken(v)
	case "starved":
		return fmt.Sprintf("%s was trying from %s and was passed over %d times by %s", first, Seconds(v.From), v.Passed, Seconds(v.To))
	case "stuck":
		return fmt.Sprintf("%s was trying and nobody held the lock from %s to %s", first, Seconds(v.From), Seconds(v.To))
	case "lost-early":
		why := f.endedFor(v)
		if v.To == sim.Forever {
			return fmt.Sprintf("the service ended the lock of %s at %s%s, which it had promised without end", first, Seconds(v.From), why)
		}
		return fmt.Sprintf("the service ended the lock of %s at %s%s, %s before its promise was over", first, Seconds(v.From), why, Length(v.To.Sub(v.From)))
	case "ended-late":
		return fmt.Sprintf("the service kept the lock of %s until %s, %s after its owner had ended", first, Seconds(v.To), Length(v.To.Sub(v.From)))
	}
	return v.Kind
}

// doubled says what happened twice.
func (f *facts) doubled(v monitor.Finding) string {
	first, second := f.who(v.First), f.who(v.Second)
	switch {
	case v.Job != 0 && v.First == v.Second:
		return fmt.Sprintf("at %s job %d was done a second time for %s", Seconds(v.At), v.Job, second)
	case v.Job != 0:
		return fmt.Sprintf("at %s %s did job %d, which %s had done", Seconds(v.At), second, v.Job, first)
	case v.Written != 0:
		return fmt.Sprintf("at %s v%d of %s was appended a second time", Seconds(v.At), v.Written, second)
	}
	return fmt.Sprintf("%s began its job at %s, when that of %s went on for another %s", second, Seconds(v.At), first, f.goesOn(v))
}

// endedFor is the service's reason for ending a hold early, in brackets, if it gave one.
func (f *facts) endedFor(v monitor.Finding) string {
	for i := range f.recorder.Records {
		if rec := &f.recorder.Records[i]; rec.Kind == history.ServiceEnd && rec.Hold == v.First && rec.At == v.From && rec.Text != "" {
			return " (" + rec.Text + ")"
		}
	}
	return ""
}

func acted(first, second string, v monitor.Finding) string {
	switch {
	case v.FirstActed && v.SecondActed:
		return "both acted on it"
	case v.FirstActed:
		return "only " + first + " acted on it"
	case v.SecondActed:
		return "only " + second + " acted on it"
	}
	return "neither acted on it"
}

// outOfTurn says which request was served after which other.
func (f *facts) outOfTurn(v monitor.Finding) string {
	first, second := f.who(v.First), f.who(v.Second)
	both := f.concerned(v)
	if len(both) < 2 {
		return fmt.Sprintf("at %s the resource served %s after it had served the later %s", Seconds(v.At), first, second)
	}
	return fmt.Sprintf("at %s the resource served the %s of %s, sent at %s, after it had served the later %s at %s",
		Seconds(v.At), nameOf(both[0].sent.Effect), first, Seconds(both[0].sent.At), second, Seconds(both[1].served.At))
}
