package rng

import (
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// oneOfEach has one distribution of each family, in the order of the kinds.
func oneOfEach() []Dist {
	inner := Mixture(Weighted{9, Constant(ms)}, Weighted{2, Uniform(5*ms, 100*ms)}, Weighted{1, Pareto(ms, 1.5)})
	return []Dist{
		Constant(15 * sec), Uniform(sec, 2*sec), Exponential(100 * ms), LogNormal(45*us, 0.3), Pareto(ms, 1.5), inner,
		Empirical(31*sec, 23300*ms, 79*sec), Histogram(Bucket{ms, 10}, Bucket{2 * ms, 0}, Bucket{4 * ms, 5}),
		inner.Scaled(7, 3), Exponential(100 * ms).Shifted(75 * ms), LogUniform(4*ms, 1<<18*ms), HalfNormal(300 * us),
	}
}

// TestGoldenSamples pins the first samples of each family and a digest of many, which
// must be the same on every architecture.
func TestGoldenSamples(t *testing.T) {
	golden := []struct {
		text   string
		first  [8]int64
		digest uint64
	}{
		{"15s", [8]int64{15000000000, 15000000000, 15000000000, 15000000000, 15000000000, 15000000000, 15000000000, 15000000000},
			0x990f0cb09265e376},
		{"uniform(1s, 2s)", [8]int64{1381965945, 1148572483, 1328503199, 1054912920, 1166497537, 1802401402, 1227459864, 1036740669},
			0x436079ba9111366e},
		{"exponential(100ms)", [8]int64{96242382, 190668234, 111320870, 290200662, 179277476, 22014630, 148078148, 330387098},
			0xa85128543c5fd2c6},
		{"lognormal(45us, 0.3)", [8]int64{41123, 32914, 39387, 27854, 33657, 58075, 35963, 26304},
			0x2b8a568c7fbb98b8},
		{"pareto(1ms, 1.5)", [8]int64{1899548, 3564849, 2100424, 6921767, 3304163, 1158081, 2683676, 9048334},
			0x9c2f3f615f0c8aae},
		{"mixture(9: 1ms, 2: uniform(5ms, 100ms), 1: pareto(1ms, 1.5))", [8]int64{1000000, 1000000, 1000000, 1000000, 1000000, 26608687, 1000000, 1000000},
			0x3f588fed8bdcb4cf},
		{"empirical(23.3s, 31s, 1m19s)", [8]int64{31000000000, 23300000000, 23300000000, 23300000000, 23300000000, 79000000000, 23300000000, 23300000000},
			0xde7411f3721ad7d1},
		{"histogram(1ms: 10, 2ms: 0, 4ms: 5)", [8]int64{148573, 54913, 802402, 36741, 3100492, 762609, 3848408, 718431},
			0x662b2b34fcf15e5f},
		{"scaled(7/3, mixture(9: 1ms, 2: uniform(5ms, 100ms), 1: pareto(1ms, 1.5)))", [8]int64{2333333, 2333333, 2333333, 2333333, 2333333, 62086936, 2333333, 2333333},
			0x6a79917caa7832be},
		// the exponential's, 75 ms later
		{"shifted(75ms, exponential(100ms))", [8]int64{171242382, 265668234, 186320870, 365200662, 254277476, 97014630, 223078148, 405387098},
			0x6e134f5de4fd0a52},
		{"loguniform(4ms, 4m22.144s)", [8]int64{276561231, 20780518, 152858311, 7354395, 25350821, 29296128850, 49844341, 6012024},
			0xb349aadb1924932b},
		{"halfnormal(300us)", [8]int64{90096, 312773, 133215, 479693, 290430, 255069, 224171, 536949},
			0x8b6359b96bc095aa},
	}
	for i, d := range oneOfEach() {
		s := New(42, nil)
		var first [8]int64
		var digest uint64
		for j := range 20000 {
			x := int64(d.Sample(&s))
			if j < len(first) {
				first[j] = x
			}
			digest = Hash(digest, uint64(x))
		}
		if i >= len(golden) {
			t.Errorf("no golden for {%q, %#v, %#x},", d, first, digest)
			continue
		}
		if w := golden[i]; d.String() != w.text || first != w.first || digest != w.digest {
			t.Errorf("got {%q, %#v, %#x}, want %q %v %#x", d, first, digest, w.text, w.first, w.digest)
		}
	}
}

// genDist generates distributions of every family.
func genDist() *rapid.Generator[Dist] {
	long := rapid.OneOf(rapid.Int64Range(0, 1e11), rapid.Int64Min(0))
	duration := rapid.Map(long, func(v int64) time.Duration { return time.Duration(v) })
	above := rapid.Map(long, func(v int64) time.Duration { return time.Duration(max(v, 1)) })
	shape := rapid.OneOf(rapid.Float64Range(0.01, 20), rapid.Float64Range(math.SmallestNonzeroFloat64, math.MaxFloat64))
	weight := rapid.Int64Range(1, 1e9)
	simple := rapid.Custom(func(t *rapid.T) Dist {
		switch rapid.IntRange(0, 8).Draw(t, "family") {
		case 0:
			return Constant(duration.Draw(t, "constant"))
		case 1:
			lo := duration.Draw(t, "lo")
			return Uniform(lo, time.Duration(rapid.Int64Min(int64(lo)).Draw(t, "hi")))
		case 2:
			return Exponential(above.Draw(t, "mean"))
		case 3:
			return LogNormal(above.Draw(t, "median"), shape.Draw(t, "sigma"))
		case 4:
			return Pareto(above.Draw(t, "min"), shape.Draw(t, "alpha"))
		case 5:
			return Empirical(rapid.SliceOfN(duration, 1, 5).Draw(t, "values")...)
		case 6:
			lo := above.Draw(t, "lo")
			return LogUniform(lo, time.Duration(rapid.Int64Min(int64(lo)).Draw(t, "hi")))
		case 7:
			return HalfNormal(above.Draw(t, "sigma"))
		}
		ends := rapid.SliceOfNDistinct(above, 1, 5, rapid.ID).Draw(t, "ends")
		slices.Sort(ends)
		var buckets []Bucket
		for _, e := range ends {
			buckets = append(buckets, Bucket{e, weight.Draw(t, "count")})
		}
		return Histogram(buckets...)
	})
	var nest func(depth int) *rapid.Generator[Dist]
	nest = func(depth int) *rapid.Generator[Dist] {
		if depth == 0 {
			return simple
		}
		return rapid.OneOf(simple, rapid.Custom(func(t *rapid.T) Dist {
			var parts []Weighted
			for range rapid.IntRange(1, 4).Draw(t, "parts") {
				parts = append(parts, Weighted{weight.Draw(t, "weight"), nest(depth-1).Draw(t, "part")})
			}
			return Mixture(parts...)
		}), rapid.Custom(func(t *rapid.T) Dist {
			num, den := rapid.Int64Min(0).Draw(t, "num"), rapid.Int64Min(1).Draw(t, "den")
			return nest(depth-1).Draw(t, "inner").Scaled(num, den)
		}), rapid.Custom(func(t *rapid.T) Dist {
			return nest(depth-1).Draw(t, "inner").Shifted(duration.Draw(t, "by"))
		}))
	}
	return nest(2)
}

func TestSampleIsInRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := genDist().Draw(t, "dist")
		s := New(rapid.Uint64().Draw(t, "seed"), nil)
		before := s
		for range 10 {
			x := d.Sample(&s)
			if x < 0 || x > Longest {
				t.Fatalf("%v gave %d", d, x)
			}
			if c, ok := d.IsConstant(); ok && (x != c || s != before) {
				t.Fatalf("constant %v gave %v or made a draw", d, x)
			}
			if p := d.Survival(x - 1); !(p > 0) {
				t.Fatalf("%v gave %d, which has P(X >= x) = %v", d, x, p)
			}
		}
		if m := d.Mean(); m < 0 || m > Longest {
			t.Fatalf("mean %d of %v", m, d)
		}
	})
}

func TestSurvivalIsMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := genDist().Draw(t, "dist")
		times := rapid.SliceOfN(rapid.Int64(), 2, 20).Draw(t, "times")
		slices.Sort(times)
		last := 1.0
		for _, at := range times {
			p := d.Survival(time.Duration(at))
			// the elementary functions are not exactly monotone
			if !(p >= 0 && p <= last*(1+1e-12)) {
				t.Fatalf("%v: Survival(%d) = %v after %v", d, at, p, last)
			}
			last = p
		}
		if d.Survival(-1) != 1 || d.Survival(Longest) != 0 {
			t.Fatal("Survival is not 1 below zero and 0 at Longest")
		}
	})
}

// TestSamplesFollowSurvival compares the share of samples above each of the
// theoretical quantiles with the theory. The seed is fixed; the bound of 4.5 standard errors,
// sqrt(p(1-p)/n), holds in all 90 comparisons except for one seed in 1600.
func TestSamplesFollowSurvival(t *testing.T) {
	const n = 100000
	for _, d := range append(oneOfEach(), Exponential(3), LogNormal(2, 1), Uniform(0, 3).Scaled(5, 2)) {
		s := New(Hash(99, HashString(d.String())), nil)
		xs := make([]time.Duration, n)
		for i := range xs {
			xs[i] = d.Sample(&s)
		}
		slices.Sort(xs)
		for _, q := range []float64{0.001, 0.1, 0.5, 0.9, 0.99, 0.999} {
			x := xs[int(q*n)]
			above, _ := slices.BinarySearch(xs, x+1)
			got, want := 1-float64(above)/n, d.Survival(x)
			if math.Abs(got-want) > 4.5*math.Sqrt(want*(1-want)/n)+1e-12 {
				t.Errorf("%v: share above %v is %.5f, theory %.5f", d, x, got, want)
			}
		}
	}
}

