package linear

import (
	"strings"
	"testing"

	"github.com/anishathalye/porcupine"

	"fencepost/checker/linear/spec"
	"fencepost/sim/history"
)

func TestLock(t *testing.T) {
	for _, c := range []struct {
		name, events string
		want         Answer
	}{
		{"nothing", "", Linearizable},
		{"one after the other", "a1 b1 a2 e1 r1 b2 e2 r2", Linearizable},
		{"the second returns inside", "a1 b1 a2 b2 e1 r1 e2 r2", NotLinearizable},
		{"a release may take effect at its call", "a1 b1 e1 a2 b2 r1", Linearizable},
		{"or never come back", "a1 b1 e1 a2 b2", Linearizable},
		{"an open belief keeps everybody out", "a1 b1 a2 b2", NotLinearizable},
		{"a failed acquire changes nothing", "a1 b1 a2 g2 e1 r1", Linearizable},
		{"an acquire that goes on changes nothing", "a1 a2 b2 e2 r2", Linearizable},
		{"a crash ends a belief", "a1 b1 x1 a2 b2", Linearizable},
		{"the crash of another does not", "a1 b1 x3 a2 b2", NotLinearizable},
		{"a crash after the belief's end changes nothing", "a1 b1 e1 x1 a2 b2 e2 r2", Linearizable},
		{"order of attempts is not order of grants", "a1 a2 b2 e2 b1 e1", Linearizable},
		{"three, the last two at once", "a1 b1 e1 r1 a2 a3 b2 b3 e2 e3", NotLinearizable},
		{"a belief that is resumed", "a1 b1 e1 a2 b2 e2 b1 e1 r1", Linearizable},
		{"too early", "a1 b1 e1 a2 b2 b1 e2 e1 r1", NotLinearizable},
		{"and that a crash ends", "a1 b1 e1 b1 x1 a2 b2", Linearizable},
	} {
		var l Checker
		s := locks(3, strings.Fields(c.events)...)
		for range 2 { // the memory of a check is used again
			if got := l.Lock(s.Recorder); got != c.want {
				t.Errorf("%s (%s): %v, want %v", c.name, c.events, got, c.want)
			}
		}
	}
}

func TestResource(t *testing.T) {
	for _, c := range []struct {
		name, events string
		want         Answer
	}{
		{"nothing", "", Linearizable},
		{"one after the other", "s1 r1 s1 w1 s2 r2 s2 w2", Linearizable},
		{"both read, both write", "s1 r1 s2 r2 s1 w1 s2 w2", NotLinearizable},
		{"the second write is rejected", "s1 r1 s2 r2 s1 w1 s2", Linearizable},
		{"a late write before the next reads", "s1 r1 s1 s2 w1 r2 s2 w2", Linearizable},
		{"a late write after the next has read", "s1 r1 s1 s2 r2 w1 s2 w2", NotLinearizable},
		{"the late write lands last", "s1 r1 s1 s2 r2 s2 w2 w1", NotLinearizable},
		{"a reader in between", "s1 r1 s2 r2 s1 w1", Linearizable},
		{"who reads again makes its write of what it has read last", "s1 r1 s2 r2 s2 w2 s1 r1 s1 w1", Linearizable},
		{"and of nothing newer", "s1 r1 s1 r1 s2 r2 s2 w2 s1 w1", NotLinearizable},
		{"who reads again and writes nothing has seen the last", "s1 r1 s2 r2 s2 w2 s1 r1", Linearizable},
	} {
		s, audit := requests(2, strings.Fields(c.events)...)
		var l Checker
		if got := l.Resource(s.Recorder, audit); got != c.want {
			t.Errorf("%s (%s): %v, want %v", c.name, c.events, got, c.want)
		}
	}
}

// The audit is part of the history: a value that nobody wrote is no order's end.
func TestAudit(t *testing.T) {
	s, audit := requests(1, "s1", "r1", "s1", "w1")
	var l Checker
	if got := l.Resource(s.Recorder, audit+1); got != NotLinearizable {
		t.Errorf("%v, want %v", got, NotLinearizable)
	}
}

// Kleppmann's run, in which a paused holder writes after the next one has, as single
// reads and writes: that is linearizable. Only whole sections show the harm.
func TestKleppmann(t *testing.T) {
	s, audit := requests(2, "s1", "r1", "s2", "r2", "s2", "w2", "s1", "w1")
	var l Checker
	if got := l.Resource(s.Recorder, audit); got != NotLinearizable {
		t.Errorf("sections: %v, want %v", got, NotLinearizable)
	}
	if singles := singleOperations(s.Recorder); !porcupine.CheckOperations(spec.Register(int64(0)), singles) {
		t.Errorf("single operations are linearizable: %+v", singles)
	}
}

// singleOperations takes each read and each write for an operation of its own.
func singleOperations(r *history.Recorder) (all []porcupine.Operation) {
	sent := map[history.HoldID]int64{}
	for _, rec := range r.Records {
		op := porcupine.Operation{ClientId: int(rec.Hold), Call: sent[rec.Hold], Return: int64(rec.Sequence)}
		switch rec.Kind {
		case history.Request:
			sent[rec.Hold] = int64(rec.Sequence)
			continue
		case history.Read:
			op.Input, op.Output = spec.RegisterInput[int64]{}, rec.Value
		case history.Write:
			op.Input = spec.RegisterInput[int64]{Write: true, Value: rec.Value}
		}
		all = append(all, op)
	}
	return all
}

// Past the bound the answer is unknown, whatever it would have been.
func TestBound(t *testing.T) {
	s := locks(2, strings.Fields("a1 b1 a2 e1 r1 b2 e2 r2")...)
	for bound, want := range map[int]Answer{1: Unknown, 3: Unknown, MaxSteps: Linearizable, 0: Linearizable} {
		l := Checker{Bound: bound}
		if got := l.Lock(s.Recorder); got != want {
			t.Errorf("bound %d: %v, want %v", bound, got, want)
		}
	}
	l := Checker{Bound: 2}
	r, audit := requests(2, "s1", "r1", "s2", "r2", "s1", "w1", "s2", "w2")
	if got := l.Resource(r.Recorder, audit); got != Unknown {
		t.Errorf("%v, want %v", got, Unknown)
	}
}
