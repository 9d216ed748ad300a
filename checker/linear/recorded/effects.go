package recorded

import (
	"github.com/anishathalye/porcupine"

	"fencepost/checker/external"
	"fencepost/checker/linear/spec"
)

// value records an operation on a value. A question without an answer says nothing. A change
// that failed for sure did not happen; that a condition failed says that it was not met, if
// failures are answers.
func (r *recording) value(op *prepared, outcome external.Outcome) {
	conditional, asks := false, false
	switch in := op.in.(type) {
	case spec.SectionInput[string]:
		conditional, asks = in.Reads && in.Writes, !in.Writes
	case spec.CounterInput:
		asks = in.Delta == 0
	case spec.LogInput[string]:
		asks = !in.Append
	case spec.ObjectInput[string]:
		conditional = in.Op == spec.Get || in.IfMatch != "" || in.IfAbsent
		asks = in.Op == spec.Get
	}
	switch {
	case outcome == external.Fail && conditional && r.options.Failures == Answers:
		r.add(op, op.in, without(op.out, spec.Failed), outcome)
	case asks:
		r.read(op, op.in, outcome)
	case outcome == external.Fail:
		r.leave(failed)
	case outcome == external.Info:
		r.add(op, op.in, without(op.out, spec.Unknown), outcome)
	default:
		r.add(op, op.in, op.out, outcome)
	}
}

// without is an output that says no more than an outcome.
func without(out any, o spec.Outcome) any {
	if _, is := out.(spec.ObjectOutput[string]); is {
		return spec.ObjectOutput[string]{Outcome: o}
	}
	return o
}

// lease is one hold of a lease.
type lease struct {
	op   *prepared  // the acquire
	hold spec.Owner // each hold is an owner of its own
	ends int64      // the earliest instant at which the lease may be over
}

// lease records for a [spec.Lease]. A release or a renewal is of the last lease that its
// owner got, or may have got. An owner that may have got another one while it had a lease is
// not known to have either: until it gets one for sure, what it releases or renews is left out,
// and both leases may be over at any time, for that may be what it released.
func (r *recording) lease(op *prepared, outcome external.Outcome) {
	in := r.lock(op)
	owner := in.Owner
	l := r.current[owner]
	if in.Op == spec.Acquire || l == nil {
		l = &lease{op: op, hold: r.owners.hold(op.Operation), ends: op.Call + r.options.TTL}
	}
	in.Owner = l.hold
	if r.blur(op, in.Op, owner, outcome) {
		r.leave(unknownLease)
		return
	}
	switch {
	case outcome == external.Fail && r.options.Failures == Nothing:
		r.leave(failed)
		return
	case in.Op == spec.Renew && outcome == external.Info:
		r.leave(unknownRenew)
		return
	case in.Op == spec.Renew && outcome == external.OK:
		l.ends = max(l.ends, op.Call+r.options.TTL)
	case in.Op == spec.Acquire && outcome != external.Fail:
		if r.blurred[owner] {
			l.ends = op.Call
		}
		r.current[owner] = l
		r.leases = append(r.leases, l)
	}
	r.add(op, in, answer(outcome), outcome)
}

// blur notes whether it is known which of two leases an owner has. It reports whether a release or
// a renewal is of one or the other.
func (r *recording) blur(op *prepared, what spec.LockOp, owner spec.Owner, outcome external.Outcome) bool {
	switch {
	case what != spec.Acquire:
		return r.blurred[owner]
	case outcome == external.OK:
		delete(r.blurred, owner)
	case outcome == external.Info && r.current[owner] != nil:
		r.blurred[owner] = true
		r.current[owner].ends = min(r.current[owner].ends, op.Call)
	}
	return false
}

// expire records the end of each lease, which may come at any time after it is due.
func (r *recording) expire() {
	for _, l := range r.leases {
		r.history = append(r.history, porcupine.Operation{ClientId: r.owners.process(l.op.Process),
			Input: spec.LockInput{Key: l.op.Key, Op: spec.Expire, Owner: l.hold},
			Call:  l.ends, Return: spec.Never, Metadata: l.op.Operation})
	}
}
