//go:build linux

package live

import "fencepost/checker/external"

// note adds an order that was carried out to a history, if it is one to the lock.
func note(h *external.History, process string, o order) {
	if o.Do != "acquire" && o.Do != "release" {
		return
	}
	outcome := external.OK
	if !o.OK {
		outcome = external.Fail
	}
	h.Operations = append(h.Operations, external.Operation{Process: process, Owner: process, Op: o.Do, Outcome: outcome,
		Call: o.Called, Return: o.Returned, Token: o.Token})
}
