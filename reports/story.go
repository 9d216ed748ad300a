package reports

import (
	"fmt"
	"strings"

	"fencepost/checker"
	"fencepost/sim"
	"fencepost/sim/history"
)

// tell writes what happened, in a few sentences with instants and tokens: one for each
// stretch in which one actor acted, and one for the first overlap of beliefs.
func tell(r *history.Recorder, evidence []checker.Evidence) []string {
	t := &teller{recorder: r, sent: map[history.HoldID]sim.Time{}, promised: map[history.HoldID]sim.Time{}}
	for i := range r.Records {
		t.record(&r.Records[i])
	}
	t.flush()
	story := t.sentences
	if len(story) > maxSentences {
		cut := len(story) - maxSentences + 1
		story = append(story[:3:3], append([]string{fmt.Sprintf("(%d more sentences are in the trace.)", cut)}, story[3+cut:]...)...)
	}
	for _, e := range evidence {
		if e.Kind == "overlap" {
			return append(story, upperFirst(e.Text)+".")
		}
	}
	return story
}

// maxSentences keeps a story short; a run of many cycles has a trace.
const maxSentences = 5

// teller gathers what one actor does until another acts.
type teller struct {
	recorder  *history.Recorder
	sentences []string
	actor     history.Executor
	phrases   []string
	sent      map[history.HoldID]sim.Time // when the write of a hold was sent
	promised  map[history.HoldID]sim.Time
	faultAt   sim.Time // instant and sentence of the last fault
	faultLast int
}

// late is how long a request must be under way to be told apart from its effect.
const late = 200_000_000

func (t *teller) record(r *history.Record) {
	switch r.Kind {
	case history.Grant, history.Promise:
		t.promised[r.Hold] = r.Until
	case history.BeliefBegin:
		t.say(r, "acquires the lock at %s%s", checker.Seconds(r.At), t.terms(r))
	case history.Read:
		t.say(r, "reads v%d", r.Value)
	case history.Request:
		t.request(r)
	case history.Write:
		t.write(r)
	case history.Reject:
		t.say(r, "has its %s%s rejected at %s, since token %d has been seen", r.Effect, t.how(r), checker.Seconds(r.At), r.Base)
	case history.BeliefEnd:
		if r.Text != "" {
			t.say(r, "gives up at %s (%s)", checker.Seconds(r.At), r.Text)
		}
	case history.ReleaseBegin:
		t.say(r, "releases at %s", checker.Seconds(r.At))
	case history.Fault:
		t.fault(r)
	}
}

// fault tells of a fault; those of one instant share a sentence.
func (t *teller) fault(r *history.Record) {
	t.flush()
	if last := len(t.sentences) - 1; last >= 0 && t.faultAt == r.At && t.faultLast == last {
		t.sentences[last] = strings.TrimSuffix(t.sentences[last], ".") + "; " + r.Text + "."
		return
	}
	t.sentences = append(t.sentences, fmt.Sprintf("At %s a fault: %s.", checker.Seconds(r.At), r.Text))
	t.faultAt, t.faultLast = r.At, len(t.sentences)-1
}

// terms are a hold's token and the end of its promise.
func (t *teller) terms(r *history.Record) string {
	var terms []string
	if r.Token != 0 {
		terms = append(terms, fmt.Sprintf("token %d", r.Token))
	}
	if until, ok := t.promised[r.Hold]; ok && until < sim.Forever {
		terms = append(terms, "promised until "+checker.Seconds(until))
	}
	if len(terms) == 0 {
		return ""
	}
	return " (" + strings.Join(terms, ", ") + ")"
}

func (t *teller) request(r *history.Record) {
	if r.Effect == history.WriteEffect {
		t.sent[r.Hold] = r.At
	}
}

// write tells of a write that was applied.
func (t *teller) write(r *history.Record) {
	if how := t.how(r); how != "" {
		t.say(r, "has its write of v%d%s applied over v%d at %s", r.Value, how, r.Base, checker.Seconds(r.At))
		return
	}
	t.say(r, "writes v%d over v%d at %s", r.Value, r.Base, checker.Seconds(r.At))
}

// how tells a request's token if it matters, and when it was sent if that was long
// before.
func (t *teller) how(r *history.Record) string {
	if r.Effect == history.WriteEffect && r.At.Sub(t.sent[r.Hold]) > late {
		return fmt.Sprintf(", sent at %s%s,", checker.Seconds(t.sent[r.Hold]), token(r.Token))
	}
	if r.Kind == history.Reject {
		return token(r.Token)
	}
	return ""
}

func token(n int64) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" (token %d)", n)
}

// say adds a phrase about the record's client, in a new sentence if another acted
// before.
func (t *teller) say(r *history.Record, format string, args ...any) {
	if r.Executor != t.actor {
		t.flush()
		t.actor = r.Executor
	}
	t.phrases = append(t.phrases, fmt.Sprintf(format, args...))
}

func (t *teller) flush() {
	if len(t.phrases) == 0 {
		return
	}
	t.sentences = append(t.sentences, fmt.Sprintf("Client %d %s.", t.actor, join(t.phrases)))
	t.phrases, t.actor = t.phrases[:0], 0
}

func join(phrases []string) string {
	if len(phrases) == 1 {
		return phrases[0]
	}
	return strings.Join(phrases[:len(phrases)-1], ", ") + " and " + phrases[len(phrases)-1]
}

func upperFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
