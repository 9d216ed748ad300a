package host

import (
	"testing"
	"time"

	"fencepost/sim"
)

// TestPausesDelayWorkAndOverlapSleep: work that is paused ends later by the length of the
// pause; sleep that is paused ends when it was due, or with the pause.
func TestPausesDelayWorkAndOverlapSleep(t *testing.T) {
	type pause struct{ from, length time.Duration }
	for _, c := range []struct {
		name        string
		pauses      []pause
		work, sleep time.Duration // when ten seconds of each are over
	}{
		{"none", nil, 10 * time.Second, 10 * time.Second},
		{"inside", []pause{{2 * time.Second, 3 * time.Second}}, 13 * time.Second, 10 * time.Second},
		{"over the end", []pause{{9 * time.Second, 5 * time.Second}}, 15 * time.Second, 14 * time.Second},
		{"two", []pause{{2 * time.Second, time.Second}, {5 * time.Second, 2 * time.Second}}, 13 * time.Second, 10 * time.Second},
		{"one that another extends", []pause{{2 * time.Second, 2 * time.Second}, {3 * time.Second, 3 * time.Second}}, 14 * time.Second, 10 * time.Second},
		{"in what a pause added", []pause{{2 * time.Second, 3 * time.Second}, {12 * time.Second, time.Second}}, 14 * time.Second, 10 * time.Second},
		{"after the end", []pause{{11 * time.Second, time.Second}}, 10 * time.Second, 10 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig()
			defer r.fleet.Close()
			h := r.fleet.NewHost("a")
			var worked, slept sim.Time
			h.Go("worker", func(p *Process) { p.Work(10 * time.Second); worked = r.world.Now() })
			h.Go("sleeper", func(p *Process) { p.Sleep(10 * time.Second); slept = r.world.Now() })
			for _, p := range c.pauses {
				r.world.Run(sim.Time(p.from))
				h.Pause(sim.Time(p.from + p.length))
			}
			r.world.Run(sim.Time(time.Minute))
			if worked != sim.Time(c.work) || slept != sim.Time(c.sleep) {
				t.Errorf("work ends at %v, sleep at %v, want %v and %v", worked, slept, c.work, c.sleep)
			}
		})
	}
}
