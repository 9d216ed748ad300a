package sweeps

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"fencepost/checker"
	"fencepost/models"
)

// What the monitors count is the same in whichever trials porcupine is asked; its own answers are
// counted only if it is asked in all.
func TestPorcupineOfASweep(t *testing.T) {
	counts := map[Porcupine][][]Count{}
	monitored := slices.Index(checker.Properties, checker.LinearLock)
	for _, of := range []Porcupine{"", PorcupineSampled, PorcupineAll, PorcupineNone} {
		s := sweepOf(t, "kleppmann", over("fault.pause", "5s", "20s"), 10, 2)
		s.Porcupine = of
		for _, c := range runSweep(t, s) {
			if answered := c.Counts[monitored].Trials > 0; c.Plan.NotApplicable == "" && answered != (of == PorcupineAll) {
				t.Errorf("%q: %s: its answers are counted: %t", of, c.Plan.Name(), answered)
			}
			counts[of] = append(counts[of], c.Counts[:monitored])
		}
		if !reflect.DeepEqual(counts[of], counts[""]) {
			t.Errorf("%q: the monitors count %v, want %v", of, counts[of], counts[""])
		}
	}
}

// BenchmarkSweep is sweeps of a hundred trials of the Kleppmann case without a guard, on one worker,
// with porcupine in all trials, sampled, and left out, in turns: with a pause that the lease outlasts,
// and with one that breaks it in every trial. The ratios are of the fastest sweep of each.
func BenchmarkSweep(b *testing.B) {
	for _, lock := range []string{"redlock", "local"} {
		for _, pause := range []string{"5s", "15s"} {
			b.Run(lock+"/pause="+pause, func(b *testing.B) {
				s := sweepOf(b, "kleppmann", over("fault.pause", pause), 100, 1)
				l, _ := s.Registry.Find(lock)
				s.Locks = []models.Lock{l}
				best := map[Porcupine]time.Duration{}
				for b.Loop() {
					for _, of := range Porcupines {
						s.Porcupine = Porcupine(of)
						start := time.Now()
						runSweep(b, s)
						if took := time.Since(start); best[s.Porcupine] == 0 || took < best[s.Porcupine] {
							best[s.Porcupine] = took
						}
					}
				}
				for _, of := range []Porcupine{PorcupineSampled, PorcupineNone} {
					b.ReportMetric(float64(best[PorcupineAll])/float64(best[of]), "all/"+string(of))
				}
				b.ReportMetric(float64(best[PorcupineSampled].Microseconds())/100, "µs/trial")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}
