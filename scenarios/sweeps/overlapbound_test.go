package sweeps

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"fencepost/models"
	"fencepost/models/all"
	"fencepost/models/modeltest"
	"fencepost/models/resource"
	"fencepost/scenarios"
)

// sweptOver sweeps a scenario over a parameter, without a guard.
func sweptOver(t *testing.T, scenario, param string, values, locks []string, trials uint64) []*Cell {
	t.Helper()
	registry, err := models.NewRegistry(all.Locks()...)
	if err != nil {
		t.Fatal(err)
	}
	s, err := scenarios.Load(scenario)
	if err != nil {
		t.Fatal(err)
	}
	sweep := &Sweep{Scenario: s, Registry: registry, Axes: over(param, values...), Seeds: Seeds{{1, trials}}, Workers: 2, Porcupine: PorcupineNone}
	for _, name := range locks {
		l, _ := registry.Find(name)
		sweep.Locks = append(sweep.Locks, l)
	}
	sweep.Guards = resource.Guards[:1]
	cells, err := sweep.Cells()
	if err != nil {
		t.Fatal(err)
	}
	if err := sweep.Run(context.Background(), cells); err != nil {
		t.Fatal(err)
	}
	return cells
}

// longestOverlaps are for how long beliefs overlapped at most, for each lock and value.
func longestOverlaps(t *testing.T, scenario, param string, values, locks []string, trials uint64) map[string]map[string]time.Duration {
	t.Helper()
	longest := map[string]map[string]time.Duration{}
	for _, c := range sweptOver(t, scenario, param, values, locks, trials) {
		if longest[c.Plan.Describe.Name] == nil {
			longest[c.Plan.Describe.Name] = map[string]time.Duration{}
		}
		longest[c.Plan.Describe.Name][c.Values[0]] = c.Overlapped.Max()
	}
	return longest
}

// TestCutOffBounds: no run overlaps for longer than the bound and what the program and the messages add, and
// etcd's comes as near as the lessor's half second lets it wherever renewals are answered in time to
// be the last.
func TestCutOffBounds(t *testing.T) {
	modeltest.ManyTrials(t)
	const looks = 15 * time.Millisecond // the program's period, and messages
	delays := []string{"1ms", "500ms", "1s", "2s", "3s"}
	got := longestOverlaps(t, "holder-cut-off", "delay", delays, []string{"redlock", "etcd", "zookeeper", "k8s-lease", "dynamodb"}, 80)
	for lock, longest := range got {
		for value, overlap := range longest {
			delay, _ := time.ParseDuration(value)
			bound, ok := CutOffBound(lock, 10*time.Second, delay)
			if !ok {
				t.Fatalf("%s has no bound", lock)
			}
			if overlap > bound+looks {
				t.Errorf("%s with a delay of %v: beliefs overlapped for %v, and the bound is %v", lock, delay, overlap, bound)
			}
			if lock == "etcd" && overlap < bound-600*time.Millisecond {
				t.Errorf("%s with a delay of %v: beliefs overlapped for at most %v, and the bound of %v should be met but for half a second", lock, delay, overlap, bound)
			}
		}
	}
}

// TestCutOffBoundOfClientGo: the bound is met but for what the candidate leaves to chance. It sees the
// record up to a period of its own after it was written, and looks again up to one after it may take it
// over. A period lasts 1.33 s to 2.93 s with a lease of 10 s (RetryPeriod and JitterFactor, client-go,
// leaderelection.go), so that both come to less than 0.8 s in about one trial of 14; and the last reply
// has to come in before the cut, as it does in one of three.
func TestCutOffBoundOfClientGo(t *testing.T) {
	modeltest.ManyTrials(t)
	const delay, chance = 3 * time.Second, 800 * time.Millisecond
	bound, _ := CutOffBound("k8s-lease", 10*time.Second, delay)
	got := longestOverlaps(t, "holder-cut-off", "delay", []string{"3s"}, []string{"k8s-lease"}, 400)["k8s-lease"]["3s"]
	if got < bound-chance || got > bound+15*time.Millisecond {
		t.Errorf("beliefs overlapped for at most %v, and the bound is %v", got, bound)
	}
}

// TestRedlockDriftBound: the longest of the overlaps is the bound, but for the millisecond between two
// looks and the keys' milliseconds, and there is none at all where the allowance is enough.
func TestRedlockDriftBound(t *testing.T) {
	modeltest.ManyTrials(t)
	rates := []int64{1_000, 5_000, 10_000, 12_000, 15_000, 20_000, 50_000, 100_000}
	var values []string
	for _, rho := range rates {
		values = append(values, fmt.Sprintf("%dppm", rho))
	}
	got := longestOverlaps(t, "servers-run-fast", "drift", values, []string{"redlock"}, 30)["redlock"]
	for i, rho := range rates {
		bound, overlap := RedlockDriftBound(10*time.Second, rho), got[values[i]]
		if off := overlap - bound; off > 2*time.Millisecond || off < -2*time.Millisecond {
			t.Errorf("clocks fast by %d ppm: beliefs overlapped for at most %v, and the bound is %v", rho, overlap, bound)
		}
		if (bound == 0) != (overlap == 0) {
			t.Errorf("clocks fast by %d ppm: an overlap of %v, and the bound is %v", rho, overlap, bound)
		}
	}
	if !slices.Contains(values, "10000ppm") || RedlockDriftBound(10*time.Second, 10_000) != 0 {
		t.Error("a hundredth is what the allowance is for")
	}
}