// TestMeans compares sample means with Mean, within five standard errors of the sample
// (so only for families with a variance), and Mean with closed forms.
func TestMeans(t *testing.T) {
	const n = 100000
	for _, d := range []Dist{
		Uniform(sec, 2*sec), Exponential(100 * ms), LogNormal(45*us, 0.3), Pareto(ms, 5),
		Empirical(23300*ms, 31*sec, 79*sec), Histogram(Bucket{ms, 10}, Bucket{4 * ms, 5}),
		Mixture(Weighted{9, Constant(ms)}, Weighted{2, Uniform(5*ms, 100*ms)}).Scaled(7, 3),
		LogUniform(4*ms, 1<<18*ms), HalfNormal(300 * us),
	} {
		s := New(5, nil)
		sum, squares := 0.0, 0.0
		for range n {
			x := float64(d.Sample(&s))
			sum += x
			squares += x * x
		}
		mean := sum / n
		sem := math.Sqrt((squares/n - mean*mean) / n)
		if e := math.Abs(mean - float64(d.Mean())); e > 5*sem {
			t.Errorf("%v: sample mean %.0f +- %.0f ns, Mean %d", d, mean, sem, d.Mean())
		}
	}
	for _, c := range []struct {
		d    Dist
		want time.Duration
	}{
		{LogNormal(100*ms, 1), 164872127}, // e^(1/2)
		{Pareto(ms, 1.5), 3 * ms},
		{Pareto(ms, 1), Longest},
		{Mixture(Weighted{1, Pareto(ms, 0.5)}, Weighted{1, Constant(0)}), Longest},
		{Uniform(8*sec, 10*sec).Scaled(4, 1), 36 * sec},
		{Exponential(ms).Shifted(75 * ms), 76 * ms},
		{Pareto(ms, 1).Shifted(sec), Longest},
		{LogUniform(ms, 10*ms), 3908650}, // 9 ms / ln 10
		{HalfNormal(ms), 797885},         // sqrt(2/pi)
		{Dist{}, 0},
	} {
		if got := c.d.Mean(); got != c.want {
			t.Errorf("Mean of %v = %v, want %v", c.d, got, c.want)
		}
	}
}

