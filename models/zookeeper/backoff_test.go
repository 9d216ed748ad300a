package zookeeper

import (
	"testing"
	"time"

	"fencepost/models"
	"fencepost/sim/rng"
)

// ExponentialBackoffRetry(1000, 3) waits for whole seconds: max(1, n) with n evenly below 2, 4
// and 8. The means are 1, (1+1+2+3)/4 = 1.75 and (1+1+2+...+7)/8 = 3.625 s.
func TestBackoff(t *testing.T) {
	s := rng.New(1, nil)
	for attempt, c := range []struct{ mean, most time.Duration }{
		{second, second}, {1750 * ms, 3 * second}, {3625 * ms, 7 * second}, {3625 * ms, 7 * second},
	} {
		const draws = 100_000
		sum, most := time.Duration(0), time.Duration(0)
		for range draws {
			d := backoff(retry, attempt, &s)
			if d < second || d%second != 0 {
				t.Fatalf("attempt %d: a wait of %v", attempt, d)
			}
			sum, most = sum+d, max(most, d)
		}
		if mean := sum / draws; mean < c.mean-30*ms || mean > c.mean+30*ms || most != c.most {
			t.Errorf("attempt %d: %v in the mean and %v at most, want %v and %v", attempt, mean, most, c.mean, c.most)
		}
	}
	limited := models.Retry{Base: second, Max: second, Jitter: 0}
	if d := backoff(limited, 2, &s); d != second {
		t.Errorf("%v with a limit of 1 s", d)
	}
	if d := backoff(models.Retry{}, 2, &s); d != 0 {
		t.Errorf("%v without a base", d)
	}
}
