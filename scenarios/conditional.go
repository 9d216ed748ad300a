package scenarios

import (
	"context"
	"fmt"
	"slices"
	"time"

	"fencepost/checker"
)

// NotConditional says why no probability can be worked out over the length of a rare fault; empty if it can.
func (p *Plan) NotConditional() string {
	lengths := 0
	for i := range p.faults {
		lengths += len(p.faults[i].RareLengths())
	}
	if lengths != 1 {
		return fmt.Sprintf("%d faults have `rare: true` and a random length: exactly one is integrated", lengths)
	}
	return ""
}

// Conditionally returns the probability that a property is violated, over the length of the one rare
// fault, when everything else is drawn as under a seed; and high, which takes runs of which nobody knows
// for violated. The verdict is asked for at lengths that are exceeded with ever smaller probabilities;
// where it changes between two of them the place is found by bisection. So it is taken to change once at
// most from one of them to the next. When the context ends, the error is its own. The trial must not be
// used after another one.
func (t *Trial) Conditionally(ctx context.Context, seed uint64, property string) (q, high float64, err error) {
	err = t.under(ctx, seed, func() (err error) {
		q, high, err = t.conditionally(seed, property)
		return err
	})
	return q, high, err
}

func (t *Trial) conditionally(seed uint64, property string) (q, high float64, err error) {
	defer t.lookAside()()
	unknown := false
	is := func(accept ...checker.Status) func(time.Duration) (bool, error) {
		return func(length time.Duration) (bool, error) {
			r, err := t.runWith(seed, length)
			status := r.Verdict.Of(property)
			unknown = unknown || status == checker.Unknown
			return slices.Contains(accept, status), err
		}
	}
	l := rareLength(t.Plan)
	q, err = l.integrate(is(checker.Violated))
	if high = q; unknown && err == nil {
		high, err = l.integrate(is(checker.Violated, checker.Unknown))
	}
	return q, max(q, high), err
}

// runWith runs a seed with another length of the one rare fault.
func (t *Trial) runWith(seed uint64, length time.Duration) (Result, error) {
	draws := 0
	t.injector.Length = func(time.Duration) time.Duration {
		draws++
		return length
	}
	defer func() { t.injector.Length = nil }()
	r, err := t.Run(seed)
	if err == nil && draws > 1 {
		err = fmt.Errorf("the rare fault fired %d times in one run: the estimate conditional is for one that fires once", draws)
	}
	return r, err
}

// lookAside has the coverage count nothing of the runs until what it returns is called: they are not the
// runs of their seeds.
func (t *Trial) lookAside() (again func()) {
	if t.covering == nil {
		return func() {}
	}
	t.covering.aside = true
	return func() { t.covering.aside = false }
}
