package advisory

import (
	"slices"
	"testing"

	"fencepost/models/modeltest"
	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/host"
)

func anywhere(draw modeltest.Draw, when sim.Time) modeltest.Blow {
	return draw.Blow(when, []int{0, 1, 2, 3, 4})
}

// atClients draws what befalls a client, or its link to the first server.
func atClients(draw modeltest.Draw, when sim.Time) modeltest.Blow {
	client := draw("client", 0, 2)
	if draw("where", 0, 1) == 0 {
		return draw.Blow(when, []int{client})
	}
	for {
		if b := draw.Blow(when, []int{client, 3}); slices.Contains(ofLinks, b.Name) {
			return b
		}
	}
}

var ofLinks = []string{"cut", "loss", "duplicate", "slow link", "narrow link", "half-open", "hold", "reset", "other delay"}

// stormy returns a rig of clients that work, and what has a minute of drawn trouble pass over it.
func stormy(t *testing.T, set given, pick func(modeltest.Draw, sim.Time) modeltest.Blow) (*rig, func(seed uint64)) {
	set["keepalive-idle"], set["keepalive-interval"], set["timeout"] = int64(15*second), int64(2*second), int64(20*second)
	r := newRig(t, 3, set)
	r.Fleet.OnCrash = func(h *host.Host) {
		if client := slices.Index(r.Env.Clients, h); client >= 0 {
			r.Recorder.Add(history.Record{Kind: history.Crash, Executor: history.ExecutorOf(client, int(h.Incarnation())-1)})
		}
	}
	r.Fleet.OnRestart = r.Restarts
	trouble := modeltest.NewTrouble(r.Fleet)
	return r, func(seed uint64) { r.Storm(trouble, seed, 120*second, pick) }
}

// As long as the server lives, and hears of its clients in time, one hold ends before the
// next begins and no promise is broken: whatever happens to clients and to links.
func TestStormOfClients(t *testing.T) {
	modeltest.ManyTrials(t)
	for _, set := range []given{{}, {"database": mysql}, {"reconnect": reconnectSilently}} {
		r, storm := stormy(t, set, atClients)
		grants := 0
		for seed := uint64(1); seed <= 100; seed++ {
			storm(seed)
			grants += r.Orderly(seed, false).Grants
			if r.Grants.Violated() {
				t.Fatalf("%v, seed %d: %+v", set, seed, r.Grants.Findings())
			}
		}
		if grants < 5_000 {
			t.Errorf("%v: %d grants", set, grants)
		}
	}
}

// The same seed gives the same run, in a world that has been used and in a new one, whatever
// befalls servers and standby.
func TestSameSeedSameDigest(t *testing.T) {
	for _, set := range []given{
		{"failover": int64(3 * second)},
		{"failover": int64(3 * second), "database": mysql, "replication-lag": int64(10 * second)},
		{"failover": int64(3 * second), "fencing": fencedWhenStandbyLost, "replication-lag": int64(second)},
	} {
		modeltest.SameDigests(t, 20, func() (*modeltest.Rig, func(uint64)) {
			r, storm := stormy(t, set, anywhere)
			return r.Rig, storm
		})
	}
}
