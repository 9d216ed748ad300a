package checker

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"fencepost/sim"
	"fencepost/sim/history"
)

func TestFirst(t *testing.T) {
	overlap := newRun().hold(0, 1, 9*s, 33).hold(2*s, 2, 20*s, 34)
	for _, c := range []struct {
		name     string
		run      *run
		property string
		end      sim.Time
		want     FirstFinding
	}{
		{"an overlap", newRun().hold(0, 1, 9*s, 33).hold(2*s, 2, 20*s, 34).release(5*s, 2), Exclusion, 9 * s,
			FirstFinding{"overlap", 3 * time.Second, []int{1, 2}, []int64{33, 34}}},
		{"one that is open", overlap, Exclusion, 9 * s, FirstFinding{"overlap", 7 * time.Second, []int{1, 2}, []int64{33, 34}}},
		{"what was left of a promise", overlap, Grants, 9 * s, FirstFinding{"promise-broken", 7 * time.Second, []int{1, 2}, []int64{33, 34}}},
		{"tokens that were compared", newRun().let(0, 1, 4).let(s, 2, 3).let(2*s, 2, 9), Tokens, 3 * s, FirstFinding{"grant-order", 0, []int{1, 2}, []int64{4, 3}}},
		{"one hold", newRun().hold(0, 1, 9*s, 0).at(4*s, history.ServiceEnd, 1), Progress, 9 * s, FirstFinding{"lost-early", 5 * time.Second, []int{1}, []int64{0}}},
	} {
		got, ok := c.run.First(c.run.r, c.property, c.end)
		if !ok || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
	if got, ok := overlap.First(overlap.r, Progress, 9*s); ok {
		t.Errorf("progress: %+v", got)
	}
}

func TestStopped(t *testing.T) {
	x := newRun().hold(0, 1, 9*s, 0).release(s, 1).hold(s, 2, 9*s, 0)
	x.add(2*s, history.Record{Kind: history.BeliefEnd, Hold: 2, Text: history.TakenForLost})
	if got := Stopped(x.r); got != 1 {
		t.Errorf("%d sections have stopped, want 1: the other was done", got)
	}
}

func TestWaited(t *testing.T) {
	waits := func() *run { return newRun().hold(0, 1, 9*s, 0).at(s, history.Attempt, 2) }
	for _, c := range []struct {
		name string
		run  *run
		want time.Duration
	}{
		{"for nothing", newRun().hold(0, 1, 9*s, 0), 0},
		{"until it had the lock", waits().at(5*s, history.Grant, 2).at(6*s, history.BeliefBegin, 2), 5 * time.Second},
		{"until it gave up", waits().at(4*s, history.GiveUp, 2), 3 * time.Second},
		{"until it crashed", waits().add(3*s, history.Record{Kind: history.Crash, Executor: 2}), 2 * time.Second},
		{"while another crashed", waits().add(3*s, history.Record{Kind: history.Crash, Executor: 1}), 19 * time.Second},
		{"the longer of two", waits().at(2*s, history.GiveUp, 2).at(3*s, history.Attempt, 3).at(7*s, history.BeliefBegin, 3), 4 * time.Second},
	} {
		if got := Waited(c.run.r, 20*s); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// What a monitor calls its findings is what a scenario may expect, and nothing else.
func TestKindsOfProperties(t *testing.T) {
	files, err := filepath.Glob("monitor/*.go")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		for _, m := range regexp.MustCompile(`(?:Kind: |compare\()"([a-z-]+)"`).FindAllStringSubmatch(string(content), -1) {
			found[m[1]] = true
		}
	}
	var known []string
	for _, property := range Properties {
		known = append(known, KindsOf(property)...)
	}
	for kind := range found {
		if !slices.Contains(known, kind) {
			t.Errorf("no property has the kind %q", kind)
		}
	}
	for _, kind := range known {
		if !found[kind] {
			t.Errorf("no monitor finds %q", kind)
		}
	}
}
