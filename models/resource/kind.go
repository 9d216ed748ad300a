package resource

import "fencepost/sim/history"

// Kind is what the lock protects, by its name in scenarios.
type Kind string

const (
	// Register is a value that holders read, and replace by another that they make of it.
	Register Kind = "register"
	// Counter is a number that holders read, and replace by the next one.
	Counter Kind = "counter"
	// Log is a list of entries that holders read, and to which they append one.
	Log Kind = "log"
	// Object is one in an object store, such as Amazon S3: holders get it and put it whole.
	Object Kind = "object"
	// References is data that some holders refer to, and that others delete unless they find a
	// reference to it: backups and snapshots, and the prune of what none of them needs.
	References Kind = "references"
	// Effect is a job that has an effect outside of the data, such as a payment or a mail, and a
	// record of which jobs are done.
	Effect Kind = "effect"
)

// kindInfo is what there is to know of a kind.
type kindInfo struct {
	Name Kind
	Doc  string
	// Harms are the kinds of harm that are judged.
	Harms []string
	// Change is what a write does, unless the program says otherwise.
	Change history.Change
}

// Kinds are the kinds that exist; the first is what a resource is unless a scenario says otherwise.
var Kinds = []kindInfo{
	{Register, "a value that holders read, and replace by another that they make of it",
		[]string{"lost-update", "stale-order", "stale-read"}, history.Replaces},
	{Counter, "a number that holders read, and replace by the next one",
		[]string{"lost-update", "stale-order", "stale-read"}, history.Counts},
	{Log, "a list of entries that holders read, and to which they append one",
		[]string{"lost-update", "stale-order", "stale-read", "doubled-effect"}, history.Appends},
	{Object, "an object that holders get and put whole, with an ETag (Amazon S3)",
		[]string{"lost-update", "stale-order", "stale-read"}, history.Replaces},
	{References, "data that some holders refer to, and that those with `prunes: true` delete unless they find a reference",
		[]string{"dangling", "stale-order", "stale-read"}, history.Refers},
	{Effect, "jobs that have an effect outside of the data, such as a payment, and a record of those that are done",
		[]string{"doubled-effect", "stale-order", "stale-read"}, history.Completes},
}

// KindNames are the names of the kinds.
func KindNames() (names []string) {
	for _, k := range Kinds {
		names = append(names, string(k.Name))
	}
	return names
}

// info returns what there is to know of a kind; none is a register.
func (k Kind) info() *kindInfo {
	for i := range Kinds {
		if Kinds[i].Name == k {
			return &Kinds[i]
		}
	}
	return &Kinds[0]
}

// Harms are the kinds of harm that are judged.
func (k Kind) Harms() []string { return k.info().Harms }

// LosesUpdates reports whether a lost update is a harm, so that sections have to be atomic.
func (k Kind) LosesUpdates() bool { return k.Harms()[0] == "lost-update" }
