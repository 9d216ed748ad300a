package scenarios

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// Hold states that a coverage tells apart, of the client that a fault strikes.
const (
	// Without: it does not believe to hold the lock.
	Without = "without"
	// Holding: it believes, and what it was promised runs.
	Holding = "holding"
	// Outlived: it believes, and the promise is over.
	Outlived = "outlived"
)

var holdStates = [...]string{Without, Holding, Outlived}

// Situation is one thing that may happen: a fault of a kind strikes when a client has passed a step last,
// and is in a state. A fault of a server strikes all clients in this sense.
type Situation struct {
	Kind  string `json:"kind"`
	Step  string `json:"step"`
	State string `json:"state"`
}

// Coverage is what many runs of one lock have covered: it finds what was tried, and says nothing of
// what was not. It adds up, in any order.
type Coverage struct {
	Lock string
	// Hit counts the runs in which each cell was hit.
	Hit map[Situation]int
	// Passed are the steps and states that clients were seen in, with no kind.
	Passed map[Situation]bool
	// Kinds are those of the faults that were planned.
	Kinds map[string]bool
	// Slack is the least time that was left of a promise when its holder sent a request that it
	// protects; less than zero if the promise was over. Nothing was sent if Requests is 0.
	Slack    time.Duration
	Requests int64
	// SlackRun is the replay token of that run.
	SlackRun string
}

// NewCoverage returns that of a lock of which nothing was run.
func NewCoverage(lock string) *Coverage {
	return &Coverage{Lock: lock, Hit: map[Situation]int{}, Passed: map[Situation]bool{}, Kinds: map[string]bool{}}
}

// Reachable is every cell that can be named: each kind that was planned at each step and in each
// state in which a client was seen.
func (c *Coverage) Reachable() (cells []Situation) {
	for _, kind := range slices.Sorted(maps.Keys(c.Kinds)) {
		for at := range c.Passed {
			cells = append(cells, Situation{kind, at.Step, at.State})
		}
	}
	slices.SortFunc(cells, compareSituations)
	return cells
}

// Never are the reachable cells that were not hit.
func (c *Coverage) Never() (cells []Situation) {
	for _, cell := range c.Reachable() {
		if c.Hit[cell] == 0 {
			cells = append(cells, cell)
		}
	}
	return cells
}

func compareSituations(a, b Situation) int {
	return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Step, b.Step), cmp.Compare(a.State, b.State))
}

// Add adds what another has covered.
func (c *Coverage) Add(o *Coverage) {
	for cell, n := range o.Hit {
		c.Hit[cell] += n
	}
	maps.Copy(c.Passed, o.Passed)
	maps.Copy(c.Kinds, o.Kinds)
	if o.Requests > 0 && (c.Requests == 0 || o.Slack < c.Slack || o.Slack == c.Slack && o.SlackRun < c.SlackRun) {
		c.Slack, c.SlackRun = o.Slack, o.SlackRun
	}
	c.Requests += o.Requests
}
