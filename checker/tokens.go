package checker

import (
	"fmt"

	"fencepost/checker/monitor"
	"fencepost/sim/history"
)

// lowToken says which token was too low, and for whom.
func (f *facts) lowToken(v monitor.Finding) string {
	did := "was let in"
	if v.Kind == "belief-order" {
		did = "began to believe"
	}
	before := f.name(v.First) + " before it"
	if v.First == v.Second {
		before = "its own before"
	}
	return fmt.Sprintf("at %s %s %s with token %d, which is not above token %d of %s", Seconds(v.At), f.name(v.Second), did, v.SecondToken, v.FirstToken, before)
}

// blameTokens: nothing was harmed, but a guard that compares tokens cannot tell an older
// holder from a newer one, and may have rejected the newer.
func (f *facts) blameTokens(v monitor.Finding, s Setting) string {
	if refused, ok := f.refusedHolder(); ok {
		return f.tokensFell(refused, s)
	}
	if v.Kind == "belief-order" {
		return fmt.Sprintf("The library of %s: %s. The service's own order was right.", f.name(v.Second), f.lowToken(v))
	}
	return fmt.Sprintf("The tokens: %s. Comparing them does not tell the older holder from the newer.", f.lowToken(v))
}

// tokensFell: a holder was rejected.
func (f *facts) tokensFell(refused history.Record, s Setting) string {
	return fmt.Sprintf("The tokens: %s had the lock, and the guard %s rejected its %s at %s, since token %d had been seen before it: tokens fell from hold to hold.",
		f.who(refused.Hold), s.Guard, refused.Effect, Seconds(refused.At), refused.Base)
}
