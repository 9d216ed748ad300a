package resource

import "fencepost/sim/history"

// Guard is the check that a resource makes before it serves a request, and what it asks of the
// programs that use it.
type Guard struct {
	Name string
	// Doc says what the guard does, and Guarantees, Not and Compared what a user of it has to
	// know: what it prevents, what it does not, and which requests it compares with what.
	Doc, Guarantees, Not, Compared string
	// Source is where the guard is described.
	Source string
	// NeedsToken says that the guard compares fencing tokens, so that a lock
	// without one cannot be used with it.
	NeedsToken bool
	// Asks says that the guard asks the lock service about the token, so that a lock whose
	// service answers no such question cannot be used with it.
	Asks bool
	// Ordered are the requests that the guard promises to serve in token order.
	Ordered []history.Effect
	// Protocol is what a holder's program does beyond reading and writing.
	Protocol Protocol

	rule rule // nil lets everything pass
}

// Protocol is what a guard asks of the program of a holder, beyond the token of its hold on each
// request, which is 0 if the lock has none.
type Protocol struct {
	// Marks: before it works, the holder sends a mark, with its token, and waits for the answer.
	Marks bool
	// OwnToken: the token is a random value that the holder draws for its hold, not the lock's.
	OwnToken bool
	// Versions: the reply to a read has the version of the data, which the write carries back.
	Versions bool
}

// KeepsNoOrder says that the guard compares something else than the lock's tokens, so that it
// cannot tell an earlier holder from a later one.
func (g *Guard) KeepsNoOrder() bool { return g.rule != nil && !g.NeedsToken }

// Usual are the guards that a run has unless others are named: those whose difference is the
// argument about fencing. The others ask more of the program, or of the lock service.
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

// kept is what a resource keeps beside its data for its guard.
type kept struct {
	token   int64 // the highest one, the mark, or the one that was set last
	version int64 // of the data: how often they were replaced
}

// request is what a guard compares.
type request struct {
	effect         history.Effect
	token, version int64
	arrived        int64 // the version of the data when the request came in
}

// rule is the comparison of a guard, in one step with what it changes: whether the request may
// pass and, if it may not for another reason than a low token, why.
type rule func(k *kept, r request) (passes bool, why string)

// effects is a set of effects.
type effects [5]bool

func setOf(list ...history.Effect) (set effects) {
	for _, e := range list {
		set[e] = true
	}
	return set
}

// fence refuses requests of some effects whose token is lower than the one that is kept, which
// requests of some effects raise. An equal token passes, since a holder sends more than one.
func fence(compared, raising effects) rule {
	return func(k *kept, r request) (bool, string) {
		switch {
		case compared[r.effect] && r.token < k.token:
			return false, ""
		case raising[r.effect]:
			k.token = r.token
		}
		return true, ""
	}
}

// ifMatch refuses a write that was made from another version. That is 412, and 409 if the version
// was right when the write came in and another write overtook it.
func ifMatch(k *kept, r request) (bool, string) {
	switch {
	case r.effect != history.WriteEffect || r.version == k.version:
		return true, ""
	case r.version == r.arrived:
		return false, history.Conflict
	}
	return false, history.VersionDiffers
}

// lastMark refuses a write whose token is not the one that was set last; whoever comes may set it.
func lastMark(k *kept, r request) (bool, string) {
	switch {
	case r.effect == history.MarkEffect:
		k.token = r.token
	case r.effect == history.WriteEffect && k.token == 0:
		return false, history.TokenForgotten
	case r.effect == history.WriteEffect && r.token != k.token:
		return false, history.TokenReplaced
	}
	return true, ""
}
