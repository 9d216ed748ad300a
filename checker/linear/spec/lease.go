package spec

import "github.com/anishathalye/porcupine"

// Lease is a mutex that its holder may lose: each hold has a lease, and when it ends the
// lock is free, whatever the holder believes. Use it to ask whether the service kept its
// promise; whether holders outlived their leases is a question for [Mutex].
//
// Inputs are [LockInput] with [Acquire], [Renew], [Release] or [Expire]; each hold is an
// owner of its own, so that its end cannot be taken for that of a later one. The output
// is an [Outcome]. [Failed] says of a renewal and of a release that the caller did not
// hold the lock, and of an acquire that somebody did. Leave out what failed for other
// reasons, and renewals whose outcome is unknown. An unknown acquire or release has the
// Return [Never].
//
// Times have to be times, on one clock, because a lease is one. Record one Expire, whose
// output is ignored, for each hold that was acquired or may have been. Its Call is the
// earliest instant at which the service may let somebody else in: the call of the
// acquire, or of the last renewal that succeeded, plus the length of the lease. Its Return
// is [Never], or where the service said that the lease is over. It frees the lock if the
// hold still has it.
func Lease() porcupine.Model { return newModel("a lease", Nobody, stepLease) }

func stepLease(holder Owner, in LockInput, out any) (bool, Owner) {
	switch in.Op {
	case Renew:
		return settle(outcome(out, in), holder == in.Owner, holder, holder)
	case Expire:
		if holder == in.Owner {
			return true, Nobody
		}
		return true, holder
	}
	return stepStrict(holder, in, out)
}
