package scenarios

import (
	"testing"

	"fencepost/checker"
)

// BenchmarkTrial is one trial of the Kleppmann case without a guard, with history,
// monitors, ledger and digest, alone and with porcupine's two checks.
func BenchmarkTrial(b *testing.B) {
	for _, p := range plansOf(b, "kleppmann", nil) {
		if p.Guard.Name != "none" {
			continue
		}
		for _, skip := range []bool{true, false} {
			name := p.Describe.Name + "/monitors"
			if !skip {
				name = p.Describe.Name + "/monitors+porcupine"
			}
			b.Run(name, func(b *testing.B) {
				t := NewTrial(p)
				defer t.Close()
				t.Checker.SkipLinear = skip
				b.ReportAllocs()
				events := uint64(0)
				for i := 0; b.Loop(); i++ {
					r, err := t.RunSafely(uint64(i + 1))
					if err != nil {
						b.Fatal(err)
					}
					if want, ok := p.Expect.Status[checker.Exclusion]; ok && r.Verdict.Exclusion != want {
						b.Fatalf("seed %d: exclusion is %s", r.Seed, r.Verdict.Exclusion)
					}
					events += r.Events
				}
				b.ReportMetric(float64(events)/float64(b.N), "events/op")
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(events), "ns/event")
			})
		}
	}
}
