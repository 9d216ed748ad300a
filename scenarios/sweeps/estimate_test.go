package sweeps

import (
	"math"
	"reflect"
	"runtime"
	"testing"
	"time"

	"fencepost/checker"
	"fencepost/checker/stats"
	"fencepost/models"
	"fencepost/models/modeltest"
	"fencepost/models/resource"
	"fencepost/scenarios"
	"fencepost/sim/rng"
)

// estimated sweeps the case of a rare pause under a lock without a guard.
func estimated(t testing.TB, e Estimator, lock, pause string, trials int) *Cell {
	t.Helper()
	s := sweepOf(t, "rare-pause", over("fault.pause", pause), trials, runtime.NumCPU())
	l, _ := s.Registry.Find(lock)
	s.Locks, s.Porcupine, s.Estimate, s.Property = []models.Lock{l}, PorcupineNone, e, checker.Exclusion
	return runSweep(t, s)[0]
}

const exclusionIndex = 1

// TestEstimatorsAgree: where the rate can be counted, all three estimators come to it, and where it
// cannot, the two others do. By hand: client 1 is granted 10 s, sends its write a second later, and is
// paused before that; client 2 is let in at the end of the lease, with a retry every 10 to 20 ms. So
// the rate is that of pauses longer than 9 s and than 9.03 s or something between.
func TestEstimatorsAgree(t *testing.T) {
	modeltest.ManyTrials(t)
	if checker.Properties[exclusionIndex] != checker.Exclusion {
		t.Fatal("exclusion has another index")
	}
	for _, c := range []struct {
		pause string
		crude int
	}{{"lognormal(1s, 1.1)", 1500}, {"lognormal(50ms, 1.1)", 0}, {"exponential(600ms)", 0}} {
		d, err := rng.Parse(c.pause)
		if err != nil {
			t.Fatal(err)
		}
		low, high := d.Survival(9030*time.Millisecond), d.Survival(8990*time.Millisecond)
		agrees := func(e Estimator, in stats.Interval) {
			t.Logf("%s, %s: [%.3g, %.3g]; by hand between %.3g and %.3g", c.pause, e, in.Low, in.High, low, high)
			if in.High < low || in.Low > high {
				t.Errorf("%s, %s: [%g, %g] and between %g and %g by hand", c.pause, e, in.Low, in.High, low, high)
			}
		}
		if c.crude > 0 {
			n := estimated(t, Crude, "redis", c.pause, c.crude).Counts[exclusionIndex]
			agrees(Crude, stats.ClopperPearson(n.Violations, n.Trials, 0.999))
		}
		w := estimated(t, Biased, "redis", c.pause, 2000).Weighted[exclusionIndex]
		agrees(Biased, w.GammaInterval(0, 0.999))
		if e := w.MeanWeight(); math.Abs(e-1) > 0.1 {
			t.Errorf("%s: the mean weight is %g, want about 1", c.pause, e)
		}
		agrees(Conditional, estimated(t, Conditional, "redis", c.pause, 20).Conditional.StudentInterval(0.999))
	}
}

// TestConditionalRunsAreNotThoseOfTheirSeeds: runs with another length than their seed draws count for
// the estimate, and for nothing that names a run of a seed.
func TestConditionalRunsAreNotThoseOfTheirSeeds(t *testing.T) {
	crude, conditional := estimated(t, Crude, "redis", "lognormal(1s, 1.1)", 5), estimated(t, Conditional, "redis", "lognormal(1s, 1.1)", 5)
	if conditional.Conditional.Estimate() == 0 {
		t.Fatal("no length violated anything, so that nothing was tried")
	}
	if !reflect.DeepEqual(crude.Coverage, conditional.Coverage) || !reflect.DeepEqual(crude.Counts, conditional.Counts) {
		t.Errorf("covered %+v, without the estimate %+v", conditional.Coverage, crude.Coverage)
	}
}

// TestUnknownRunsWidenAnEstimate: what a bound left open may be violated.
func TestUnknownRunsWidenAnEstimate(t *testing.T) {
	trial := scenarios.NewTrial(plansOf(t, "rare-pause", resource.Guards[:1])[0])
	defer trial.Close()
	sum := newEstimates(Biased)
	for seed := range uint64(20) {
		r, err := trial.RunSafely(seed + 1)
		if err != nil {
			t.Fatal(err)
		}
		r.Verdict.Exclusion = checker.Unknown
		sum.weigh(trial, &r)
	}
	if low, high := sum.Weighted[exclusionIndex], sum.WeightedHigh[exclusionIndex]; low.Estimate() != 0 || high.Estimate() != 1 {
		t.Errorf("all unknown: %g to %g, want 0 to 1", low.Estimate(), high.Estimate())
	}
}

// TestNothingRare: a lock, or a scenario, that cannot be estimated so is n/a, with the reason.
func TestNothingRare(t *testing.T) {
	for _, e := range []Estimator{Biased, Conditional} {
		s := sweepOf(t, "kleppmann", nil, 1, 1)
		s.Estimate, s.Property = e, checker.Exclusion
		cells, err := s.Cells()
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range cells {
			if c.Plan.NotApplicable == "" {
				t.Errorf("%s under %s: it can be estimated, and nothing of it is rare", c.Plan.Name(), e)
			}
		}
	}
}

// BenchmarkRare is how many crude trials would have an interval as narrow, relative to the rate, as a
// trial of each estimator has, at a rate near 1e-6. A crude interval at 95 % is 2*1.96/sqrt(n*p) of the
// rate wide.
func BenchmarkRare(b *testing.B) {
	const trials = 2000
	for _, e := range []Estimator{Biased, Conditional} {
		b.Run(string(e), func(b *testing.B) {
			for b.Loop() {
				n := trials
				if e == Conditional {
					n /= 20
				}
				c := estimated(b, e, "redis", "lognormal(50ms, 1.1)", n)
				var in stats.Interval
				var rate float64
				if e == Biased {
					w := c.Weighted[exclusionIndex]
					in, rate = w.GammaInterval(0, 0.95), w.Estimate()
				} else {
					in, rate = c.Conditional.StudentInterval(0.95), c.Conditional.Estimate()
				}
				width := (in.High - in.Low) / rate
				crude := math.Pow(2*1.96/width, 2) / rate
				b.ReportMetric(crude/float64(n), "crude-trials/trial")
				b.ReportMetric(rate*1e6, "rate*1e6")
			}
		})
	}
}
