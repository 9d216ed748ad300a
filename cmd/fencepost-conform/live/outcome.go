//go:build linux

package live

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"fencepost/checker"
	"fencepost/scenarios"
	"fencepost/sim/history"
)

// judged are the properties that can be told from outside: what the servers promised cannot.
var judged = []string{checker.Exclusion, checker.ResourceName, checker.LinearLock, checker.LinearResource}

// outcome is what can be seen of a run.
type outcome struct {
	// verdicts are those of the properties that are judged, and how many requests were rejected and sections
	// stopped early.
	verdicts map[string]string
	instants map[instant]time.Duration
	first    time.Duration // when somebody first got in
	lag      time.Duration // by how much the world was behind real time at most
}

// instant is something that a client comes to: that it first takes the lock for its own, or no more
// though it is not done.
type instant struct {
	client int
	what   string
}

const (
	gotIn   = "in"
	stopped = "stopped"
)

func (i instant) String() string { return fmt.Sprintf("client %d %s", i.client, i.what) }

// observe looks at the last run of a trial.
func observe(t *scenarios.Trial, r *scenarios.Result) outcome {
	o := outcome{verdicts: map[string]string{}, instants: map[instant]time.Duration{}}
	for _, property := range judged {
		o.verdicts[property] = string(r.Verdict.Of(property))
	}
	o.verdicts["rejected"] = fmt.Sprint(checker.Rejected(t.Recorder))
	o.verdicts["stopped"] = fmt.Sprint(checker.Stopped(t.Recorder))
	anybody := false
	for _, record := range t.Recorder.Records {
		i := instant{client: record.Executor.Client() + 1}
		switch {
		case record.Kind == history.BeliefBegin:
			i.what = gotIn
		case record.Kind == history.BeliefEnd && record.Text != "":
			i.what = stopped
		default:
			continue
		}
		if _, before := o.instants[i]; !before {
			o.instants[i] = record.At.Duration()
		}
		if i.what == gotIn && !anybody {
			o.first, anybody = record.At.Duration(), true
		}
	}
	return o
}

// tally is what some runs have come to.
type tally struct {
	runs     int
	lag      time.Duration
	verdicts map[string]map[string]int // how often a property had a value
	instants map[instant]*span
}

// span is from when to when something came about, counted from when somebody first got in, and how often it did.
type span struct {
	from, to         time.Duration
	earliest, latest time.Duration // counted from the beginning of the run
	runs             int
}

func (s *span) String() string {
	if s == nil {
		return "never"
	}
	return fmt.Sprintf("%.2f to %.2f s", s.from.Seconds(), s.to.Seconds())
}

// whole is String with how often it was, and what the earliest was from the beginning on.
func (s *span) whole(runs int) string {
	if s == nil {
		return fmt.Sprintf("never in %d", runs)
	}
	return fmt.Sprintf("%v in %d of %d, at %.2f to %.2f s", s, s.runs, runs, s.earliest.Seconds(), s.latest.Seconds())
}

func (t *tally) add(o outcome) {
	if t.verdicts == nil {
		t.verdicts, t.instants = map[string]map[string]int{}, map[instant]*span{}
	}
	t.runs++
	t.lag = max(t.lag, o.lag)
	for property, value := range o.verdicts {
		if t.verdicts[property] == nil {
			t.verdicts[property] = map[string]int{}
		}
		t.verdicts[property][value]++
	}
	for i, at := range o.instants {
		after, s := at-o.first, t.instants[i]
		if s == nil {
			s = &span{after, after, at, at, 0}
			t.instants[i] = s
		}
		s.from, s.to, s.runs = min(s.from, after), max(s.to, after), s.runs+1
		s.earliest, s.latest = min(s.earliest, at), max(s.latest, at)
	}
}

// of is the value of a property, or its values with how often each was.
func (t *tally) of(property string) string {
	values := t.verdicts[property]
	if len(values) == 1 {
		for value := range values {
			return value
		}
	}
	var all []string
	for _, value := range slices.Sorted(maps.Keys(values)) {
		all = append(all, fmt.Sprintf("%s in %d", value, values[value]))
	}
	return strings.Join(all, ", ")
}

// early is by how much sooner something may come about than in the runs of the simulator, which are not all
// that there could be.
const early = 50 * time.Millisecond

// differs lists in what real runs were not as simulated ones: a value that those never have, or
// an instant out of their range. Real servers are slower than simulated ones: so nothing may come sooner,
// counted from the beginning, and nothing later, counted from when they first let somebody in; nor may they do
// that later.
func (t *tally) differs(simulated *tally, early, late time.Duration) (all []string) {
	for _, property := range slices.Sorted(maps.Keys(t.verdicts)) {
		for value := range t.verdicts[property] {
			if simulated.verdicts[property][value] == 0 {
				all = append(all, fmt.Sprintf("%s is %s, simulated %s", property, t.of(property), simulated.of(property)))
				break
			}
		}
	}
	instants := map[instant]bool{}
	for _, of := range []*tally{t, simulated} {
		for i := range of.instants {
			instants[i] = true
		}
	}
	for _, i := range slices.SortedFunc(maps.Keys(instants), instant.compare) {
		real, sim := t.instants[i], simulated.instants[i]
		switch {
		case real == nil && sim.runs < simulated.runs:
		case real == nil || sim == nil || sim.runs == simulated.runs && real.runs < t.runs || real.earliest < sim.earliest-early || real.to > sim.to+late || sim.to == 0 && real.latest > sim.latest+late:
			all = append(all, fmt.Sprintf("%v: %s, simulated %s", i, real.whole(t.runs), sim.whole(simulated.runs)))
		}
	}
	return all
}

func (i instant) compare(j instant) int {
	return cmp.Or(cmp.Compare(i.client, j.client), cmp.Compare(i.what, j.what))
}
