package client_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"fencepost/models/client"
	"fencepost/models/resource"
	"fencepost/sim"
	"fencepost/sim/history"
)

// sent says what a client sent: "read 1" is a read of the first object.
func sent(records []history.Record) (requests []string) {
	for _, r := range records {
		if r.Kind == history.Request {
			requests = append(requests, fmt.Sprintf("%v %d", r.Effect, r.Object+1))
		}
	}
	return requests
}

// of are the records of one kind.
func of(records []history.Record, k history.Kind) (found []history.Record) {
	for _, r := range records {
		if r.Kind == k {
			found = append(found, r)
		}
	}
	return found
}

// The first second of a run has no answers; a request is given up after 400 ms, and sent again. The
// reads go out at 0, 400 and 800 ms and all arrive; the answer to the third comes.
func TestReadIsSentAgain(t *testing.T) {
	s := scene{then: cut(0, 801*ms)}
	records, _ := s.play(t, &library{}, client.Workload{RequestTimeout: 400 * ms, RequestAttempts: 3})
	if got, want := instants(records, history.Read), []time.Duration{ms, 401 * ms, 801 * ms}; !slices.Equal(got, want) {
		t.Errorf("reads are served at %v, want %v", got, want)
	}
	if got, want := instants(records, history.Write), []time.Duration{803 * ms}; !slices.Equal(got, want) {
		t.Errorf("the write is served at %v, want %v", got, want)
	}
}

// The answers to the write, which goes out at 2 ms, are lost until one to its second copy comes.
func TestWriteIsSentAgain(t *testing.T) {
	for _, c := range []struct {
		name   string
		of     resource.Settings
		writes int
	}{
		{"served once", resource.Settings{Kind: resource.Log}, 1},
		{"served twice", resource.Settings{Kind: resource.Log, ServesCopies: true}, 3},
	} {
		s := scene{of: c.of, then: cut(2500*time.Microsecond, 801*ms)}
		records, _ := s.play(t, &library{}, client.Workload{RequestTimeout: 400 * ms, RequestAttempts: 3})
		if got, want := sent(records), []string{"read 1", "write 1", "write 1", "write 1"}; !slices.Equal(got, want) {
			t.Errorf("%s: sent %q, want %q", c.name, got, want)
		}
		for _, r := range of(records, history.Request)[1:] {
			if r.Value != 1 {
				t.Errorf("%s: it sends value %d, want the same again", c.name, r.Value)
			}
		}
		if got := of(records, history.Write); len(got) != c.writes {
			t.Errorf("%s: %d writes took effect, want %d", c.name, len(got), c.writes)
		}
		if ends := of(records, history.BeliefEnd); len(ends) != 1 || ends[0].Text != "" || ends[0].At.Duration() != 804*ms {
			t.Errorf("%s: the section ended %+v", c.name, ends)
		}
	}
}

// Who has no answer to as many requests as it sends gives up: it releases, and begins no other cycle.
func TestRequestIsGivenUp(t *testing.T) {
	for attempts, want := range map[int]time.Duration{0: 400 * ms, 1: 400 * ms, 2: 800 * ms, 3: 1200 * ms} {
		l := &library{}
		s := scene{then: cut(0, time.Minute)}
		records, _ := s.play(t, l, client.Workload{Cycles: 2, RequestTimeout: 400 * ms, RequestAttempts: attempts})
		if got := len(sent(records)); got != max(attempts, 1) {
			t.Errorf("%d attempts: sent %d times", attempts, got)
		}
		if got := instants(records, history.BeliefEnd); !slices.Equal(got, []time.Duration{want}) {
			t.Errorf("%d attempts: the section ended at %v, want %v", attempts, got, want)
		}
		if len(l.released) != 1 {
			t.Errorf("%d attempts: released %d times", attempts, len(l.released))
		}
	}
}

// What was rejected is not sent again.
func TestRejectionIsFinal(t *testing.T) {
	s := scene{guard: "if-match", then: []event{meanwhile(2500*time.Microsecond, 0)}}
	records, _ := s.play(t, &library{}, client.Workload{RequestAttempts: 3})
	if got, want := sent(records), []string{"read 1", "write 1"}; !slices.Equal(got, want) || len(of(records, history.Reject)) != 1 {
		t.Errorf("sent %q, want %q; %+v", got, want, of(records, history.Reject))
	}
}

// The write with If-Match was applied, its answer was lost, and the resource knows no copies: to the
// client its own write is a failure.
func TestOwnWriteIsTakenForAnothers(t *testing.T) {
	for copies, kinds := range map[bool][]history.Kind{
		false: {history.Read, history.Write},
		true:  {history.Read, history.Write, history.Reject},
	} {
		s := scene{guard: "if-match", of: resource.Settings{Kind: resource.Object, ServesCopies: copies}, then: cut(2500*time.Microsecond, 401*ms)}
		records, _ := s.play(t, &library{}, client.Workload{RequestTimeout: 400 * ms, RequestAttempts: 2})
		var got []history.Kind
		for _, r := range records {
			if r.Kind == history.Read || r.Kind == history.Write || r.Kind == history.Reject {
				got = append(got, r.Kind)
			}
		}
		if !slices.Equal(got, kinds) {
			t.Errorf("copies are served %t: %v, want %v", copies, got, kinds)
		}
		if end := of(records, history.BeliefEnd)[0]; (end.Text != "") != copies {
			t.Errorf("copies are served %t: the section ended for %q", copies, end.Text)
		}
	}
}

