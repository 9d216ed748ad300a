package scenarios

import (
	"context"
	"slices"
	"testing"

	"fencepost/checker"
)

// TestUnknownRunsWidenAProbability: what a bound left open may be violated.
func TestUnknownRunsWidenAProbability(t *testing.T) {
	plans := plansOf(t, "rare-pause", nil)
	trial := NewTrial(plans[slices.IndexFunc(plans, func(p *Plan) bool { return p.Describe.Name == "redis" })])
	defer trial.Close()
	if q, high, err := trial.Conditionally(t.Context(), 1, checker.Exclusion); err != nil || q == 0 || high != q {
		t.Errorf("nothing unknown: %g to %g, %v", q, high, err)
	}
	trial.world.MaxEvents = 5
	if q, high, err := trial.Conditionally(t.Context(), 1, checker.Exclusion); err != nil || q != 0 || high < 1-1e-9 {
		t.Errorf("all unknown: %g to %g, %v; want 0 to 1", q, high, err)
	}
}

// TestConditionallyIsGivenUp when its context ends, with that one's error.
func TestConditionallyIsGivenUp(t *testing.T) {
	trial := NewTrial(plansOf(t, "rare-pause", nil)[0])
	defer trial.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := trial.Conditionally(ctx, 1, checker.Exclusion); err != context.Canceled {
		t.Errorf("error %v, want the context's", err)
	}
}
