package sweeps

import (
	"testing"

	"fencepost/models"
	"fencepost/models/all"
	"fencepost/models/modeltest"
)

// TestEveryCrashIsRecoveredFrom: in holder-crashes client 1 is the holder and client 2 waits, whatever
// the lock and the TTL, and gets it in every trial. What is measured of a lock would be that of a
// part of its trials else, or nothing.
func TestEveryCrashIsRecoveredFrom(t *testing.T) {
	modeltest.ManyTrials(t)
	registry, err := models.NewRegistry(all.Locks()...)
	if err != nil {
		t.Fatal(err)
	}
	const trials = 25
	ran := map[string]bool{}
	for _, c := range sweptOver(t, "holder-crashes", "ttl", []string{"5s", "10s", "40s"}, registry.Names(), trials) {
		lock := c.Plan.Describe.Name
		if c.Plan.NotApplicable != "" {
			continue
		}
		ran[lock] = true
		if n := c.Recovered.Count(); n != trials {
			t.Errorf("%s with a TTL of %s: %d of %d crashes were recovered from", lock, c.Values[0], n, trials)
		}
	}
	for _, lock := range registry.Names() {
		if !ran[lock] && lock != "local" {
			t.Errorf("%s was not run", lock)
		}
	}
}
