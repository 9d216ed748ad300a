package virtual

import (
	"maps"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"fencepost/scenarios"
)

// TestBackoff: go-redis draws a delay for each server. Three requests are lost; when their replies are due, at 50 ms,
// each is sent again 10 to 30 ms later, by real and by model, and not all at once.
func TestBackoff(t *testing.T) {
	s, err := scenarios.Parse("case.yaml", []byte(head+`
lock: {ttl: 10s, attempts: 1, timeout: 50ms}
clients: [{between: 100ms}]
faults: [{cut: {client: 1, servers: [1, 2, 3], direction: out, resend: false, for: 40ms}, at: 0s}]
`))
	if err != nil {
		t.Fatal(err)
	}
	guards := redsyncs(0).with(map[string]int64{"command-retries": 0}).guards(t, s)
	for _, p := range []*scenarios.Plan{guards[0].model, guards[0].stack} {
		synctest.Test(t, func(t *testing.T) {
			seen := observe(t, p, 1)
			sets := map[time.Duration]int{}
			for _, at := range seen.sets {
				sets[at]++
			}
			instants := slices.Sorted(maps.Keys(sets))
			if sets[0] != 5 || len(instants) < 3 || len(seen.sets) != 8 {
				t.Fatalf("SET at %v", seen.sets)
			}
			if first, last := instants[1], instants[len(instants)-1]; first < 60*time.Millisecond || last >= 80*time.Millisecond {
				t.Errorf("SET at %v", seen.sets)
			}
		})
	}
}
