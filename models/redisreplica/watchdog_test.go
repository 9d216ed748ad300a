package redisreplica

import (
	"errors"
	"testing"

	"fencepost/models"
	"fencepost/sim/history"
)

// Redisson's defaults meet Sentinel's: a lock that was renewed up to 10 s before its master
// crashes has at most 30 s to live, and the failover takes at least 29 s, of which none is
// long enough for a renewal. The lock expires, its holder is not told, and the next one gets
// in: no promise is broken, two believe, and the first learns of it from its unlock.
func TestWatchdogDoesNotOutliveAFailover(t *testing.T) {
	for crash := 40; crash < 50; crash++ {
		r := newRig(t, 2, map[string]int64{"client": 2, "ttl": int64(30 * second)})
		u := r.Lock(0, 10*second, 98*second)
		r.crash(second*times(crash), 0)
		next := r.Lock(1, 100*second, 0)
		r.Run(110 * second)
		last := r.Records(u.Hold, history.Promise)
		if len(last) == 0 || last[len(last)-1].Until > at(second*times(crash)+30*second) {
			t.Fatalf("promised %+v", last)
		}
		r.ended(u, second*times(crash)+29*second, second*times(crash)+36*second, "expired")
		if next.Acquired == 0 || r.Grants.Violated() || !r.Exclusion.Violated() {
			t.Errorf("crash at %d s: client 2 acquired at %v, promises broken %t", crash, next.Acquired, r.Grants.Violated())
		}
		if !errors.Is(u.Err, models.ErrNotHeld) || u.Released < next.Acquired {
			t.Errorf("crash at %d s: client 1 went on until %v, and was told %v by its unlock", crash, u.Released, u.Err)
		}
	}
}

// A master that is missed sooner leaves time for a renewal: the watchdog finds the new one.
func TestWatchdogFindsTheNewMaster(t *testing.T) {
	for crash := 40; crash < 50; crash++ {
		r := newRig(t, 2, map[string]int64{"client": 2, "ttl": int64(30 * second), "down-after": int64(5 * second)})
		u := r.Lock(0, 10*second, 0)
		r.crash(second*times(crash), 0)
		r.Run(200 * second)
		if ends := r.Records(u.Hold, history.ServiceEnd); len(ends) != 0 {
			t.Errorf("crash at %d s: %+v", crash, ends)
		}
		r.sound()
	}
}
