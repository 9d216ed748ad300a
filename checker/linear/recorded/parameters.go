package recorded

import (
	"cmp"
	"fmt"

	"fencepost/checker/external"
	"fencepost/checker/linear"
)

// maxPermits bounds a semaphore, whose states have a place for each permit.
const maxPermits = 10_000

// parameters are those of all models.
type parameters struct {
	limit, permits int
	ttl            int64
	initial        string
}

// parameters puts the model's parameters into the options: what they do not say, the header
// does. What is wrong with the header is an error about its line.
func (m *model) parameters(h *external.History, o *Options) error {
	if err := m.refuse(parameters{o.Limit, o.Permits, o.TTL, o.Initial}); err != nil {
		return err
	}
	at := func(err error) error { return err }
	if m.name == h.Header.Model {
		at = func(err error) error { return h.Errorf(h.Header.Line, "%w", err) }
		header := parameters{h.Header.Limit, h.Header.Permits, h.Header.TTL, h.Header.Initial}
		if err := m.refuse(header); err != nil {
			return at(err)
		}
		o.Limit, o.Permits = cmp.Or(o.Limit, header.limit), cmp.Or(o.Permits, header.permits)
		o.TTL, o.Initial = cmp.Or(o.TTL, header.ttl), cmp.Or(o.Initial, header.initial)
	}
	switch {
	case m.takes == "permits" && o.Permits == 0:
		return at(fmt.Errorf(`a semaphore needs its number of permits: "permits" beside "model", or --permits`))
	case m.takes == "ttl" && o.TTL == 0:
		return at(fmt.Errorf(`a lease needs its length, the ttl: "ttl" beside "model", in nanoseconds, or --ttl`))
	}
	return nil
}

// refuse fails on a parameter that the model does not have, for it would be skipped, or that is
// too large.
func (m *model) refuse(p parameters) error {
	for _, of := range []struct {
		name  string
		given bool
	}{{"limit", p.limit != 0}, {"permits", p.permits != 0}, {"ttl", p.ttl != 0}, {"initial", p.initial != ""}} {
		if of.given && of.name != m.takes {
			return fmt.Errorf("%s is not a parameter of %s, which has %s", of.name, m.called(), cmp.Or(m.takes, "none"))
		}
	}
	if p.permits > maxPermits {
		return fmt.Errorf("permits %d are too many: at most %d", p.permits, maxPermits)
	}
	return nil
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
