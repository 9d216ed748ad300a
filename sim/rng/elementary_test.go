package rng

import (
	"math"
	"testing"
)

// relative is the relative difference of got from want.
func relative(got, want float64) float64 {
	if got == want {
		return 0
	}
	return math.Abs(got-want) / math.Abs(want)
}

// checkAccuracy compares got with want on n points of x and logs the worst error.
func checkAccuracy(t *testing.T, bound float64, n int, x func(i int) float64, got, want func(float64) float64) {
	t.Helper()
	worst, at := 0.0, 0.0
	for i := range n {
		v := x(i)
		if e := relative(got(v), want(v)); !(e <= worst) {
			worst, at = e, v
		}
	}
	t.Logf("worst relative error %.2g at %v (%d points)", worst, at, n)
	if !(worst <= bound) {
		t.Errorf("worst relative error %g at %v, want at most %g", worst, at, bound)
	}
}

func TestExpAgreesWithMath(t *testing.T) {
	s := New(1, nil)
	checkAccuracy(t, 1e-15, 400000, func(i int) float64 {
		u := s.unitOpen() - 0.5
		return []float64{u * 1416, u * 40, u, u * 1e-9}[i%4]
	}, expOf, math.Exp)
	for x, want := range map[float64]float64{
		0: 1, 710: math.Inf(1), math.Inf(1): math.Inf(1), -709: 0, math.Inf(-1): 0,
	} {
		if got := expOf(x); got != want {
			t.Errorf("expOf(%v) = %v, want %v", x, got, want)
		}
	}
}

func TestLogAgreesWithMath(t *testing.T) {
	s := New(2, nil)
	checkAccuracy(t, 1e-15, 400000, func(i int) float64 {
		u := s.unitClosed()
		return []float64{u, 1 + u/1e3, 1 - u/1e6, math.Exp(1400*u - 700)}[i%4]
	}, logOf, math.Log)
	if got := logOf(1); got != 0 {
		t.Errorf("logOf(1) = %v, want 0", got)
	}
}

func TestNormalQuantileInvertsTail(t *testing.T) {
	// Erfc is the independent reference. An error e in z changes the tail by about
	// a factor 1 + e*z for large z, hence the looser bound.
	s := New(3, nil)
	checkAccuracy(t, 5e-14, 200000, func(i int) float64 {
		return math.Exp(-36 * s.unitOpen() * float64(i%2+1) / 2)
	}, func(p float64) float64 {
		return math.Erfc(-normalQuantile(p)/math.Sqrt2) / 2
	}, func(p float64) float64 { return p })
	for _, c := range []struct{ p, z float64 }{
		{0.975, 1.959963984540054}, {0.99, 2.3263478740408408}, {0.999, 3.090232306167813},
		{0.001, -3.090232306167813}, {1e-10, -6.361340902404056},
	} {
		if got := normalQuantile(c.p); relative(got, c.z) > 1e-14 {
			t.Errorf("normalQuantile(%v) = %v, want %v", c.p, got, c.z)
		}
	}
}

// TestQuantileTableAgreesWithWichura compares the table with the algorithm that it is made
// from, by the distance, since z goes through zero. Ends of cells are the worst places.
func TestQuantileTableAgreesWithWichura(t *testing.T) {
	s := New(6, nil)
	worst := 0.0
	for i := range 400000 {
		p := s.unitOpen()
		if i%2 == 0 {
			p = math.Float64frombits((firstCell + uint64(i)%cells) << cellShift)
			p = math.Nextafter(p, float64(i%4)-1)
		}
		z := wichura(p)
		worst = max(worst, math.Abs(normalQuantile(p)-z)/max(1, math.Abs(z)))
	}
	t.Logf("worst distance %.2g", worst)
	if worst > 1e-15 {
		t.Errorf("worst distance %g, want at most 1e-15", worst)
	}
}

func TestNormalTailAgreesWithErfc(t *testing.T) {
	s := New(4, nil)
	checkAccuracy(t, 3e-13, 200000, func(int) float64 { return 45*s.unitOpen() - 8 }, normalTail,
		func(z float64) float64 {
			if z > 37 {
				return 0
			}
			return math.Erfc(z/math.Sqrt2) / 2
		})
}

// TestElementaryBits pins the bits of the functions, before any rounding to
// nanoseconds: a fused multiply-add anywhere would change some of them.
func TestElementaryBits(t *testing.T) {
	s := New(5, nil)
	var exps, logs, quantiles, tails uint64
	for range 50000 {
		u := s.unitOpen()
		exps = Hash(exps, math.Float64bits(expOf(float64(80*u)-40)))
		logs = Hash(logs, math.Float64bits(logOf(u)))
		z := normalQuantile(u)
		quantiles = Hash(quantiles, math.Float64bits(z))
		tails = Hash(tails, math.Float64bits(normalTail(z)))
	}
	for _, c := range []struct {
		name      string
		got, want uint64
	}{
		{"exp", exps, 0xd6a52ca95bc95a1a},
		{"log", logs, 0xb3a3064587cc6084},
		{"normal quantile", quantiles, 0x10671c20479ddc36},
		{"normal tail", tails, 0x5ddb2db63be72919},
	} {
		if c.got != c.want {
			t.Errorf("%s: digest of 50000 results is %#x, want %#x", c.name, c.got, c.want)
		}
	}
}
