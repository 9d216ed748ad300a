package scenarios

import (
	"encoding/json"
	"fmt"
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
// and is in a state. A fault of a server strikes all clients in this sense. A client that has passed none
// has an empty step.
type Situation struct{ Kind, Step, State string }

// MarshalText implements [encoding.TextMarshaler]: KIND/STEP/STATE.
func (s Situation) MarshalText() ([]byte, error) { return []byte(s.key()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (s *Situation) UnmarshalText(text []byte) error {
	if strings.Count(string(text), "/") != 2 {
		return fmt.Errorf("%q is not KIND/STEP/STATE", text)
	}
	*s = situationOf(string(text))
	return nil
}

// key is the situation as the key of a map, which is gone through in order.
func (s Situation) key() string { return s.Kind + "/" + s.Step + "/" + s.State }

func situationOf(key string) Situation {
	part := strings.Split(key, "/")
	return Situation{part[0], part[1], part[2]}
}

// Coverage is what many runs of one lock have covered: it finds what was tried, and says nothing of
// what was not. It adds up, in any order.
type Coverage struct {
	Lock string
	// hit counts how often each situation was hit.
	hit map[string]int64
	// passed are the steps and states that clients were in, with no kind.
	passed map[string]bool
	// kinds are those of the faults that were planned, steps those that the lock's clients may pass.
	kinds, steps map[string]bool
	// Least is the least time that was left of a promise when its holder sent a request that it
	// protects; less than zero if the promise was over. Kept is the least of those that kept it.
	Least, Kept Slack
}

// Slack is what was left of a promise in some run, and of how many requests it is the least.
type Slack struct {
	Left     time.Duration `json:"left_ns"`
	Requests int64         `json:"requests"`
	// Run is the replay token of the run.
	Run string `json:"run"`
}

func (s *Slack) add(o Slack) {
	if o.Requests > 0 && (s.Requests == 0 || o.Left < s.Left || o.Left == s.Left && o.Run < s.Run) {
		s.Left, s.Run = o.Left, o.Run
	}
	s.Requests += o.Requests
}

// NewCoverage returns that of a lock of which nothing was run.
func NewCoverage(lock string) *Coverage {
	return &Coverage{Lock: lock, hit: map[string]int64{}, passed: map[string]bool{}, kinds: map[string]bool{}, steps: map[string]bool{}}
}

// Reachable is every situation that can be named: each kind that was planned at each step and in each
// state in which a client was. A fault can be placed at any of them.
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

// NeverPassed are the steps that no client came to, of those that the lock's clients may pass.
func (c *Coverage) NeverPassed() (steps []string) {
	passed := map[string]bool{}
	for _, key := range sortedKeys(c.passed) {
		passed[situationOf(key).Step] = true
	}
	for _, step := range sortedKeys(c.steps) {
		if !passed[step] {
			steps = append(steps, step)
		}
	}
	return steps
}

// Add adds what another has covered.
func (c *Coverage) Add(o *Coverage) {
	for _, key := range sortedKeys(o.hit) {
		c.hit[key] += o.hit[key]
	}
	union(c.passed, o.passed)
	union(c.kinds, o.kinds)
	union(c.steps, o.steps)
	c.Least.add(o.Least)
	c.Kept.add(o.Kept)
}

func union(all, more map[string]bool) {
	for _, key := range sortedKeys(more) {
		all[key] = true
	}
}

// Plausible fails if nothing can have covered that, or only another lock.
func (c *Coverage) Plausible(lock string) error {
	if c.Lock != lock {
		return fmt.Errorf("what is covered is of %s, not of %s", c.Lock, lock)
	}
	for _, key := range sortedKeys(c.hit) {
		if c.hit[key] < 0 {
			return fmt.Errorf("%s was hit %d times", key, c.hit[key])
		}
	}
	if c.Least.Requests < 0 || c.Kept.Requests < 0 {
		return fmt.Errorf("%d and %d requests with a slack", c.Least.Requests, c.Kept.Requests)
	}
	return nil
}

// coverageJSON is a coverage as JSON, by the keys of its situations.
type coverageJSON struct {
	Lock   string           `json:"lock"`
	Hit    map[string]int64 `json:"hit"`
	Passed []string         `json:"passed"`
	Kinds  []string         `json:"kinds"`
	Steps  []string         `json:"steps"`
	Least  Slack            `json:"least_slack"`
	Kept   Slack            `json:"least_kept"`
}

// MarshalJSON implements [json.Marshaler].
func (c *Coverage) MarshalJSON() ([]byte, error) {
	return json.Marshal(coverageJSON{c.Lock, c.hit, sortedKeys(c.passed), sortedKeys(c.kinds), sortedKeys(c.steps), c.Least, c.Kept})
}

// UnmarshalJSON implements [json.Unmarshaler].
func (c *Coverage) UnmarshalJSON(text []byte) error {
	var j coverageJSON
	if err := json.Unmarshal(text, &j); err != nil {
		return err
	}
	*c = *NewCoverage(j.Lock)
	for _, key := range append(sortedKeys(j.Hit), j.Passed...) {
		if err := new(Situation).UnmarshalText([]byte(key)); err != nil {
			return fmt.Errorf("coverage: %w", err)
		}
	}
	for _, key := range sortedKeys(j.Hit) {
		c.hit[key] = j.Hit[key]
	}
	for _, list := range []struct {
		names []string
		of    map[string]bool
	}{{j.Passed, c.passed}, {j.Kinds, c.kinds}, {j.Steps, c.steps}} {
		for _, name := range list.names {
			list.of[name] = true
		}
	}
	c.Least, c.Kept = j.Least, j.Kept
	return nil
}
