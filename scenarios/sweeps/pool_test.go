package sweeps

import (
	"context"
	"slices"
	"testing"

	"fencepost/models/modeltest"
	"fencepost/models/resource"
	"fencepost/scenarios"
)

// plansOf returns the plans of a library scenario that can be run under some guards.
func plansOf(t testing.TB, name string, guards []resource.Guard) []*scenarios.Plan {
	t.Helper()
	s, err := scenarios.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	r := registry(t)
	in, err := s.Instantiate(r, nil)
	if err != nil {
		t.Fatal(err)
	}
	plans, err := in.Plans(r.Locks(), guards)
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(plans, func(p *scenarios.Plan) bool { return p.NotApplicable != "" })
}

// digests runs plans over seeds and returns every result in order.
func digests(t testing.TB, plans []*scenarios.Plan, seeds, workers int) []scenarios.Result {
	t.Helper()
	jobs := Jobs{Len: len(plans) * seeds, At: func(i int) Job {
		return Job{plans[i/seeds], uint64(i%seeds + 1)}
	}}
	results := make([]scenarios.Result, jobs.Len)
	if err := RunAll(context.Background(), jobs, workers, func(i int, _ *scenarios.Trial, r scenarios.Result) { results[i] = r }); err != nil {
		t.Fatal(err)
	}
	return results
}

// TestDigestsDoNotDependOnWorkers: the same scenario, lock, guard and seed give the same
// digest for one worker and for many, and twice in one process. Those with `arch: true`, of which
// each is of another kind, have more seeds and all guards, and are the only ones under the race
// detector.
func TestDigestsDoNotDependOnWorkers(t *testing.T) {
	for _, name := range scenarios.LibraryNames() {
		t.Run(name, func(t *testing.T) {
			seeds, rounds := 1, []int{5}
			s, err := scenarios.Load(name)
			switch raced := modeltest.Raced || testing.Short(); {
			case err != nil:
				t.Fatal(err)
			case s.Arch && !raced:
				seeds, rounds = 3, []int{1, 5}
			case !s.Arch && raced:
				t.Skip("one worker after the other, and slow")
			}
			guards := resource.Guards
			if !s.Arch {
				guards = guards[:1]
			}
			plans := plansOf(t, name, guards)
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
