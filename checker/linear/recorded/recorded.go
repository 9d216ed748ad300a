// Package recorded judges histories that other programs recorded: it turns their operations
// into the histories that the models of package spec are asked about, and says of each key
// whether it is linearizable, with evidence if it is not.
//
// What an operation that failed, or whose outcome is unknown, says about a lock depends on
// the model. With the strict mutex and the lease it is an answer of the lock; with the other
// locks, only what callers believed counts. The package comment of spec has the two readings.
package recorded

import (
	"fmt"
	"sort"

	"github.com/anishathalye/porcupine"

	"fencepost/checker/external"
	"fencepost/checker/linear/spec"
)

// Result is what is said about a history.
type Result struct {
	Model    string
	Failures Failures
	Verdict  spec.Answer // of the keys together: not linearizable outranks unknown
	Keys     []Key
	// Tokens is how many operations have a token that the model does not judge, and JudgesTokens
	// the model that does, if there is one.
	Tokens       int
	JudgesTokens string

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
	r := &Result{Model: j.model.name, Failures: j.options.Failures, JudgesTokens: j.model.fenced, judge: j}
	r.Tokens = j.model.unjudgedTokens(h)
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

func newJudge(h *external.History, o Options) (*judge, error) {
	m, err := choose(h, &o)
	if err != nil {
		return nil, err
	}
	if err := m.parameters(h, &o); err != nil {
		return nil, err
	}
	if m.beliefs {
		if o.Failures == Answers {
			return nil, fmt.Errorf("failures are no answers to the model %s, which asks what was believed; leave failures out", m.name)
		}
		o.Failures = Nothing
	}
	o.defaults(h.Format)
	switch {
	case m.takes == "ttl" && h.Clock != external.Nanoseconds:
		return nil, fmt.Errorf("%s: a lease needs times on one clock, and those of a Jepsen history are not used; write it as JSON lines", h.File)
	case o.Failures != Answers && o.Failures != Nothing:
		return nil, fmt.Errorf("failures %q are not known; accepted: %s, %s", o.Failures, Answers, Nothing)
	}
	return &judge{m, o, newOwners(h.Operations), m.build(&o)}, nil
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
