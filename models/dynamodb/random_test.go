package dynamodb

import (
	"testing"

	"fencepost/models/modeltest"
	"fencepost/sim"
)

// ofClocks are the blows that make a clock wrong, on which promises rest. A suspension makes
// it stand.
var ofClocks = []string{"rate", "bias", "slew", "freeze", "step", "suspend"}

// stormy returns a rig of clients that work, and what has a minute of drawn pauses, crashes,
// cuts, resets and late messages anywhere pass over it.
func stormy(t *testing.T, set given) (*rig, func(seed uint64)) {
	r := newRig(t, 3, set)
	trouble := modeltest.NewTrouble(r.Fleet)
	r.Fleet.OnRestart = r.Restarts
	return r, func(seed uint64) {
		r.Storm(trouble, seed, 90*second, func(d modeltest.Draw, at sim.Time) modeltest.Blow {
			return d.Except(ofClocks, at, r.Everywhere())
		})
	}
}

// Whatever happens but to clocks, no promise is broken, and one hold ends before the next
// begins.
func TestStormBreaksNoPromise(t *testing.T) {
	modeltest.ManyTrials(t)
	for _, mark := range []int64{0, yes} {
		r, storm := stormy(t, given{"ttl": int64(3 * second), "timeout": int64(500 * ms), "refresh": int64(200 * ms), "release": mark})
		grants := 0
		for seed := uint64(1); seed <= 100; seed++ {
			storm(seed)
			grants += r.Orderly(seed, false).Grants
			if r.Grants.Violated() {
				t.Fatalf("seed %d: %+v", seed, r.Grants.Findings())
			}
		}
		if grants < 5_000 {
			t.Errorf("mark %d: %d grants", mark, grants)
		}
	}
}

// The same seed gives the same run, in a world that has been used and in a new one.
func TestSameSeedSameDigest(t *testing.T) {
	modeltest.SameDigests(t, 3, func() (*modeltest.Rig, func(uint64)) {
		r, storm := stormy(t, nil)
		return r.Rig, storm
	})
}
