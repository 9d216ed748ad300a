package linear

import (
	"github.com/anishathalye/porcupine"

	"fencepost/checker/linear/spec"
	"fencepost/sim/history"
)

// collectLock turns the record into calls and returns of a mutex.
func (c *Checker) collectLock(h *history.Recorder) {
	c.reset(len(h.Holds))
	for i := range h.Records {
		r := &h.Records[i]
		switch r.Kind {
		case history.Attempt:
			c.calls[r.Hold] = int64(r.Sequence)
		case history.BeliefBegin:
			c.index[r.Hold] = 0 // a belief that is resumed has not been released
			c.add(r, spec.Acquire, r.Hold, c.calls[r.Hold], int64(r.Sequence))
		case history.BeliefEnd:
			c.release(r, r.Hold)
		case history.Crash:
			c.crash(r)
		case history.ReleaseEnd:
			c.returned(r)
		}
	}
}

// returned notes when the call of release came back.
func (c *Checker) returned(r *history.Record) {
	if at := c.index[r.Hold]; at > 0 {
		c.operations[at-1].Return = int64(r.Sequence)
	}
}

// release is called now, and never returns as far as is known.
func (c *Checker) release(r *history.Record, hold history.HoldID) {
	c.index[hold] = len(c.operations) + 1
	c.add(r, spec.Release, hold, int64(r.Sequence), spec.Never)
}

// crash releases the holds of an executor that are not released.
func (c *Checker) crash(r *history.Record) {
	for i, n := 0, len(c.operations); i < n; i++ {
		op := c.operations[i].Input.(spec.LockInput)
		hold := history.HoldID(op.Owner)
		if c.operations[i].ClientId == int(r.Executor) && op.Op == spec.Acquire && c.index[hold] == 0 {
			c.release(r, hold)
		}
	}
}

func (c *Checker) add(r *history.Record, op spec.LockOp, hold history.HoldID, call, ret int64) {
	c.operations = append(c.operations, porcupine.Operation{
		ClientId: int(r.Executor), Input: spec.LockInput{Op: op, Owner: spec.Owner(hold)}, Call: call, Return: ret})
}

// section is a critical section as the resource saw it.
type section struct {
	spec.SectionInput[int64]
	first, last int64 // sequence numbers of the first request and the last effect
	executor    history.Executor
	touched     bool
}

// keys names the objects, so that each is searched by itself.
var keys = [history.MaxObjects]string{"", "2", "3", "4", "5", "6", "7", "8"}

// collectSections turns the record into one operation a section and object, and the audit.
func (c *Checker) collectSections(h *history.Recorder, audit []int64) {
	c.objects = len(audit)
	c.reset(len(h.Holds) * len(audit))
	for i := range h.Records {
		r := &h.Records[i]
		if r.Kind != history.Request && r.Kind != history.Read && r.Kind != history.Write {
			continue
		}
		s := c.sectionOf(r)
		switch r.Kind {
		case history.Read:
			s.touched, s.last = true, int64(r.Sequence)
			if !s.Writes { // a read that is sent again replaces the one before
				s.Reads, s.Seen = true, r.Value
			}
		case history.Write:
			if s.Writes && s.Written == r.Value && r.Base != r.Value {
				c.again(r, *s)
				continue
			}
			s.touched, s.last = true, int64(r.Sequence)
			s.Writes, s.Written = true, r.Value
		}
	}
	for i := range c.sections {
		if s := &c.sections[i]; s.touched {
			c.operations = append(c.operations, porcupine.Operation{
				ClientId: int(s.executor), Input: s.SectionInput, Output: spec.OK, Call: s.first, Return: s.last})
		}
	}
	for i, value := range audit {
		c.operations = append(c.operations, porcupine.Operation{
			Input: spec.SectionInput[int64]{Key: keys[i], Reads: true, Seen: value}, Output: spec.OK, Call: spec.Never - 1, Return: spec.Never})
	}
}

// again adds a section a second time: a copy of its write has replaced what others wrote since.
// That is what the section does, on what it read, at another instant.
func (c *Checker) again(r *history.Record, s section) {
	s.first, s.last = int64(r.Sequence), int64(r.Sequence)
	c.sections = append(c.sections, s)
}

// sectionOf returns the section of the record's hold on its object, opening it at its first request.
func (c *Checker) sectionOf(r *history.Record) *section {
	at := &c.index[(int(r.Hold)-1)*c.objects+int(r.Object)+1]
	if *at == 0 {
		c.sections = append(c.sections, section{first: int64(r.Sequence), executor: r.Executor})
		*at = len(c.sections)
		c.sections[*at-1].Key = keys[r.Object]
	}
	return &c.sections[*at-1]
}

func (c *Checker) reset(holds int) {
	c.operations, c.sections = c.operations[:0], c.sections[:0]
	if cap(c.index) <= holds {
		c.index, c.calls = make([]int, holds+1), make([]int64, holds+1)
	}
	c.index, c.calls = c.index[:holds+1], c.calls[:holds+1]
	clear(c.index)
}
