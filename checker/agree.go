package checker

import (
	"fmt"

	"fencepost/checker/linear"
)

// agreeOnLock compares with porcupine: beliefs overlap exactly if the lock history is not
// linearizable.
func (c *Checker) agreeOnLock(lock linear.Answer) error {
	if lock != linear.Unknown && c.Exclusion.Violated() != (lock == linear.NotLinearizable) {
		return fmt.Errorf("checkers disagree: beliefs overlap: %t, but the lock history is %v", c.Exclusion.Violated(), lock)
	}
	return nil
}

// agreeOnResource: where each read saw the newest value, updates are lost exactly if the
// resource history is not linearizable.
func (c *Checker) agreeOnResource(resource linear.Answer) error {
	lost := c.Resource.LostUpdates > 0
	if resource == linear.Unknown || c.Resource.StaleReads > 0 {
		return nil
	}
	if lost != (resource == linear.NotLinearizable) {
		return fmt.Errorf("checkers disagree: updates are lost: %t, but the resource history is %v", lost, resource)
	}
	return nil
}

// agreeOnTokens: where no beliefs overlap, tokens fall or repeat from belief to belief exactly
// if the history of a fenced mutex is not linearizable.
func (c *Checker) agreeOnTokens(tokens linear.Answer) error {
	if tokens == linear.Unknown || c.Exclusion.Violated() {
		return nil
	}
	if broken := c.Tokens.BeliefOrder > 0; broken != (tokens == linear.NotLinearizable) {
		return fmt.Errorf("checkers disagree: tokens are out of the order of beliefs: %t, but the token history is %v", broken, tokens)
	}
	return nil
}
