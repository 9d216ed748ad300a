package scenarios

import (
	"fencepost/models/resource"
	"fencepost/sim/history"
	"fencepost/sim/rng"
)

// resourcePart is what the thing is like that the lock protects.
type resourcePart struct {
	Kind        *scalar `yaml:"kind"`
	Objects     *scalar `yaml:"objects"`
	Check       *scalar `yaml:"check"`
	Apply       *scalar `yaml:"apply"`
	Token       *scalar `yaml:"token"`
	Idempotency *scalar `yaml:"idempotency"`
	ETag        *scalar `yaml:"etag"`
	States      *scalar `yaml:"states"`
	Order       *scalar `yaml:"order"`
	JobKey      *scalar `yaml:"job-key"`
	Guarded     *scalar `yaml:"guarded"`
	Lasts       *scalar `yaml:"lasts"`
}

// Words of a resource; the first of each pair is what it is like unless a scenario says otherwise.
const (
	checkAtEffect, checkAtRequest = "effect", "request"
	tokenDurable, tokenForgotten  = "durable", "forgotten"
	copiesDropped, copiesServed   = "yes", "no"
	etagContent, etagVersion      = "content", "version"
	effectFirst, recordFirst      = "effect-first", "record-first"
)

func (r *reader) resource(p *resourcePart) (s resource.Settings) {
	s.Apply, s.Lasts = rng.Constant(0), rng.Constant(0)
	if p == nil {
		return s
	}
	s.Kind = resource.Kind(r.word(p.Kind, string(resource.Register), resource.KindNames()))
	s.Objects = r.count(p.Objects, 1, 1)
	if s.Objects > history.MaxObjects {
		r.fail(p.Objects, "%d objects: at most %d", s.Objects, history.MaxObjects)
	}
	s.Apply = r.dist(p.Apply, s.Apply)
	s.CheckAtRequest = r.word(p.Check, checkAtEffect, []string{checkAtEffect, checkAtRequest}) == checkAtRequest
	s.ForgetsToken = r.word(p.Token, tokenDurable, []string{tokenDurable, tokenForgotten}) == tokenForgotten
	s.ServesCopies = r.word(p.Idempotency, copiesDropped, []string{copiesDropped, copiesServed}) == copiesServed
	if p.Check.set() && !s.TakesTime() {
		r.fail(p.Check, "`check:` says nothing here: a write takes effect as it arrives; give `apply:` too")
	}
	r.resourceKind(p, &s)
	return s
}

// resourceKind reads what only some kinds have.
func (r *reader) resourceKind(p *resourcePart, s *resource.Settings) {
	for _, k := range []struct {
		key  string
		at   *scalar
		kind resource.Kind
	}{
		{"etag", p.ETag, resource.Object}, {"states", p.States, resource.Object}, {"order", p.Order, resource.Effect},
		{"job-key", p.JobKey, resource.Effect}, {"guarded", p.Guarded, resource.Effect}, {"lasts", p.Lasts, resource.Effect},
	} {
		if k.at.set() && s.Kind != k.kind {
			r.fail(k.at, "`%s:` says nothing of a %s: give `kind: %s` too", k.key, s.Kind, k.kind)
		}
	}
	switch s.Kind {
	case resource.Object:
		s.ContentETag = r.word(p.ETag, etagContent, []string{etagContent, etagVersion}) == etagContent
		s.States = r.count(p.States, 0, 2)
	case resource.Effect:
		s.RecordsFirst = r.word(p.Order, effectFirst, []string{effectFirst, recordFirst}) == recordFirst
		s.JobKey = r.flag(p.JobKey, false)
		s.GuardsEffect = r.flag(p.Guarded, false)
		s.Lasts = r.dist(p.Lasts, s.Lasts)
	}
}

// Resource is what the thing is like that the lock protects.
func (in *Instance) Resource() resource.Settings { return in.resource }