// A loss that is noticed between two copies of a request ends the section: with `every` and `timer`
// the client asks before each request.
func TestNothingIsSentAgainAfterALoss(t *testing.T) {
	for check, want := range map[client.Check]int{client.CheckNever: 3, client.CheckBeforeWrite: 3, client.CheckEvery: 1, client.CheckTimer: 1} {
		s := scene{then: cut(0, time.Minute)}
		records, _ := s.play(t, &library{lostAt: sim.Time(100 * ms)}, client.Workload{
			Check: check, CheckPeriod: 100 * ms, RequestTimeout: 400 * ms, RequestAttempts: 3})
		if got := len(sent(records)); got != want {
			t.Errorf("check %s: sent %d times, want %d", check, got, want)
		}
	}
}

// With several objects the client does one thing with each, in order, and then the next.
func TestOrderOfRequests(t *testing.T) {
	two := resource.Settings{Objects: 2}
	jobs := resource.Settings{Kind: resource.Effect, Objects: 2}
	recorded := jobs
	recorded.RecordsFirst = true
	for _, c := range []struct {
		guard string
		of    resource.Settings
		want  []string
	}{
		{"none", two, []string{"read 1", "read 2", "write 1", "write 2"}},
		{"mark", two, []string{"mark 1", "mark 2", "read 1", "read 2", "write 1", "write 2"}},
		{"none", jobs, []string{"read 1", "read 2", "effect 1", "effect 2", "write 1", "write 2"}},
		{"none", recorded, []string{"read 1", "read 2", "write 1", "write 2", "effect 1", "effect 2"}},
	} {
		records, _ := scene{guard: c.guard, of: c.of}.play(t, &library{}, client.Workload{})
		if got := sent(records); !slices.Equal(got, c.want) {
			t.Errorf("%s, %+v: %q, want %q", c.guard, c.of, got, c.want)
		}
		values := map[int64]bool{}
		for _, r := range of(records, history.Write) {
			values[r.Value] = true
		}
		if len(values) != 2 {
			t.Errorf("%s: two objects got the values %v", c.guard, values)
		}
	}
}

// Each object is written upon the version that was read of it.
func TestVersionsOfSeveralObjects(t *testing.T) {
	s := scene{guard: "if-match", of: resource.Settings{Kind: resource.Counter, Objects: 3}}
	records, _ := s.play(t, &library{}, client.Workload{Cycles: 2})
	writes := of(records, history.Write)
	if len(writes) != 6 || len(of(records, history.Reject)) != 0 {
		t.Fatalf("%+v", writes)
	}
	for i, w := range writes {
		if int(w.Object) != i%3 || w.Content != int64(1+i/3) {
			t.Errorf("write %d: object %d counts to %d", i, w.Object+1, w.Content)
		}
	}
}

// A client that looks before each request does so before each of several, and once before the first
// write if it looks there alone.
func TestChecksBeforeEachOfSeveral(t *testing.T) {
	for check, want := range map[client.Check]int{client.CheckNever: 0, client.CheckBeforeWrite: 1, client.CheckEvery: 6, client.CheckTimer: 6} {
		records, _ := scene{guard: "mark", of: resource.Settings{Objects: 2}}.play(t, &library{}, client.Workload{Check: check, CheckPeriod: 100 * ms})
		if got := len(of(records, history.Check)); got != want {
			t.Errorf("check %s: looked %d times, want %d", check, got, want)
		}
	}
	// Lost when the first of two reads is on its way.
	records, _ := scene{of: resource.Settings{Objects: 2}}.play(t, &library{lostAt: sim.Time(ms)}, client.Workload{Check: client.CheckEvery})
	if got, want := sent(records), []string{"read 1"}; !slices.Equal(got, want) {
		t.Errorf("after the loss: %q, want %q", got, want)
	}
}

// What is not there, or is referred to, is not deleted, and nothing is sent for it.
func TestPruneWithNothingToDelete(t *testing.T) {
	s := scene{of: resource.Settings{Kind: resource.References}}
	records, steps := s.play(t, &library{}, client.Workload{Cycles: 2, Prunes: true})
	if got, want := sent(records), []string{"read 1", "write 1", "read 1"}; !slices.Equal(got, want) {
		t.Errorf("it pruned and came again: %q, want %q", got, want)
	}
	if n := len(of(records, history.ReleaseEnd)); n != 2 {
		t.Errorf("%d sections, want 2: with nothing to delete it is done", n)
	}
	if got := steps[len(steps)-1]; got != "read.reply" {
		t.Errorf("the last step is %s", got)
	}
	s.then = []event{meanwhile(0, 1)}
	records, _ = s.play(t, &library{}, client.Workload{Start: ms, Prunes: true})
	if got, want := sent(records), []string{"read 1"}; !slices.Equal(got, want) {
		t.Errorf("somebody refers to it: %q, want %q", got, want)
	}
}

// A reference is made to what is there, and what is gone is made anew with it.
func TestReferenceToWhatIsGone(t *testing.T) {
	for name, then := range map[string][]event{"there": nil, "gone": {meanwhile(0, 0)}} {
		s := scene{of: resource.Settings{Kind: resource.References}, then: then}
		records, _ := s.play(t, &library{}, client.Workload{Start: ms})
		writes := of(records, history.Write)
		if last := writes[len(writes)-1]; last.Change != history.Refers || last.Content != history.Referenced {
			t.Errorf("%s: %+v", name, last)
		}
	}
}
