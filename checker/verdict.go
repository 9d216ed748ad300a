// Package checker turns a record into a verdict: four properties that are never
// merged into one, two answers about linearizability, the evidence, and who is at
// fault.
package checker

import (
	"slices"

	"fencepost/checker/linear"
	"fencepost/checker/monitor"
)

// Status is the value of a property.
type Status string

const (
	OK       Status = "ok"
	Violated Status = "violated"
	// Unknown: a bound was hit, so the answer is not known. Violated outranks it.
	Unknown Status = "unknown"
	// NotApplicable: the question makes no sense here, or the run was not made.
	NotApplicable Status = "n/a"
)

// Statuses are the accepted values.
var Statuses = []string{string(OK), string(Violated), string(Unknown), string(NotApplicable)}

// Linearizable is how the names of porcupine's answers begin.
const Linearizable = "linearizable"

// Names of the properties, as scenarios, charts and results spell them.
const (
	Grants         = "grants"
	Exclusion      = "exclusion"
	ResourceName   = "resource"
	Progress       = "progress"
	LinearLock     = Linearizable + ".lock"
	LinearResource = Linearizable + ".resource"
	// Tokens is the property of a lock with fencing tokens that they rise from hold to
	// hold. Without tokens it is n/a.
	Tokens = "tokens"
)

// Properties are the names in the order in which they are shown: what the monitors decide,
// and then porcupine's answers.
var Properties = []string{Grants, Exclusion, ResourceName, Progress, Tokens, LinearLock, LinearResource}

// Verdict is the answer to every question about one run.
type Verdict struct {
	Grants, Exclusion, Resource, Progress Status
	LinearLock, LinearResource            Status
	// Tokens is n/a if nobody was given a token.
	Tokens Status
	// Bound names the bound that was hit, if one was.
	Bound string
}

// Of returns the status of a property by name.
func (v *Verdict) Of(property string) Status {
	switch property {
	case Grants:
		return v.Grants
	case Exclusion:
		return v.Exclusion
	case ResourceName:
		return v.Resource
	case Progress:
		return v.Progress
	case LinearLock:
		return v.LinearLock
	case LinearResource:
		return v.LinearResource
	case Tokens:
		return v.Tokens
	}
	return NotApplicable
}

// violated reports whether anything is.
func (v *Verdict) violated() bool {
	return slices.ContainsFunc(Properties, func(p string) bool { return v.Of(p) == Violated })
}

// statusOf judges one monitor: a violation is certain even if a bound was hit.
func statusOf(m interface{ Violated() bool }, bounded bool) Status {
	switch {
	case m.Violated():
		return Violated
	case bounded:
		return Unknown
	}
	return OK
}

// linearStatus judges an answer: what is missing from a run that a bound ended might
// break an order that exists so far.
func linearStatus(a linear.Answer, bounded bool) Status {
	switch {
	case a == linear.NotLinearizable:
		return Violated
	case a == linear.Linearizable && !bounded:
		return OK
	}
	return Unknown
}

func firstKind(f []monitor.Finding) string {
	if len(f) == 0 {
		return ""
	}
	return f[0].Kind
}
