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

func (resourcePart) describe() mapping {
	return mapping{
		name:  "resource",
		about: "Which guard stands in front of it is chosen on the command line; see [guards](guards.md).",
		keys: []key{
			{name: "kind", takes: words(resource.KindNames()...), def: string(resource.Register), doc: "what it is, see [what the lock protects](scenarios.md#what-the-lock-protects)"},
			{name: "objects", takes: countTo(history.MaxObjects), def: "1", doc: "how many of the kind the lock protects. A holder reads all, then writes all, one after the other; each has a guard of its own, and is judged by itself"},
			{name: "apply", takes: distribution, def: "0s", doc: "how long a write takes there, from its arrival to its effect; reads and marks take effect as they arrive"},
			{name: "check", takes: words(checkAtEffect, checkAtRequest), def: checkAtEffect, doc: "when the guard compares: in one step with the effect, or when the request arrives and not again. It needs `apply`"},
			{name: "token", takes: words(tokenDurable, tokenForgotten), def: tokenDurable, doc: "whether the token that the guard compares with survives a crash of `host: resource`: `durable`, with the data, or `forgotten`. Versions are a part of the data"},
			{name: "idempotency", takes: words(copiesDropped, copiesServed), def: copiesDropped, doc: "whether a write or a job that arrives twice, or that its sender sends again, takes effect once. A mark has no key: with `yes` a copy of the network's is dropped, and one that its sender sends again is set again"},
			{name: "etag", takes: words(etagContent, etagVersion), def: etagContent, doc: "kind `object`: what its ETag is made of, the `content` as that of Amazon S3, or the `version` as a generation of Google Cloud Storage"},
			{name: "states", takes: count(2), def: "no end", doc: "kind `object`: after how many contents the first comes again"},
			{name: "order", takes: words(effectFirst, recordFirst), def: effectFirst, doc: "kind `effect`: whether a job is done or recorded first"},
			{name: "job-key", takes: yesOrNo, def: "false", doc: "kind `effect`: who does the jobs does each once"},
			{name: "guarded", takes: yesOrNo, def: "false", doc: "kind `effect`: the guard compares the request for a job as it does a write"},
			{name: "lasts", takes: distribution, def: "0s", doc: "kind `effect`: how long a job goes on, whatever becomes of its holder, who waits for it"},
		},
	}
}

func (r *reader) resource(p *resourcePart) (s resource.Settings) {
	s.Apply, s.Lasts = rng.Constant(0), rng.Constant(0)
	if p == nil {
		return s
	}
	s.Kind = resource.Kind(r.word(p.Kind, string(resource.Register), resource.KindNames()))
	s.Objects = r.countTo(p.Objects, 1, 1, history.MaxObjects)
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
			r.fail(k.at, "`%s:` says nothing with `kind: %s`: give `kind: %s` too", k.key, s.Kind, k.kind)
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
