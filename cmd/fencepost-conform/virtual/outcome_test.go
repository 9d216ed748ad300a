package virtual

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"fencepost/checker"
	"fencepost/models"
	"fencepost/models/redis"
	"fencepost/scenarios"
	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/network"
)

// outcome is what can be seen of a run from outside of a library: every message with its instants, what its
// program did and when, and the verdict.
type outcome struct {
	messages []string
	program  []string
	answers  []string // what the libraries returned to it
	verdict  []string

	story string          // what clients did
	heard []string        // what the libraries returned to their programs; the model says nothing
	sent  map[string]int  // messages to Redis servers, by their commands
	sets  []time.Duration // when SET was sent
}

// Sent and Lost implement [network.Tap].
func (s *outcome) Sent(m network.Message, at, arrival sim.Time, held bool) int {
	switch m.Op {
	case redis.OpSet, redis.OpObtain, redis.OpExtend, redis.OpDelete:
		if s.sent[m.Op.String()]++; m.Op == redis.OpSet {
			s.sets = append(s.sets, time.Duration(at))
		}
	}
	s.messages = append(s.messages, fmt.Sprintf("%v node %d to %d: %s value %d ttl %v ok %t, arrives %v, held %t",
		at, m.From.Node, m.To.Node, m.Op, m.Value, m.TTL, m.OK, arrival, held))
	return len(s.messages) - 1
}

func (s *outcome) Lost(number int) { s.messages[number] += ", lost" }

// outside are the kinds of records that do not come from inside of a lock system.
var outside = []history.Kind{history.Attempt, history.GiveUp, history.BeliefBegin, history.BeliefEnd, history.Check,
	history.Request, history.Read, history.Write, history.Mark, history.Perform, history.Reject, history.ReleaseBegin, history.ReleaseEnd, history.Fault}

// observe runs a seed of a plan.
func observe(t *testing.T, p *scenarios.Plan, seed uint64) *outcome {
	t.Helper()
	trial := scenarios.NewTrial(p)
	lock := p.Lock.(*tuned)
	defer lock.Close()
	defer trial.Close()
	s := &outcome{sent: map[string]int{}}
	trial.Tap(s)
	r, err := trial.RunSafely(seed)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(s.messages) // of one instant in any order
	for _, record := range trial.Recorder.Records {
		if slices.Contains(outside, record.Kind) {
			s.program = append(s.program, line(record))
		}
	}
	s.story, s.heard = story(trial.Recorder), lock.heard()
	s.answers = slices.Sorted(slices.Values(lock.answers)) // as well
	for _, property := range judged {
		s.verdict = append(s.verdict, fmt.Sprint(property, " ", r.Verdict.Of(property)))
	}
	s.verdict = append(s.verdict, fmt.Sprint("until ", r.End))
	return s
}

// judged are the properties of which the verdict comes from outside: what servers promise a miniredis does not tell.
var judged = []string{checker.Exclusion, checker.ResourceName, checker.LinearLock, checker.LinearResource}

// line is a record without what is not to be compared: its number, since a lock system's own records
// come between, and the words of an error, of which the class is among the answers.
func line(r history.Record) string {
	r.Sequence = 0
	if r.Kind == history.GiveUp || r.Kind == history.ReleaseEnd {
		r.Text = ""
	}
	return fmt.Sprintf("%+v", r)
}

// differs says in what two runs differ first; empty if they do not.
func (s *outcome) differs(want *outcome) string {
	for _, c := range []struct {
		what      string
		got, want []string
	}{{"message", s.messages, want.messages}, {"record", s.program, want.program}, {"answer", s.answers, want.answers}, {"verdict", s.verdict, want.verdict}} {
		for i := range max(len(c.got), len(c.want)) {
			if got, want := at(c.got, i), at(c.want, i); got != want {
				return fmt.Sprintf("%s %d is\n%s\nand not\n%s", c.what, i+1, got, want)
			}
		}
	}
	return ""
}

func at(list []string, i int) string {
	if i < len(list) {
		return list[i]
	}
	return "(nothing)"
}

// tuned is a lock with some parameters, whatever the scenario says, in a world in which steps take no
// time.
type tuned struct {
	models.Lock
	params  map[string]int64
	answers []string // of its libraries to their programs, since it was built
}

// Build implements [models.Lock].
func (l *tuned) Build(e *models.Env) models.System {
	params := models.Params{}
	for name, v := range e.Params {
		params[name] = v
	}
	for name, v := range l.params {
		params[name] = v
	}
	e.Params, e.Fleet.StepCost, l.answers = params, 0, nil
	return &overheard{l.Lock.Build(e), e, l}
}

// stack is what stands below a library; nil if that is nothing.
func (l *tuned) stack() *stack {
	switch real := l.Lock.(type) {
	case Redsync:
		return real.stack
	case Redislock:
		return real.stack
	}
	return nil
}

// Close ends it.
func (l *tuned) Close() { l.stack().close() }

func (l *tuned) heard() []string {
	if s := l.stack(); s != nil {
		return s.heard
	}
	return nil
}
