package scenarios

import (
	"slices"
	"testing"

	"fencepost/checker"
)

// Which trials porcupine is asked in follows from the seed and from what the monitors found.
func TestPorcupineIsSampledBySeed(t *testing.T) {
	p := *plansOf(t, "kleppmann", nil)[0]
	var always []uint64
	p.SkipLinear, p.SampleLinear = true, true
	for seed := uint64(1); seed <= 3000; seed++ {
		if p.confirm(seed) == checker.ConfirmAll {
			always = append(always, seed)
		}
	}
	if want := []uint64{1, 1001, 2001}; !slices.Equal(always, want) {
		t.Errorf("it confirms the seeds %v whatever they come to, want %v", always, want)
	}
	trial := NewTrial(&p)
	defer trial.Close()
	for _, c := range []struct {
		seed    uint64
		sampled bool
		want    checker.Confirm
	}{{1, true, checker.ConfirmAll}, {2, true, checker.ConfirmViolations}, {1, false, checker.ConfirmNothing}} {
		p.SampleLinear = c.sampled
		if _, err := trial.RunSafely(c.seed); err != nil || trial.Checker.Confirm != c.want {
			t.Errorf("seed %d: confirm %d, want %d; error %v", c.seed, trial.Checker.Confirm, c.want, err)
		}
	}
}
