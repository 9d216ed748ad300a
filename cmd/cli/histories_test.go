package cli

import (
	"strings"
	"testing"

	"fencepost/checker"
	"fencepost/checker/external"
	"fencepost/checker/linear"
	"fencepost/checker/linear/recorded"
	"fencepost/models"
	"fencepost/models/all"
	"fencepost/models/resource"
	"fencepost/scenarios"
)

// TestHistoriesOfRuns: of each lock, in scenarios in which some break, the histories that a
// run writes get from `check` the verdicts that the run itself got.
func TestHistoriesOfRuns(t *testing.T) {
	skipIfRaced(t)
	registry, err := models.NewRegistry(all.Locks()...)
	if err != nil {
		t.Fatal(err)
	}
	guard, _ := resource.FindGuard("none")
	seen := map[checker.Status]int{}
	for _, name := range []string{"kleppmann", "antirez-pause-before-check", "bad-weather"} {
		s, err := scenarios.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		in, err := s.Instantiate(registry, nil)
		if err != nil {
			t.Fatal(err)
		}
		plans, err := in.Plans(registry.Locks(), []resource.Guard{guard})
		if err != nil {
			t.Fatal(err)
		}
		for _, plan := range plans {
			if plan.NotApplicable != "" {
				continue
			}
			trial := scenarios.NewTrial(plan)
			for seed := range uint64(3) {
				r, err := trial.RunSafely(seed + 1)
				if err != nil {
					t.Fatal(err)
				}
				l := &trial.Checker.Linear
				seen[r.Verdict.Exclusion]++
				sameVerdict(t, plan.Name()+" lock", violated(r.Verdict.Exclusion), l.LockHistory(trial.Recorder))
				sameVerdict(t, plan.Name()+" tokens", l.Tokens(trial.Recorder) == linear.NotLinearizable, l.TokenHistory(trial.Recorder))
				sameVerdict(t, plan.Name()+" resource", violated(r.Verdict.LinearResource), l.ResourceHistory(trial.Recorder))
			}
			trial.Close()
		}
	}
	if seen[checker.OK] < 5 || seen[checker.Violated] < 5 {
		t.Errorf("the runs are of one kind: %v", seen)
	}
}

func violated(s checker.Status) bool { return s == checker.Violated }

func sameVerdict(t *testing.T, name string, violated bool, h *external.History) {
	t.Helper()
	var text strings.Builder
	if err := external.Write(&text, h); err != nil {
		t.Fatal(err)
	}
	read, err := external.Read(name, text.String(), external.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := recorded.Judge(read, recorded.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if want := map[bool]string{true: "not linearizable", false: "linearizable"}[violated]; r.Verdict.String() != want {
		t.Errorf("%s: check says %v, the run %s\n%s", name, r.Verdict, want, text.String())
	}
}
