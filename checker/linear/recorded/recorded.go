// Package recorded judges histories that other programs recorded: it turns their operations
// into the histories that the models of package spec are asked about, and says of each key
// whether it is linearizable, with evidence if it is not.
//
// What an operation that failed, or whose outcome is unknown, says about a lock depends on
// the model. With the strict mutex and the lease it is an answer of the lock; with the other
// locks, only what callers believed counts. The package comment of spec has the two readings.
package recorded

import (
	"cmp"
	"fmt"
	"sort"

	"github.com/anishathalye/porcupine"

	"fencepost/checker/external"
	"fencepost/checker/linear"
	"fencepost/checker/linear/spec"
)

// Result is what is said about a history.
type Result struct {
	Model    string
	Failures Failures
	Verdict  spec.Answer // of the keys together: not linearizable outranks unknown
	Keys     []Key

	judge   *judge
	history []porcupine.Operation
}

// Key is what is said about one lock or value.
type Key struct {
	Name       string
	Verdict    spec.Answer
	Operations int            // that were recorded
	Judged     int            // that the model was asked about
	LeftOut    map[string]int // the others, by the reason
	Evidence   *Evidence      // if it is not linearizable
}

type judge struct {
	model   *model
	options Options
	owners  *owners
	spec    porcupine.Model
}

// Judge judges a history.
func Judge(h *external.History, o Options) (*Result, error) {
	j, err := newJudge(h, o)
	if err != nil {
		return nil, err
	}
	keys, byKey, err := j.model.prepare(h)
	if err != nil {
		return nil, err
	}
	r := &Result{Model: j.model.name, Failures: j.options.Failures, judge: j}
	for _, name := range keys {
		ops := byKey[name]
		recording := j.record(ops, external.Never)
		k := Key{Name: name, Operations: len(ops), Judged: len(ops) - recording.left, LeftOut: recording.leftOut, Verdict: j.check(recording)}
		if k.Verdict == spec.NotLinearizable {
			k.Evidence = j.evidence(ops)
		}
		r.Keys = append(r.Keys, k)
		r.Verdict = worse(r.Verdict, k.Verdict)
		r.history = append(r.history, recording.history...)
	}
	return r, nil
}

// maxPermits bounds a semaphore, whose states have a place for each permit.
const maxPermits = 10_000

func newJudge(h *external.History, o Options) (*judge, error) {
	m, err := choose(h, &o)
	if err != nil {
		return nil, err
	}
	if err := m.refuse(parameters{o.Limit, o.Permits, o.TTL, o.Initial}); err != nil {
		return nil, err
	}
	if m.name == h.Header.Model {
		header := parameters{h.Header.Limit, h.Header.Permits, h.Header.TTL, h.Header.Initial}
		if err := m.refuse(header); err != nil {
			return nil, fmt.Errorf("%s: %w", h.File, err)
		}
		o.fill(header)
	}
	if m.beliefs {
		if o.Failures == Answers {
			return nil, fmt.Errorf("failures are no answers to the model %s, which asks what was believed; leave failures out", m.name)
		}
		o.Failures = Nothing
	}
	o.defaults(h.Format)
	switch {
	case o.Permits > maxPermits:
		return nil, fmt.Errorf("permits %d are too many: at most %d", o.Permits, maxPermits)
	case m.takes == "permits" && o.Permits == 0:
		return nil, fmt.Errorf("a semaphore needs its number of permits")
	case m.takes == "ttl" && o.TTL == 0:
		return nil, fmt.Errorf("a lease needs its length, the ttl")
	case m.takes == "ttl" && h.Clock != external.Nanoseconds:
		return nil, fmt.Errorf("%s: a lease needs times on one clock, and those of a Jepsen history are not used; write it as JSON lines", h.File)
	case o.Failures != Answers && o.Failures != Nothing:
		return nil, fmt.Errorf("failures %q are not known; accepted: %s, %s", o.Failures, Answers, Nothing)
	}
	return &judge{m, o, newOwners(h.Operations), m.build(&o)}, nil
}

// parameters are those of all models.
type parameters struct {
	limit, permits int
	ttl            int64
	initial        string
}

// refuse fails on a parameter that the model does not have: it would be skipped.
func (m *model) refuse(p parameters) error {
	for _, of := range []struct {
		name  string
		given bool
	}{{"limit", p.limit != 0}, {"permits", p.permits != 0}, {"ttl", p.ttl != 0}, {"initial", p.initial != ""}} {
		if of.given && of.name != m.takes {
			return fmt.Errorf("%s is not a parameter of a %s", of.name, m.name)
		}
	}
	return nil
}

// fill takes from the header what the options do not say.
func (o *Options) fill(p parameters) {
	o.Limit = cmp.Or(o.Limit, p.limit)
	o.Permits = cmp.Or(o.Permits, p.permits)
	o.TTL = cmp.Or(o.TTL, p.ttl)
	o.Initial = cmp.Or(o.Initial, p.initial)
}

func (o *Options) defaults(f external.Format) {
	o.Initial = cmp.Or(o.Initial, "null")
	o.MaxSteps = cmp.Or(o.MaxSteps, linear.MaxSteps)
	if o.Failures == "" {
		o.Failures = Answers
		if f == external.Jepsen {
			o.Failures = Nothing
		}
	}
}

func (j *judge) check(r *recording) spec.Answer {
	return spec.Check(j.spec, r.history, j.options.MaxSteps)
}

// worse is the verdict of two keys together.
func worse(a, b spec.Answer) spec.Answer {
	if a == spec.NotLinearizable || b == spec.NotLinearizable {
		return spec.NotLinearizable
	}
	return max(a, b)
}

// prefix finds a return up to which a history has no order although up to the return before
// it it has one. Without an answer a history has an order if it has one with it, so that the
// search may halve, and the prefix is the shortest one. (If a process calls in the instant in
// which it returned, its two operations pass for concurrent, and then a shorter one may be bad
// too.) Shortest reports whether no bound was reached on the way.
func (j *judge) prefix(ops []prepared) (until int64, shortest bool) {
	var returns []int64
	for i := range ops {
		if ops[i].Return != external.Never {
			returns = append(returns, ops[i].Return)
		}
	}
	sort.Slice(returns, func(a, b int) bool { return returns[a] < returns[b] })
	shortest = true
	at := sort.Search(len(returns), func(i int) bool {
		answer := j.check(j.record(ops, returns[i]))
		if answer == spec.Undecided {
			shortest = false
		}
		return answer == spec.NotLinearizable
	})
	if at == len(returns) {
		return external.Never, false
	}
	return returns[at], shortest
}
