package resource

import "fencepost/sim/history"

// Guard is the check that a resource makes before it serves a request.
type Guard struct {
	Name string
	Doc  string
	// NeedsToken says that the guard compares fencing tokens, so that a lock
	// without one cannot be used with it.
	NeedsToken bool
	// Asks says that the guard asks the lock service about the token, so that a lock whose
	// service answers no such question cannot be used with it.
	Asks bool
	// Ordered are the requests that the guard promises to serve in token order.
	Ordered []history.Effect

	checks [3]bool // by effect
}

// Guards are the guards that exist, in the order in which they are listed.
var Guards = []Guard{
	{
		Name: "none",
		Doc:  "the resource serves every request",
	},
	{
		Name: "fence-writes",
		Doc: "a write whose token is lower than the highest token written so far is rejected; " +
			"reads are served and raise nothing",
		NeedsToken: true,
		Ordered:    []history.Effect{history.WriteEffect},
		checks:     [3]bool{history.WriteEffect: true},
	},
	{
		Name: "fence-reads-writes",
		Doc: "a read or write whose token is lower than the highest token seen so far is rejected; " +
			"a read raises it too",
		NeedsToken: true,
		Ordered:    []history.Effect{history.ReadEffect, history.WriteEffect},
		checks:     [3]bool{history.ReadEffect: true, history.WriteEffect: true},
	},
	{
		Name: "ask-service",
		Doc: "the resource asks the lock service whether the token of a read or write is still the " +
			"holder's, and serves the request when the answer is there; it remembers no token",
		NeedsToken: true,
		Asks:       true,
	},
}

// Usual are the guards that a run has unless others are named: what the others promise, few
// locks can give.
const Usual = "none,fence-writes,fence-reads-writes"

// FindGuard returns the guard of a name.
func FindGuard(name string) (Guard, bool) {
	for _, g := range Guards {
		if g.Name == name {
			return g, true
		}
	}
	return Guard{}, false
}

// GuardNames returns the names of all guards.
func GuardNames() []string {
	names := make([]string, len(Guards))
	for i, g := range Guards {
		names[i] = g.Name
	}
	return names
}
