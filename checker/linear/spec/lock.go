package spec

import "fmt"

// LockOp is what is asked of a lock. Each model says which of them it knows.
type LockOp uint8

const (
	Acquire LockOp = iota
	Release
	// AcquireShared and ReleaseShared are those of a reader.
	AcquireShared
	ReleaseShared
	// Resume goes on with a hold that had been released for want of news, under the
	// token that it had.
	Resume
	// Renew makes a lease last longer.
	Renew
	// Expire is the end of a lease for which nobody asked.
	Expire
	// Available asks how many permits are free.
	Available
)

// String returns the word for the operation.
func (o LockOp) String() string {
	words := [...]string{"acquire", "release", "acquire-shared", "release-shared", "resume", "renew", "expire", "available"}
	if int(o) < len(words) {
		return words[o]
	}
	return fmt.Sprintf("LockOp(%d)", uint8(o))
}

// LockInput is the input of one operation on a lock.
type LockInput struct {
	Key     string // which lock, if there are several
	Op      LockOp
	Owner   Owner
	Permits int // how many; of a semaphore only
}

// String writes the call.
func (in LockInput) String() string {
	switch {
	case in.Op == Available:
		return call(in.Key, in.Op.String())
	case in.Permits != 0:
		return call(in.Key, in.Op.String(), in.Owner, in.Permits)
	}
	return call(in.Key, in.Op.String(), in.Owner)
}

func (in LockInput) key() string { return in.Key }

// foreign stops a search that asks a model for something that its lock does not have: no
// answer about such a history would mean anything.
func (in LockInput) foreign(model string) string {
	return fmt.Sprintf("spec: a %s does not know %v", model, in)
}
