package linear

import (
	"fencepost/checker/linear/spec"
	"fencepost/sim/history"
)

var fencedMutex = spec.FencedMutex()

// Tokens checks the token history. Its answer speaks of tokens only if no two beliefs
// overlap.
func (c *Checker) Tokens(h *history.Recorder) Answer {
	c.collectTokens(h)
	return c.check(fencedMutex)
}

// told is what is known of the tokens of a hold.
type told struct {
	token  int64 // that it had last
	silent bool  // it believes without one, and is left out
}

// collectTokens turns the record into calls and returns of a fenced mutex.
func (c *Checker) collectTokens(h *history.Recorder) {
	c.reset(len(h.Holds))
	if cap(c.told) <= len(h.Holds) {
		c.told = make([]told, len(h.Holds)+1)
	}
	c.told = c.told[:len(h.Holds)+1]
	clear(c.told)
	for i := range h.Records {
		r := &h.Records[i]
		switch r.Kind {
		case history.Attempt:
			c.calls[r.Hold] = int64(r.Sequence)
		case history.BeliefBegin:
			c.believe(r)
		case history.BeliefEnd:
			if !c.told[r.Hold].silent {
				c.release(r, r.Hold)
			}
		case history.Crash:
			c.crash(r)
		case history.ReleaseEnd:
			c.returned(r)
		}
	}
}

// believe is an acquire, or a resume if its hold had this token before.
func (c *Checker) believe(r *history.Record) {
	t := &c.told[r.Hold]
	if t.silent = r.Token == 0; t.silent {
		return
	}
	op := spec.Acquire
	if t.token == r.Token {
		op = spec.Resume
	}
	t.token, c.index[r.Hold] = r.Token, 0
	c.add(r, op, r.Hold, c.calls[r.Hold], int64(r.Sequence))
	c.operations[len(c.operations)-1].Output = r.Token
}
