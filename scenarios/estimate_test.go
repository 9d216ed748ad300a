package scenarios

import (
	"math"
	"reflect"
	"runtime"
	"slices"
	"testing"
	"time"

	"fencepost/checker"
	"fencepost/checker/stats"
	"fencepost/models"
	"fencepost/models/modeltest"
	"fencepost/models/resource"
	"fencepost/sim/rng"
)

// estimated sweeps the case of a rare pause under a lock without a guard.
func estimated(t testing.TB, e Estimator, lock, pause string, trials int) *Cell {
	t.Helper()
	s := sweepOf(t, "rare-pause", []Axis{{"fault.pause", []string{pause}}}, trials, runtime.NumCPU())
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

// TestConditionalByHand: integrate finds each change of the verdict.
func TestConditionalByHand(t *testing.T) {
	d := rng.Exponential(time.Second)
	l := newLadder(d)
	for name, c := range map[string]struct {
		is   func(x time.Duration) bool
		want float64
	}{
		"never":         {func(time.Duration) bool { return false }, 0},
		"always":        {func(time.Duration) bool { return true }, 1},
		"above 13.8 s":  {func(x time.Duration) bool { return x > 13800*time.Millisecond }, math.Exp(-13.8)},
		"below 1.5 s":   {func(x time.Duration) bool { return x <= 1500*time.Millisecond }, 1 - math.Exp(-1.5)},
		"between":       {func(x time.Duration) bool { return x > 2*time.Second && x <= 10*time.Second }, math.Exp(-2) - math.Exp(-10)},
		"below, beyond": {func(x time.Duration) bool { return x <= time.Second || x > 20*time.Second }, 1 - math.Exp(-1) + math.Exp(-20)},
	} {
		asked := 0
		got, err := l.integrate(func(x time.Duration) (bool, error) { asked++; return c.is(x), nil })
		// Each change is found to 50 microseconds, in which the exponential loses 5e-5 of what is left.
		if err != nil || math.Abs(got-c.want) > 1e-4*math.Min(c.want, 1) {
			t.Errorf("%s: %g (%v), want %g", name, got, err, c.want)
		}
		if asked > 80 {
			t.Errorf("%s: asked %d times", name, asked)
		}
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
	plans := plansOf(t, "rare-pause", nil)
	trial := NewTrial(plans[slices.IndexFunc(plans, func(p *Plan) bool { return p.Describe.Name == "redis" })])
	defer trial.Close()
	if q, high, err := trial.conditionally(1, checker.Exclusion); err != nil || q == 0 || high != q {
		t.Errorf("nothing unknown: %g to %g, %v", q, high, err)
	}
	trial.world.MaxEvents = 5
	if q, high, err := trial.conditionally(1, checker.Exclusion); err != nil || q != 0 || high < 1-1e-9 {
		t.Errorf("all unknown: %g to %g, %v; want 0 to 1", q, high, err)
	}
	sum := newEstimates(Biased)
	for seed := range uint64(20) {
		r, err := trial.Run(seed)
		if err != nil {
			t.Fatal(err)
		}
		sum.weigh(trial, &r)
	}
	if low, high := sum.Weighted[exclusionIndex], sum.WeightedHigh[exclusionIndex]; low.Estimate() != 0 || high.Estimate() != 1 {
		t.Errorf("all unknown: %g to %g, want 0 to 1", low.Estimate(), high.Estimate())
	}
}

// TestBiasedRunsCanBeRepeated: the token of a biased run is another one than that of its seed.
func TestBiasedRunsCanBeRepeated(t *testing.T) {
	r := registry(t)
	redis, _ := r.Find("redis")
	const seeds = 10 // some are drawn as they are
	digests := func(values map[string]string) (list []uint64, token Token) {
		s, err := Load("rare-pause")
		if err != nil {
			t.Fatal(err)
		}
		in, err := s.Instantiate(r, values)
		if err != nil {
			t.Fatal(err)
		}
		plans, err := in.Plans([]models.Lock{redis}, resource.Guards[:1])
		if err != nil {
			t.Fatal(err)
		}
		trial := NewTrial(plans[0])
		defer trial.Close()
		for seed := range uint64(seeds) {
			result, err := trial.RunSafely(seed + 1)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, result.Digest)
		}
		return list, TokenOf(plans[0], 1)
	}
	biased, token := digests(map[string]string{estimateParam: string(Biased)})
	again, _ := digests(token.Params)
	plain, _ := digests(nil)
	if !slices.Equal(biased, again) || slices.Equal(biased, plain) {
		t.Errorf("digests %x, again %x, without a bias %x; the token is %s", biased, again, plain, token)
	}
	s, _ := Load("rare-pause")
	if _, err := s.Instantiate(r, map[string]string{estimateParam: "crude"}); err == nil {
		t.Error("a run has no other estimate than a biased one")
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
