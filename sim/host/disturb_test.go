package host

import (
	"testing"
	"time"

	"fencepost/sim/clock"
	"fencepost/sim/rng"
)

// What changes a host, or the way in which its monotonic clock runs, is announced before.
func TestDisturbancesAreAnnounced(t *testing.T) {
	wandering := clock.PresetInfo{Wander: clock.Wander{Every: 2 * time.Second, By: clock.Spread{Size: rng.Constant(time.Microsecond)}}}
	for name, change := range map[string]func(h *Host){
		"pause":   func(h *Host) { h.Pause(at(20 * time.Second)) },
		"suspend": func(h *Host) { h.Suspend(at(20 * time.Second)) },
		"crash":   func(h *Host) { h.Crash(LoseMemory) },
		"rate":    func(h *Host) { h.SetRate(100) },
		"bias":    func(h *Host) { h.SetBias(100) },
		"slew":    func(h *Host) { h.Slew(time.Millisecond, time.Second) },
		"freeze":  func(h *Host) { h.Freeze() },
		"wander":  nil,
	} {
		r := newRig()
		h := r.fleet.NewHost("host")
		told := 0
		r.fleet.OnDisturb(func(d *Host) {
			told++
			now := r.world.Now()
			if d != h || h.state != Running || h.Clock.DeviationPPB(now) != 0 || h.Clock.Stands() {
				t.Errorf("%s: told of %s when it was %v", name, d.Name, h.state)
			}
		})
		if change == nil {
			h.Discipline(wandering, 1)
			r.run(3 * time.Second)
		} else {
			r.run(time.Second)
			change(h)
		}
		if told != 1 {
			t.Errorf("%s: told %d times", name, told)
		}
	}
}

// A restart is announced while the host is down still, the end of a freeze while its
// clock stands.
func TestEndsAreAnnounced(t *testing.T) {
	r := newRig()
	h := r.fleet.NewHost("host")
	h.Crash(LoseMemory)
	told := 0
	r.fleet.OnDisturb(func(*Host) {
		told++
		if h.state != Crashed && !h.Clock.Stands() {
			t.Error("told too late")
		}
	})
	h.Restart(false)
	if h.state != Running || told != 1 {
		t.Errorf("the host is %v, told %d times", h.state, told)
	}
	h.Clock.Freeze(r.world.Now())
	h.Thaw()
	if h.Clock.Stands() || told != 2 {
		t.Errorf("the clock stands: %v, told %d times", h.Clock.Stands(), told)
	}
}
