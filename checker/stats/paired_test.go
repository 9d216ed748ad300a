package stats_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"fencepost/checker/stats"
)

// TestSignTestPublishedValues: examples of textbooks. J. H. Zar's deer, whose left hind legs are
// longer in 8 of 10, have a two-sided probability of 0.109375 (Biostatistical Analysis, The sign
// test); W. J. Conover's customers, 8 of 9 of whom prefer the new product, a one-sided one of
// 0.0195 (Practical Nonparametric Statistics, The sign test).
func TestSignTestPublishedValues(t *testing.T) {
	if got := 2 * stats.SignTest(8, 2); math.Abs(got-0.109375) > 1e-12 {
		t.Errorf("Zar: %v", got)
	}
	if got := stats.SignTest(8, 1); math.Abs(got-0.0195) > 5e-5 {
		t.Errorf("Conover: %v", got)
	}
	// Twice one tail is the two-sided one of binom.test in R: binom.test(16, 20).
	if got := 2 * stats.SignTest(16, 4); math.Abs(got-0.01181793) > 5e-9 {
		t.Errorf("R: %v", got)
	}
}

func TestSignTestAgreesWithSummedTails(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		up, down := rapid.Int64Range(0, 120).Draw(t, "up"), rapid.Int64Range(0, 120).Draw(t, "down")
		want, _ := tailAtLeast(up, up+down, 0.5).Float64()
		if got := stats.SignTest(up, down); !closeTo(got, want, 1e-10) {
			t.Errorf("%d up, %d down: %v, want %v", up, down, got, want)
		}
	})
}

func TestFewestPairs(t *testing.T) {
	for alpha, want := range map[float64]int64{0.5: 1, 0.05: 5, 0.01: 7, 0.001: 10} {
		if got := stats.FewestPairs(alpha); got != want {
			t.Errorf("%v: %d, want %d", alpha, got, want)
		}
	}
}

// TestHolmPublishedValues: as R's p.adjust(p, "holm") prints them, and the example of four tests of
// which the first two are rejected at 0.05 (Wikipedia, Holm-Bonferroni method).
func TestHolmPublishedValues(t *testing.T) {
	for _, c := range []struct{ p, want []float64 }{
		{[]float64{0.01, 0.02, 0.03, 0.04, 0.05}, []float64{0.05, 0.08, 0.09, 0.09, 0.09}},
		{[]float64{0.01, 0.04, 0.03, 0.005}, []float64{0.03, 0.06, 0.06, 0.02}},
		{[]float64{0.6, 0.9}, []float64{1, 1}},
		{nil, nil},
	} {
		got := stats.Holm(c.p)
		for i := range c.want {
			if math.Abs(got[i]-c.want[i]) > 1e-12 {
				t.Errorf("%v: %v, want %v", c.p, got, c.want)
			}
		}
	}
}

func TestPairedRefusesNonsense(t *testing.T) {
	for _, f := range []func(){
		func() { stats.SignTest(-1, 2) },
		func() { stats.SignTest(1, -2) },
		func() { stats.FewestPairs(0) },
		func() { stats.FewestPairs(math.NaN()) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			f()
		}()
	}
}
