package scenarios

import (
	"testing"

	"fencepost/models/modeltest"
)

// TestEventsDoNotAllocate: a trial with four times the events allocates no more, so what a
// trial allocates is its own and not its events'.
func TestEventsDoNotAllocate(t *testing.T) {
	if modeltest.Raced {
		t.Skip("the race detector allocates on its own")
	}
	measure := func(ttl, pause, lock string) (allocs float64, events uint64) {
		for _, p := range plansOf(t, "kleppmann", map[string]string{"ttl": ttl, "fault.pause": pause}) {
			if p.Describe.Name != lock || p.Guard.Name != "none" {
				continue
			}
			p.SkipLinear = true
			trial := NewTrial(p)
			defer trial.Close()
			trial.Tap(nobody{}) // every message is sent
			run := func() {
				r, err := trial.RunSafely(1)
				if err != nil {
					t.Fatal(err)
				}
				events = r.Events
			}
			run() // grows what is reused
			return testing.AllocsPerRun(10, run), events
		}
		t.Fatalf("no lock %q", lock)
		return 0, 0
	}
	for _, lock := range []string{"redis", "redlock"} {
		short, few := measure("10s", "15s", lock)
		long, many := measure("40s", "50s", lock)
		t.Logf("%s: %v allocations in %d events, %v in %d", lock, short, few, long, many)
		if many < 3*few {
			t.Fatalf("%s: %d and %d events: too alike to show anything", lock, few, many)
		}
		if long > short {
			t.Errorf("%s: %v allocations in %d events, %v in %d", lock, short, few, long, many)
		}
	}
}