func TestSurvivalClosedForms(t *testing.T) {
	for _, c := range []struct {
		d    Dist
		at   time.Duration
		want float64
	}{
		{Constant(sec), sec - 1, 1},
		{Constant(sec), sec, 0},
		{Uniform(1, 4), 2, 0.5},
		{Exponential(sec), sec, math.Exp(-1)},
		{LogNormal(50*ms, 0.77), 50 * ms, 0.5},
		{LogNormal(50*ms, 0.77), time.Duration(50e6 * math.Exp(0.77*2.3263478740408408)), 0.01},
		{Pareto(ms, 1.5), 100 * ms, 0.001},
		{LogUniform(4*ms, 1<<18*ms), 4 * ms, 1},
		{LogUniform(4*ms, 1<<18*ms), 1 << 10 * ms, 0.5}, // 2^10 is half way from 2^2 to 2^18
		{LogUniform(4*ms, 1<<18*ms), 1 << 14 * ms, 0.25},
		{LogUniform(4*ms, 1<<18*ms), 1 << 18 * ms, 0},
		{HalfNormal(sec), sec, 0.31731050786291415}, // 1 - erf(1/sqrt 2)
		{HalfNormal(sec), 2 * sec, 0.04550026389635839},
		{Empirical(1, 2, 2, 3), 1, 0.75},
		{Histogram(Bucket{10, 1}, Bucket{20, 3}), 15, 0.375},
		{Constant(1).Scaled(1, 2), 0, 1}, // a half rounds up
		{Uniform(0, 9).Scaled(1, 10), 0, 0.5},
		{Exponential(sec).Shifted(5 * sec), 6 * sec, math.Exp(-1)},
		{Exponential(sec).Shifted(5 * sec), 5*sec - 1, 1},
		{Pareto(ms, 1.5).Shifted(Longest), Longest - 1, 1},
		{Uniform(0, math.MaxInt64), Longest - 1, 0.75},
	} {
		if got := c.d.Survival(c.at); relative(got, c.want) > 1e-7 && got != c.want {
			t.Errorf("%v: Survival(%v) = %v, want %v", c.d, c.at, got, c.want)
		}
	}
}

func TestSaturation(t *testing.T) {
	s := New(1, nil)
	for _, d := range []Dist{
		Constant(math.MaxInt64), Uniform(math.MaxInt64-1, math.MaxInt64), Pareto(math.MaxInt64, 0.1),
		Exponential(sec).Scaled(math.MaxInt64, 1), Constant(sec).Scaled(math.MaxInt64, 1),
		Exponential(sec).Shifted(math.MaxInt64), Constant(sec).Shifted(math.MaxInt64), Pareto(math.MaxInt64, 0.1).Shifted(Longest),
	} {
		if x := d.Sample(&s); x != Longest {
			t.Errorf("%v gave %d, want %d", d, x, Longest)
		}
	}
}

func TestScaledIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Int64Range(0, 1<<30).Draw(t, "x")
		num := rapid.Int64Range(0, 1<<30).Draw(t, "num")
		den := rapid.Int64Range(1, 1<<30).Draw(t, "den")
		want := (2*x*num + den) / (2 * den)
		if got := scale(time.Duration(x), num, den); int64(got) != want {
			t.Fatalf("scale(%d, %d, %d) = %d, want %d", x, num, den, got, want)
		}
	})
}

// TestShiftedAdds: a shifted distribution makes the same draws and adds to each.
func TestShiftedAdds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := genDist().Draw(t, "dist")
		by := time.Duration(rapid.Int64Range(0, int64(Longest)).Draw(t, "by"))
		seed := rapid.Uint64().Draw(t, "seed")
		s, twin := New(seed, nil), New(seed, nil)
		shifted := d.Shifted(by)
		for range 5 {
			if got, want := shifted.Sample(&s), min(d.Sample(&twin)+by, Longest); got != want || s != twin {
				t.Fatalf("%v shifted by %v gave %v, want %v, or made other draws", d, by, got, want)
			}
		}
	})
}

func BenchmarkSample(b *testing.B) {
	for _, d := range oneOfEach() {
		b.Run(d.String(), func(b *testing.B) {
			s := New(1, nil)
			b.ReportAllocs()
			for b.Loop() {
				sink += uint64(d.Sample(&s))
			}
		})
	}
}
