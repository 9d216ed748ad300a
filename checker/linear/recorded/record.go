package recorded

import (
	"github.com/anishathalye/porcupine"

	"fencepost/checker/external"
	"fencepost/checker/linear/spec"
)

// recording turns the operations of one key into the history that the model of its lock or
// value is asked about, by the rules of package spec.
type recording struct {
	options  *Options
	owners   *owners
	history  []porcupine.Operation
	left     int            // operations that are left out
	leftOut  map[string]int // by the reason
	standing map[spec.Owner]*standing
	current  map[spec.Owner]*lease
	blurred  map[spec.Owner]bool // may have one of two leases
	leases   []*lease
}

// record records the operations that had been called by an instant, and takes those that had
// not returned by then for operations without an answer. With Never it is the whole history.
func (j *judge) record(ops []prepared, until int64) *recording {
	r := &recording{options: &j.options, owners: j.owners, leftOut: map[string]int{},
		standing: map[spec.Owner]*standing{}, current: map[spec.Owner]*lease{}, blurred: map[spec.Owner]bool{}}
	for i := range ops {
		op := &ops[i]
		if op.Call > until {
			break
		}
		outcome := op.Outcome
		if op.Return > until {
			outcome = external.Info
		}
		j.model.record(r, op, outcome)
	}
	r.expire()
	return r
}

// leave counts an operation that the model is not asked about.
func (r *recording) leave(why string) {
	r.left++
	r.leftOut[why]++
}

// Why operations are left out.
const (
	failed        = "failed, and so changed nothing"
	unansweredGet = "reads without an answer"
	unknownTake   = "acquires of unknown outcome: their callers believed nothing"
	takenBack     = "releases of what was not known to be held"
	unknownRenew  = "renewals of unknown outcome"
	unknownLease  = "of one of two leases, it is not known which"
)

// add puts an operation into the history. One whose outcome is unknown may take effect at
// any time after its call.
func (r *recording) add(op *prepared, in, out any, outcome external.Outcome) {
	ret := op.Return
	if outcome == external.Info {
		ret = spec.Never
	}
	r.history = append(r.history, porcupine.Operation{ClientId: r.owners.process(op.Process),
		Input: in, Output: out, Call: op.Call, Return: ret, Metadata: op.Operation})
}

// lock is an operation's input with its owner.
func (r *recording) lock(op *prepared) spec.LockInput {
	in := op.in.(spec.LockInput)
	in.Owner = r.owners.number(op.Owner)
	return in
}

// mutex records for a [spec.StrictMutex], or, if failures say nothing, what was believed.
func (r *recording) mutex(op *prepared, outcome external.Outcome) {
	if r.options.Failures == Nothing {
		r.hold(op, outcome)
		return
	}
	r.add(op, r.lock(op), answer(outcome), outcome)
}

// answer is the outcome as package spec has it.
func answer(o external.Outcome) spec.Outcome {
	return [...]spec.Outcome{external.OK: spec.OK, external.Fail: spec.Failed, external.Info: spec.Unknown}[o]
}

// standing is what an owner is known to hold.
type standing struct {
	shared, exclusive holds
}

// holds are those of one kind: permits that are known to be held, and whether there are
// some of which that is not known.
type holds struct {
	known   int
	unclear bool
}

// hold records what the callers believed to hold. An acquire that did not succeed is left
// out, and with it the release that takes it back. A release ends the belief where it is
// called, whatever its outcome; after one that did not succeed, another may follow.
func (r *recording) hold(op *prepared, outcome external.Outcome) {
	in := r.lock(op)
	if in.Op == spec.Available {
		r.read(op, in, outcome)
		return
	}
	s := r.standing[in.Owner]
	if s == nil {
		s = &standing{}
		r.standing[in.Owner] = s
	}
	h := &s.exclusive
	if in.Op == spec.AcquireShared || in.Op == spec.ReleaseShared {
		h = &s.shared
	}
	n := max(in.Permits, 1)
	acquires := in.Op == spec.Acquire || in.Op == spec.AcquireShared || in.Op == spec.Resume
	switch {
	case acquires && outcome == external.OK:
		h.known += n
		r.add(op, in, op.out, outcome)
	case acquires && outcome == external.Info:
		h.unclear = true
		r.leave(unknownTake)
	case acquires:
		r.leave(failed)
	case h.known >= n:
		h.known -= n
		h.unclear = h.unclear || outcome != external.OK
		r.released(op, in, outcome)
	case h.unclear && h.known > 0: // some of it is of an acquire that was left out
		in.Permits, h.known = h.known, 0
		r.released(op, in, outcome)
	case outcome == external.OK && !h.unclear:
		r.add(op, in, nil, outcome) // of what nobody gave it: no model allows that
	default:
		r.leave(takenBack)
	}
}

// released records a release of what was held.
func (r *recording) released(op *prepared, in spec.LockInput, outcome external.Outcome) {
	if outcome == external.Fail {
		outcome = external.Info // the belief ended with the call, whatever came of it
	}
	r.add(op, in, nil, outcome)
}

// read records a question, which changes nothing.
func (r *recording) read(op *prepared, in any, outcome external.Outcome) {
	if outcome != external.OK {
		r.leave(unansweredGet)
		return
	}
	r.add(op, in, op.out, outcome)
}
