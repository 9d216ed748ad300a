package linear

import (
	"fmt"
	"io"
	"math"

	"fencepost/checker/external"
	"fencepost/checker/linear/spec"
	"fencepost/sim/history"
)

// LockHistory returns the lock history of a run as other programs would record it. Each hold
// is a process and an owner of its own, and times are sequence numbers of the record.
func (c *Checker) LockHistory(h *history.Recorder) *external.History {
	c.collectLock(h)
	return c.holds("mutex")
}

// TokenHistory returns the token history of a run in the same way.
func (c *Checker) TokenHistory(h *history.Recorder) *external.History {
	c.collectTokens(h)
	return c.holds("fenced-mutex")
}

// holds turns the operations of holds into lines for a model.
func (c *Checker) holds(model string) *external.History {
	out := &external.History{Header: external.Header{Model: model}}
	resumed := map[spec.Owner]bool{}
	for i := range c.operations {
		op := &c.operations[i]
		in := op.Input.(spec.LockInput)
		e := external.Operation{Process: fmt.Sprint(in.Owner), Op: in.Op.String(), Call: op.Call, Return: op.Return}
		switch {
		case op.Return == spec.Never:
			e.Outcome = external.Info
		case in.Op != spec.Release && resumed[in.Owner]:
			// A belief that is resumed was acquired before its release. A process does one
			// thing at a time, and by the proof in package spec only the return counts.
			e.Call = op.Return
		}
		if token, has := op.Output.(int64); has {
			e.Token = token
		}
		resumed[in.Owner] = true
		e.Owner = e.Process
		out.Operations = append(out.Operations, e)
	}
	return out
}

// ResourceHistory returns the resource history of the run that [Checker.Resource] was asked
// about last: sections that read and wrote are compare-and-sets of a register.
func (c *Checker) ResourceHistory(h *history.Recorder) *external.History {
	c.collectSections(h, c.audit)
	out := &external.History{Header: external.Header{Model: "register", Initial: "0"}}
	end := int64(0)
	for i := range c.operations {
		op := &c.operations[i]
		in := op.Input.(spec.SectionInput[int64])
		e := external.Operation{Process: fmt.Sprint(i + 1), Key: in.Key, Call: op.Call, Return: op.Return}
		switch {
		case in.Reads && in.Writes:
			e.Op, e.Expected, e.Value = "cas", fmt.Sprint(in.Seen), fmt.Sprint(in.Written)
		case in.Writes:
			e.Op, e.Value = "write", fmt.Sprint(in.Written)
		default:
			e.Op, e.Value = "read", fmt.Sprint(in.Seen)
		}
		if e.Return == math.MaxInt64 { // the audit, after all others
			e.Call, e.Return = end+1, end+2
		}
		end = max(end, e.Return)
		e.Owner = e.Process
		out.Operations = append(out.Operations, e)
	}
	return out
}

// WriteLockPage writes porcupine's page about the lock history.
func (c *Checker) WriteLockPage(w io.Writer, h *history.Recorder) error {
	c.collectLock(h)
	return spec.WritePage(w, mutex, c.operations, MaxSteps)
}

// WriteTokenPage writes porcupine's page about the token history.
func (c *Checker) WriteTokenPage(w io.Writer, h *history.Recorder) error {
	c.collectTokens(h)
	return spec.WritePage(w, fencedMutex, c.operations, MaxSteps)
}

// WriteResourcePage writes porcupine's page about the resource history.
func (c *Checker) WriteResourcePage(w io.Writer, h *history.Recorder) error {
	c.collectSections(h, c.audit)
	return spec.WritePage(w, register, c.operations, MaxSteps)
}
