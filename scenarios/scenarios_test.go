package scenarios

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"fencepost/models"
	"fencepost/models/all"
	"fencepost/models/resource"
)

// registry is the built-in lock systems.
func registry(t testing.TB) *models.Registry {
	t.Helper()
	r, err := models.NewRegistry(all.Locks()...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// plansOf returns every plan of a library scenario that can be run.
func plansOf(t testing.TB, name string, values map[string]string) []*Plan {
	t.Helper()
	s, err := Load(name)
	if err != nil {
		t.Fatal(err)
	}
	r := registry(t)
	in, err := s.Instantiate(r, values)
	if err != nil {
		t.Fatal(err)
	}
	plans, err := in.Plans(r.Locks(), guardsOf(s))
	if err != nil {
		t.Fatal(err)
	}
	var runnable []*Plan
	for _, p := range plans {
		if p.NotApplicable == "" {
			runnable = append(runnable, p)
		}
	}
	if len(runnable) == 0 {
		t.Fatalf("%s: no plan can be run", name)
	}
	return runnable
}

// everywhere are the guards under which the whole library is run; the others are under the
// scenarios that speak of them, which keeps the tests short.
var everywhere = []string{"none", "fence-writes", "fence-reads-writes", "ask-service"}

// guardsOf returns the guards under which a scenario is run here.
func guardsOf(s *Scenario) (guards []resource.Guard) {
	named := slices.Clone(everywhere)
	for _, part := range s.file.Expect {
		for _, g := range part.Guards {
			named = append(named, g.raw())
		}
	}
	for _, g := range resource.Guards {
		if slices.Contains(named, g.Name) {
			guards = append(guards, g)
		}
	}
	return guards
}

// digests runs plans over seeds, several plans at once, and returns every result in order.
func digests(t testing.TB, plans []*Plan, seeds int) []Result {
	t.Helper()
	results := make([]Result, len(plans)*seeds)
	var next atomic.Int64
	var wait sync.WaitGroup
	for range runtime.NumCPU() {
		wait.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(plans); i = int(next.Add(1)) - 1 {
				trial := NewTrial(plans[i])
				for k := range seeds {
					r, err := trial.RunSafely(uint64(k + 1))
					if err != nil {
						t.Error(err)
						return
					}
					results[i*seeds+k] = r
				}
				trial.Close()
			}
		})
	}
	wait.Wait()
	return results
}

// TestDigestsTellRunsApart: seeds, locks and parameters that change a run change its
// digest, so that equal digests mean something.
func TestDigestsTellRunsApart(t *testing.T) {
	seen := map[uint64]string{}
	for _, pause := range []string{"15s", "16s"} {
		for _, p := range plansOf(t, "kleppmann", map[string]string{"fault.pause": pause}) {
			if p.Guard.Name != "none" {
				continue // a guard that rejects nothing changes nothing
			}
			for _, r := range digests(t, []*Plan{p}, 5) {
				name := fmt.Sprintf("%s pause %s seed %d", p.Name(), pause, r.Seed)
				if other, ok := seen[r.Digest]; ok {
					t.Errorf("%s and %s have the same digest", name, other)
				}
				seen[r.Digest] = name
			}
		}
	}
}
