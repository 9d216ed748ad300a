package sweeps

import (
	"context"
	"fmt"
	"testing"

	"fencepost/models"
	"fencepost/models/resource"
	"fencepost/scenarios"
)

// contended is three clients that keep a Redlock of five servers busy for twenty cycles
// each, with renewals, and with pauses at random instants of which some outlast the lease.
const contended = `name: contended
until: 10m
lock: {ttl: 10s}
clients:
  - {cycles: 20, between: exponential(2s), renew: 3s}
  - {cycles: 20, between: exponential(2s), renew: 3s}
  - {cycles: 20, between: exponential(2s), renew: 3s}
random:
  faults:
    - pause: {client: random, for: exponential(10s)}
      every: exponential(20s)
`

// contendedPlan is the plan of that scenario, judged by the monitors alone.
func contendedPlan(b *testing.B) *scenarios.Plan {
	b.Helper()
	s, err := scenarios.Parse("contended.yaml", []byte(contended))
	if err != nil {
		b.Fatal(err)
	}
	r := registry(b)
	in, err := s.Instantiate(r, nil)
	if err != nil {
		b.Fatal(err)
	}
	redlock, _ := r.Find("redlock")
	plans, err := in.Plans([]models.Lock{redlock}, resource.Guards[:1])
	if err != nil {
		b.Fatal(err)
	}
	plans[0].SkipLinear = true
	return plans[0]
}

// BenchmarkContended is how many events a second one worker and two run, with digest,
// history, monitors and ledger. An operation is a trial.
func BenchmarkContended(b *testing.B) {
	plan := contendedPlan(b)
	for workers := 1; workers <= 2; workers++ {
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			b.ReportAllocs()
			events := make([]uint64, b.N)
			jobs := Jobs{Len: b.N, At: func(i int) Job { return Job{plan, uint64(i + 1)} }}
			if err := RunAll(context.Background(), jobs, workers, func(i int, _ *scenarios.Trial, r scenarios.Result) { events[i] = r.Events }); err != nil {
				b.Fatal(err)
			}
			total := uint64(0)
			for _, n := range events {
				total += n
			}
			b.ReportMetric(float64(total)/1e6/b.Elapsed().Seconds(), "Mevents/s")
			b.ReportMetric(float64(total)/float64(b.N), "events/op")
		})
	}
}
