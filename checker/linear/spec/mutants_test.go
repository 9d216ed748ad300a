package spec_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/anishathalye/porcupine"

	"fencepost/checker/linear/spec"
)

// subject is a model and a system that keeps to it, unless one of the bugs is planted.
type subject struct {
	name  string
	model porcupine.Model
	bugs  []string
	start func(random *rand.Rand, bug string) system
}

// system is one run of a system and of its clients.
type system struct {
	// next is what a client asks for.
	next func(client int) any
	// do serves a request at once: it sets the output, and says whether the recording
	// rules keep the operation. What the request itself found out goes into the input.
	do func(op *porcupine.Operation, now int64) bool
	// lost is the output of a request whose answer is lost, nil if it is then left out;
	// without lost, no answer is.
	lost func(in any) any
	// after adds what follows from the operations of the whole run.
	after func(history []porcupine.Operation) []porcupine.Operation
}

const (
	clients  = 3
	ticks    = 45
	tries    = 2000 // histories in which a bug has to show
	maxSteps = 1_000_000
)

// run lets clients ask the system, each one thing after the other and all at once.
func (s system) run(random *rand.Rand) (history []porcupine.Operation) {
	type client struct {
		op   porcupine.Operation
		made bool // its operation has taken effect, and
		kept bool // belongs to the history
		busy bool
	}
	all := make([]client, clients)
	for now := int64(1); now <= ticks || slices.ContainsFunc(all, func(c client) bool { return c.busy }); now++ {
		n := random.IntN(clients)
		c := &all[n]
		switch {
		case !c.busy && now <= ticks:
			*c = client{op: porcupine.Operation{ClientId: n, Input: s.next(n), Call: now}, busy: true}
		case !c.busy:
		case !c.made && s.lost != nil && random.IntN(6) == 0:
			if random.IntN(2) == 0 {
				s.do(&c.op, now)
			}
			c.op.Output, c.op.Return, c.busy = s.lost(c.op.Input), spec.Never, false
			if c.op.Output != nil {
				history = append(history, c.op)
			}
		case !c.made:
			c.kept, c.made = s.do(&c.op, now), true
		default:
			c.op.Return, c.busy = now, false
			if c.kept {
				history = append(history, c.op)
			}
		}
	}
	if s.after != nil {
		history = s.after(history)
	}
	return history
}

// A system without a bug makes linearizable histories only. Each bug makes one that is
// not, out of the same requests.
func TestMutants(t *testing.T) {
	for _, s := range slices.Concat(lockSubjects, resourceSubjects) {
		t.Run(s.name, func(t *testing.T) {
			if len(s.bugs) < 3 {
				t.Errorf("only %d bugs", len(s.bugs))
			}
			check := func(seed uint64, bug string) spec.Answer {
				random := rand.New(rand.NewPCG(seed, 0))
				return spec.Check(s.model, s.start(random, bug).run(random), maxSteps)
			}
			for seed := range uint64(tries / 4) {
				if got := check(seed, ""); got != spec.Linearizable {
					t.Fatalf("seed %d: %v without a bug", seed, got)
				}
			}
			for _, bug := range s.bugs {
				seed := uint64(0)
				for seed < tries && check(seed, bug) != spec.NotLinearizable {
					seed++
				}
				if seed == tries {
					t.Errorf("%s: not found in %d histories", bug, tries)
				} else if got := check(seed, ""); got != spec.Linearizable {
					t.Errorf("%s: seed %d is %v without it", bug, seed, got)
				}
			}
		})
	}
}
