package reports

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"fencepost/checker"
	"fencepost/sim"
	"fencepost/sim/history"
)

// tell writes what happened, in a few sentences with instants and tokens: one for each
// stretch in which one actor acted, and one for the first overlap of beliefs.
func tell(r *history.Recorder, evidence []checker.Evidence, cause string) []string {
	t := &teller{recorder: r, several: checker.Several(r), sent: map[history.HoldID]sim.Time{}, promised: map[history.HoldID]sim.Time{},
		believed: map[history.HoldID]bool{}}
	for i := range r.Records {
		t.record(&r.Records[i])
	}
	t.flush()
	story := shorten(t.stretches, firstOfEach(evidence), cause)
	for i := range story {
		story[i] = rounded(story[i])
	}
	for _, e := range evidence {
		if e.Kind == "overlap" {
			return append(story, upperFirst(e.Text)+".")
		}
	}
	return story
}

// firstOfEach is the first violation of each property: what a story is about.
func firstOfEach(evidence []checker.Evidence) (first []checker.Evidence) {
	seen := map[string]bool{}
	for _, e := range evidence {
		if !seen[e.Property] {
			seen[e.Property] = true
			first = append(first, e)
		}
	}
	return first
}

// maxSentences keeps a story short, but for what the evidence speaks of.
const maxSentences = 5

// stretch is a sentence, and the window that it tells of.
type stretch struct {
	text     string
	from, to sim.Time
	fault    bool
	faults   []string // their texts
	wrote    []int64  // values that were written in it
	read     []read
}

// read is a value that a hold has read.
type read struct {
	hold  int
	value int64
}

