package scenarios

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"fencepost/models"
	"fencepost/models/all"
	"fencepost/models/modeltest"
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

// digests runs plans over seeds and returns every result in order.
func digests(t testing.TB, plans []*Plan, seeds, workers int) []Result {
	t.Helper()
	jobs := Jobs{Len: len(plans) * seeds, At: func(i int) Job {
		return Job{plans[i/seeds], uint64(i%seeds + 1)}
	}}
	results := make([]Result, jobs.Len)
	if err := RunAll(context.Background(), jobs, workers, func(i int, _ *Trial, r Result) { results[i] = r }); err != nil {
		t.Fatal(err)
	}
	return results
}

// TestDigestsDoNotDependOnWorkers: the same scenario, lock, guard and seed give the same
// digest for one worker and for many, and twice in one process. Those with `arch: true`, of which
// each is of another kind, have more seeds and all guards, and are the only ones under the race
// detector.
func TestDigestsDoNotDependOnWorkers(t *testing.T) {
	for _, name := range LibraryNames() {
		t.Run(name, func(t *testing.T) {
			seeds, rounds := 1, []int{5}
			s, err := Load(name)
			switch raced := modeltest.Raced || testing.Short(); {
			case err != nil:
				t.Fatal(err)
			case s.Arch && !raced:
				seeds, rounds = 3, []int{1, 5}
			case !s.Arch && raced:
				t.Skip("one worker after the other, and slow")
			}
			plans := plansOf(t, name, nil)
			if !s.Arch {
				plans = slices.DeleteFunc(plans, func(p *Plan) bool { return p.Guard.Name != "none" })
			}
			one := digests(t, plans, seeds, 1)
			for _, workers := range rounds {
				for i, r := range digests(t, plans, seeds, workers) {
					if r != one[i] {
						t.Errorf("%s seed %d, %d workers: %+v, before: %+v", plans[i/seeds].Name(), r.Seed, workers, r, one[i])
					}
				}
			}
		})
	}
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
			for _, r := range digests(t, []*Plan{p}, 5, 1) {
				name := fmt.Sprintf("%s pause %s seed %d", p.Name(), pause, r.Seed)
				if other, ok := seen[r.Digest]; ok {
					t.Errorf("%s and %s have the same digest", name, other)
				}
				seen[r.Digest] = name
			}
		}
	}
}
