package linear

import (
	"math"

	"github.com/anishathalye/porcupine"

	"fencepost/sim/history"
)

// never is the return time of the first operation that does not return; the next one
// is a tick later, since porcupine takes equal times for concurrent ones.
const never = math.MaxInt64 / 2

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
			c.add(r, operation{hold: r.Hold}, c.calls[r.Hold], int64(r.Sequence))
		case history.BeliefEnd:
			c.index[r.Hold] = len(c.operations) + 1
			c.add(r, operation{hold: r.Hold, release: true}, int64(r.Sequence), never+int64(r.Sequence))
		case history.Crash:
			c.crash(r)
		case history.ReleaseEnd:
			if at := c.index[r.Hold]; at > 0 {
				c.operations[at-1].Return = int64(r.Sequence)
			}
		}
	}
}

// crash ends the beliefs of an executor that has none of them released: each is a
// release that is called now and never returns.
func (c *Checker) crash(r *history.Record) {
	for i, n := 0, len(c.operations); i < n; i++ {
		op := c.operations[i].Input.(operation)
		if c.operations[i].ClientId == int(r.Executor) && !op.release && c.index[op.hold] == 0 {
			c.index[op.hold] = len(c.operations) + 1
			c.add(r, operation{hold: op.hold, release: true}, int64(r.Sequence), never+int64(r.Sequence))
		}
	}
}

// section is a critical section as the resource saw it.
type section struct {
	operation
	first, last int64 // sequence numbers of the first request and the last effect
	executor    history.Executor
	touched     bool
}

// collectSections turns the record into one operation a section, and the audit.
func (c *Checker) collectSections(h *history.Recorder, audit int64) {
	c.reset(len(h.Holds))
	for i := range h.Records {
		r := &h.Records[i]
		if r.Kind != history.Request && r.Kind != history.Read && r.Kind != history.Write {
			continue
		}
		s := c.sectionOf(r)
		switch r.Kind {
		case history.Read:
			s.touched, s.last = true, int64(r.Sequence)
			if !s.reads && !s.writes {
				s.reads, s.seen = true, r.Value
			}
		case history.Write:
			s.touched, s.last = true, int64(r.Sequence)
			s.writes, s.written = true, r.Value
		}
	}
	for i := range c.sections {
		if s := &c.sections[i]; s.touched {
			c.operations = append(c.operations, porcupine.Operation{
				ClientId: int(s.executor), Input: s.operation, Call: s.first, Return: s.last})
		}
	}
	end := int64(never)
	c.operations = append(c.operations, porcupine.Operation{
		Input: operation{reads: true, seen: audit}, Call: end, Return: end + 1})
}

// sectionOf returns the section of the record's hold, opening it at its first request.
func (c *Checker) sectionOf(r *history.Record) *section {
	if c.index[r.Hold] == 0 {
		c.sections = append(c.sections, section{
			operation: operation{hold: r.Hold}, first: int64(r.Sequence), executor: r.Executor})
		c.index[r.Hold] = len(c.sections)
	}
	return &c.sections[c.index[r.Hold]-1]
}

func (c *Checker) reset(holds int) {
	c.operations, c.sections = c.operations[:0], c.sections[:0]
	if cap(c.index) <= holds {
		c.index, c.calls = make([]int, holds+1), make([]int64, holds+1)
	}
	c.index, c.calls = c.index[:holds+1], c.calls[:holds+1]
	clear(c.index)
}

func (c *Checker) add(r *history.Record, op operation, call, ret int64) {
	c.operations = append(c.operations, porcupine.Operation{ClientId: int(r.Executor), Input: op, Call: call, Return: ret})
}
