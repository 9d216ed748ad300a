package scenarios

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"
	"time"
)

// struckTwice has faults whose situations can be told beforehand: a pause and a step of a clock before a
// client has come to any step, and a pause at a write, when its client has the lock for 10 s.
const struckTwice = `name: struck-twice
until: 1m
lock: {ttl: 10s}
clients:
  - {start: 5s, cycles: 1, between: 1s}
  - {start: 30s, cycles: 1}
faults:
  - {pause: {client: 1, for: 1s}, at: 4s}
  - {pause: {client: 1, for: 15s}, when: {client: 1, step: write.send}}
  - {clock-step: {client: 2, by: 1s}, at: 25s}
`

// TestCoverage: what was hit, what could have been, and what was left of the promise.
func TestCoverage(t *testing.T) {
	c := coverageOf(t, struckTwice, "redis")
	if want := []string{"clock-step//without", "pause//without", "pause/write.send/holding"}; !slices.Equal(sortedKeys(c.hit), want) {
		t.Errorf("hit %q, want %q", sortedKeys(c.hit), want)
	}
	reachable := c.Reachable()
	for _, key := range sortedKeys(c.hit) {
		if !slices.Contains(reachable, situationOf(key)) {
			t.Errorf("%s was hit and is not reachable", key)
		}
	}
	never := c.Never()
	if len(never) != len(reachable)-len(c.hit) {
		t.Errorf("%d reachable, %d hit, %d never", len(reachable), len(c.hit), len(never))
	}
	if !slices.Contains(never, Situation{"clock-step", "write.send", Holding}) {
		t.Error("no clock was stepped at a write, and that is not among what was never hit")
	}
	if passed := c.NeverPassed(); !slices.Contains(passed, "renew.send") || slices.Contains(passed, "write.send") {
		t.Errorf("never passed: %v", passed)
	}
	// Client 1 reads right after it was granted 10 s, and writes 15 s after its second of work. Client 2
	// is in time with all it does.
	if left := c.Least.Left; left > -5*time.Second || left < -7*time.Second {
		t.Errorf("smallest slack %v, want about -6 s", left)
	}
	if left := c.Kept.Left; left < 9*time.Second || left > 10*time.Second || c.Kept.Requests != c.Least.Requests-1 {
		t.Errorf("smallest slack that was kept: %+v of %+v", c.Kept, c.Least)
	}
}

// TestCoverageAddsUp: in any order, and after it was written and read.
func TestCoverageAddsUp(t *testing.T) {
	var parts []*Coverage
	for _, lock := range []string{"redis", "etcd", "redlock"} {
		c := coverageOf(t, struckTwice, lock)
		text, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		read := &Coverage{}
		if err := json.Unmarshal(text, read); err != nil || !reflect.DeepEqual(read, c) {
			t.Fatalf("%v: %+v, want %+v", err, read, c)
		}
		parts = append(parts, c)
	}
	sum := func(order ...int) *Coverage {
		c := NewCoverage("")
		for _, i := range order {
			c.Add(parts[i])
		}
		return c
	}
	want := sum(0, 1, 2)
	if want.hit["pause//without"] != 3 {
		t.Errorf("hit %v", want.hit)
	}
	for _, order := range [][]int{{0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		if got := sum(order...); !reflect.DeepEqual(got, want) {
			t.Errorf("%v: %+v, want %+v", order, got, want)
		}
	}
}

// coverageOf is that of the first seed under a lock without a guard.
func coverageOf(t *testing.T, text, lock string) *Coverage {
	t.Helper()
	plan := planFor(t, text, lock)
	plan.Cover = true
	trial := NewTrial(plan)
	defer trial.Close()
	if _, err := trial.RunSafely(1); err != nil {
		t.Fatal(err)
	}
	return trial.Covered()
}
