package scenarios

import (
	"strings"
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

// key is the situation as the key of a map, which is gone through in order.
func (s Situation) key() string { return s.Kind + "\x00" + s.Step + "\x00" + s.State }

func situationOf(key string) Situation {
	part := strings.Split(key, "\x00")
	return Situation{part[0], part[1], part[2]}
}

// Coverage is what many runs of one lock have covered: it finds what was tried, and says nothing of
// what was not. It adds up, in any order.
type Coverage struct {
	Lock string
	// hit counts how often each situation was hit.
	hit map[string]int
	// passed are the steps and states that clients were seen in, with no kind.
	passed map[string]bool
	// kinds are those of the faults that were planned.
	kinds map[string]bool
	// Slack is the least time that was left of a promise when its holder sent a request that it
	// protects; less than zero if the promise was over. Nothing was sent if Requests is 0.
	Slack    time.Duration
	Requests int64
	// SlackRun is the replay token of that run.
	SlackRun string
}

// NewCoverage returns that of a lock of which nothing was run.
func NewCoverage(lock string) *Coverage {
	return &Coverage{Lock: lock, hit: map[string]int{}, passed: map[string]bool{}, kinds: map[string]bool{}}
}

// Reachable is every situation that can be named: each kind that was planned at each step and in each
// state in which a client was seen.
func (c *Coverage) Reachable() (all []Situation) {
	for _, kind := range sortedKeys(c.kinds) {
		for _, key := range sortedKeys(c.passed) {
			at := situationOf(key)
			all = append(all, Situation{kind, at.Step, at.State})
		}
	}
	return all
}

// Never are the reachable situations that were not hit.
func (c *Coverage) Never() (all []Situation) {
	for _, s := range c.Reachable() {
		if c.hit[s.key()] == 0 {
			all = append(all, s)
		}
	}
	return all
}

// Add adds what another has covered.
func (c *Coverage) Add(o *Coverage) {
	for _, key := range sortedKeys(o.hit) {
		c.hit[key] += o.hit[key]
	}
	for _, key := range sortedKeys(o.passed) {
		c.passed[key] = true
	}
	for _, kind := range sortedKeys(o.kinds) {
		c.kinds[kind] = true
	}
	if o.Requests > 0 && (c.Requests == 0 || o.Slack < c.Slack || o.Slack == c.Slack && o.SlackRun < c.SlackRun) {
		c.Slack, c.SlackRun = o.Slack, o.SlackRun
	}
	c.Requests += o.Requests
}