// shorten leaves out what matters least: stretches in which no violation began or was
// complete; and of many faults all but the last ones before a violation. The first is
// always told.
func shorten(all []stretch, evidence []checker.Evidence, cause string) []string {
	var story []string
	left := max(0, len(all)-maxSentences)
	skipped, faults := 0, 0
	told := faultsToTell(all, evidence, cause)
	for i, s := range all {
		switch {
		case s.fault && !told[i]:
			faults++
		case skipped < left && i > 0 && !s.fault && !s.matters(evidence) && !s.named(cause):
			skipped++
		default:
			story = append(story, s.text)
		}
	}
	if skipped > 0 {
		story = append(story, fmt.Sprintf("(%s without a violation %s left out.)", plural(skipped, "stretch", "stretches"), isOrAre(skipped)))
	}
	if faults > 0 {
		story = append(story, fmt.Sprintf("(%s %s left out.)", plural(faults, "fault", "faults"), isOrAre(faults)))
	}
	return story
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "one " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func isOrAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// faultsToTell chooses among many faults: of those before each violation the last two, and
// what the cause names.
func faultsToTell(all []stretch, evidence []checker.Evidence, cause string) map[int]bool {
	told := map[int]bool{}
	var faults []int
	for i, s := range all {
		if s.fault {
			faults = append(faults, i)
			told[i] = true
		}
	}
	if len(faults) <= maxSentences {
		return told
	}
	clear(told)
	for _, i := range faults {
		if slices.ContainsFunc(all[i].faults, func(text string) bool { return strings.Contains(cause, text) }) {
			told[i] = true
		}
	}
	for _, e := range evidence {
		before := 0
		for before < len(faults) && int64(all[faults[before]].from) <= e.At {
			before++
		}
		for _, i := range faults[max(0, before-2):before] {
			told[i] = true
		}
	}
	return told
}

// instants are those of a cause, as [checker.Seconds] writes them.
var instants = regexp.MustCompile(`at \d+\.\d{3} s`)

// named reports whether the stretch tells of an instant that the cause names.
func (s *stretch) named(cause string) bool {
	return slices.ContainsFunc(instants.FindAllString(cause, -1), func(at string) bool { return strings.Contains(s.text, at) })
}

// matters reports whether some violation began or was complete in the stretch, or one of its
// holders was let in there, wrote what was lost, or read what it then wrote upon.
func (s *stretch) matters(evidence []checker.Evidence) bool {
	in := func(t int64) bool { return int64(s.from) <= t && t <= int64(s.to) }
	for _, e := range evidence {
		if in(e.At) || in(e.From) {
			return true
		}
		for _, h := range e.Holds {
			if h.Believed != nil && in(*h.Believed) {
				return true
			}
		}
		if e.Values != nil && slices.ContainsFunc(s.wrote, func(v int64) bool { return v == e.Values.Replaced || v == e.Values.Seen }) {
			return true
		}
		if e.Values != nil && slices.Contains(s.read, read{e.Holds[len(e.Holds)-1].Hold, e.Values.Seen}) {
			return true
		}
	}
	return false
}

// teller gathers what one actor does until another acts.
type teller struct {
	recorder  *history.Recorder
	several   bool // objects are protected
	stretches []stretch
	from, to  sim.Time // of the phrases so far
	actor     history.Executor
	phrases   []string
	wrote     []int64
	read      []read
	sent      map[history.HoldID]sim.Time // when the write of a hold was sent
	promised  map[history.HoldID]sim.Time
	believed  map[history.HoldID]bool
}

// late is how long a request must be under way to be told apart from its effect.
const late = 200_000_000

func (t *teller) record(r *history.Record) {
	switch r.Kind {
	case history.Grant, history.Promise:
		t.promised[r.Hold] = r.Until
	case history.BeliefBegin:
		if t.believed[r.Hold] {
			t.say(r, "goes on at %s: %s", checker.Seconds(r.At), r.Text)
			return
		}
		t.believed[r.Hold] = true
		t.say(r, "acquires the lock at %s%s", checker.Seconds(r.At), t.terms(r))
	case history.GiveUp:
		t.giveUp(r)
	case history.Refuse:
		t.say(r, "refuses the lock at %s: %s", checker.Seconds(r.At), r.Text)
	case history.Check:
		if r.Text == "passed" && !t.hasJustPassed(r) {
			t.say(r, "passes its own check")
		}
	case history.Read:
		t.say(r, "%s", checker.Did(r, t.several))
		t.read = append(t.read, read{int(r.Hold), r.Value})
	case history.Request:
		t.request(r)
	case history.Perform:
		t.say(r, "%s at %s%s", checker.Did(r, t.several), checker.Seconds(r.At), lasting(r))
	case history.Mark:
		t.say(r, "leaves its mark")
	case history.Write:
		t.write(r)
	case history.Reject:
		t.say(r, "has its %s%s rejected at %s, since %s", r.Effect, t.how(r), checker.Seconds(r.At), cmp.Or(r.Text, fmt.Sprintf("token %d has been seen", r.Base)))
	case history.BeliefEnd:
		switch r.Text {
		case "":
		case history.Suspended:
			t.say(r, "stands still from %s on: %s", checker.Seconds(r.At), r.Text)
		default:
			t.say(r, "gives up at %s (%s)", checker.Seconds(r.At), r.Text)
		}
	case history.ReleaseBegin:
		if !t.believed[r.Hold] {
			return // a library that gives back what it did not get
		}
		t.say(r, "releases at %s", checker.Seconds(r.At))
	case history.Restart:
		t.say(r, "starts anew")
	case history.Fault:
		t.fault(r)
	}
}

// fault tells of a fault; those of one instant share a sentence.
func (t *teller) fault(r *history.Record) {
	t.flush()
	if last := len(t.stretches) - 1; last >= 0 && t.stretches[last].fault && t.stretches[last].from == r.At {
		s := &t.stretches[last]
		s.text = strings.TrimSuffix(s.text, ".") + "; " + r.Text + "."
		s.faults = append(s.faults, r.Text)
		return
	}
	t.stretches = append(t.stretches, stretch{
		text: fmt.Sprintf("At %s a fault: %s.", checker.Seconds(r.At), r.Text), from: r.At, to: r.At, fault: true, faults: []string{r.Text}})
}

// giveUp tells of an attempt that ended without the lock; of several in a row the first.
func (t *teller) giveUp(r *history.Record) {
	const what = "gives up acquiring"
	if n := len(t.phrases); t.actor == r.Executor && n > 0 && strings.HasPrefix(t.phrases[n-1], what) {
		t.to = r.At
		return
	}
	t.say(r, what+" at %s (%s)", checker.Seconds(r.At), r.Text)
}

// hasJustPassed reports whether a check is the last thing that was told of its executor: who
// looks up from its work now and then passes one after the other.
func (t *teller) hasJustPassed(r *history.Record) bool {
	n := len(t.phrases)
	return t.actor == r.Executor && n > 0 && t.phrases[n-1] == "passes its own check"
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
	switch how := t.how(r); {
	case how == "":
		t.say(r, "%s at %s", checker.Did(r, t.several), checker.Seconds(r.At))
	case r.Change == history.Replaces && !t.several:
		t.say(r, "has its write of v%d%s applied over v%d at %s", r.Value, how, r.Base, checker.Seconds(r.At))
	default:
		t.say(r, "%s at %s%s", checker.Did(r, t.several), checker.Seconds(r.At), strings.TrimSuffix(how, ","))
	}
	t.wrote = append(t.wrote, r.Value)
}

// lasting says until when what was begun goes on, if it does.
func lasting(r *history.Record) string {
	if r.Until == r.At {
		return ""
	}
	return " (until " + checker.Seconds(r.Until) + ")"
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
		t.actor, t.from = r.Executor, r.At
	}
	t.to = r.At
	t.phrases = append(t.phrases, fmt.Sprintf(format, args...))
}

func (t *teller) flush() {
	if len(t.phrases) == 0 {
		return
	}
	t.stretches = append(t.stretches, stretch{
		text: fmt.Sprintf("Client %d %s.", t.actor.Client()+1, join(t.phrases)), from: t.from, to: t.to, wrote: t.wrote, read: t.read})
	t.phrases, t.actor, t.wrote, t.read = t.phrases[:0], 0, nil, nil
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
