package scenarios

import (
	"fencepost/models/resource"
	"fencepost/sim/rng"
)

// resourcePart is what the thing is like that the lock protects.
type resourcePart struct {
	Check       *scalar `yaml:"check"`
	Apply       *scalar `yaml:"apply"`
	Token       *scalar `yaml:"token"`
	Idempotency *scalar `yaml:"idempotency"`
}

// Words of a resource; the first of each pair is what it is like unless a scenario says otherwise.
const (
	checkAtEffect, checkAtRequest = "effect", "request"
	tokenDurable, tokenForgotten  = "durable", "forgotten"
	copiesDropped, copiesServed   = "yes", "no"
)

func (r *reader) resource(p *resourcePart) (s resource.Settings) {
	s.Apply = rng.Constant(0)
	if p == nil {
		return s
	}
	s.Apply = r.dist(p.Apply, s.Apply)
	s.CheckAtRequest = r.word(p.Check, checkAtEffect, []string{checkAtEffect, checkAtRequest}) == checkAtRequest
	s.ForgetsToken = r.word(p.Token, tokenDurable, []string{tokenDurable, tokenForgotten}) == tokenForgotten
	s.ServesCopies = r.word(p.Idempotency, copiesDropped, []string{copiesDropped, copiesServed}) == copiesServed
	if p.Check.set() && !s.TakesTime() {
		r.fail(p.Check, "`check:` says nothing here: a write takes effect as it arrives; give `apply:` too")
	}
	return s
}

// Resource is what the thing is like that the lock protects.
func (in *Instance) Resource() resource.Settings { return in.resource }
