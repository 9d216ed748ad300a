package rng

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fencepost/sim/trace"
)

// TestUint64AgreesWithPCG uses the standard library's PCG, which its maintainers pin
// by tests, as the reference for the generator.
func TestUint64AgreesWithPCG(t *testing.T) {
	for seed := range uint64(100) {
		s := New(seed, nil)
		want := rand.NewPCG(s.hi, s.lo)
		for i := range 100 {
			if g, w := s.Uint64(), want.Uint64(); g != w {
				t.Fatalf("seed %d, draw %d: %#x, want %#x", seed, i, g, w)
			}
		}
	}
}

func TestGoldenDraws(t *testing.T) {
	want := map[uint64][8]uint64{
		0x0: {0xb18c97843f57bb91, 0xd7046f21f79eba31, 0x50a2e241ff366667, 0xeabf2752ca7429a8,
			0xffb07de5623306cb, 0xac156b34b18d2d80, 0x9dbcd618698ff96d, 0x91fde4497f2a40f},
		0x1: {0xaf9d32bf75779748, 0xb7672df032bf0473, 0x17e851b73891d79, 0x58ef4affce5665b8,
			0x3ecbda7af5daafb9, 0x999ddb76c999538b, 0x38a53b13ad283a9f, 0x3a7c561d204f5a9a},
		0x2: {0xa28db69c539314fb, 0xfe57a921339b50b9, 0x11d121a5ab7095ce, 0x17e3224696c264d1,
			0x53d71876d4a47ecd, 0x316266f13d98f02a, 0x6f0f58281b0020c0, 0xdd463b56167fd154},
		math.MaxUint64: {0x64351eb80e9c081b, 0x4a7188c8de8dd48b, 0xff808aa187f4ecc0, 0xca6b9fbd048a4dec,
			0xf68e28431d5042fb, 0x61515cccb4bfb5ea, 0x317342c2441592b2, 0x8dd07e15ad7766e1},
	}
	for _, seed := range []uint64{0, 1, 2, math.MaxUint64} {
		s := New(seed, nil)
		var got [8]uint64
		for i := range got {
			got[i] = s.Uint64()
		}
		if got != want[seed] {
			t.Errorf("seed %#x: draws\n%#x, want\n%#x", seed, got, want[seed])
		}
	}
}

func TestGoldenHash(t *testing.T) {
	for _, c := range []struct {
		name      string
		got, want uint64
	}{
		{"Hash(0)", Hash(0), 0xe220a8397b1dcdaf},
		{"Hash(1)", Hash(1), 0x910a2dec89025cc1},
		{"Hash(1, 2, 3)", Hash(1, 2, 3), 0xd2047bb7f4509128},
		{"Hash(1, 3, 2)", Hash(1, 3, 2), 0xa00eece37c047c0e},
		{"HashString()", HashString(""), 0xc3817c016ba4ff30},
		{"HashString(net/link)", HashString("net/link"), 0xa2b4895157addf2b},
	} {
		if c.got != c.want {
			t.Errorf("%s = %#x, want %#x", c.name, c.got, c.want)
		}
	}
}

func TestHashSeparatesKeys(t *testing.T) {
	seen := map[uint64][3]uint64{}
	note := func(h uint64, key [3]uint64) {
		if other, ok := seen[h]; ok {
			t.Fatalf("%v and %v have the same hash", key, other)
		}
		seen[h] = key
	}
	for a := range uint64(60) {
		note(Hash(a), [3]uint64{a, math.MaxUint64, math.MaxUint64})
		for b := range uint64(60) {
			note(Hash(a, b), [3]uint64{a, b, math.MaxUint64})
			for c := range uint64(20) {
				note(Hash(a, b, c), [3]uint64{a, b, c})
			}
		}
	}
}

func TestDigestCoversEveryDraw(t *testing.T) {
	var digest, want trace.Digest
	s, twin := New(7, &digest), New(7, nil)
	for range 10 {
		s.Uint64()
		want.Mix(twin.Uint64())
	}
	if digest != want {
		t.Errorf("digest %#x, want %#x", digest, want)
	}
	before := digest
	s.Between(time.Second, time.Second)
	s.Ratio(0, 5)
	s.Ratio(5, 5)
	Constant(time.Second).Sample(&s)
	if digest != before {
		t.Error("a certain result made a draw")
	}
}

func TestStreamBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := New(rapid.Uint64().Draw(t, "seed"), nil)
		n := rapid.Int64Min(1).Draw(t, "n")
		lo := rapid.Int64().Draw(t, "lo")
		hi := rapid.Int64Min(lo).Draw(t, "hi")
		for range 5 {
			if v := s.Int64N(n); v < 0 || v >= n {
				t.Fatalf("Int64N(%d) = %d", n, v)
			}
			if d := s.Between(time.Duration(lo), time.Duration(hi)); int64(d) < lo || int64(d) > hi {
				t.Fatalf("Between(%d, %d) = %d", lo, hi, d)
			}
			if s.unitClosed() <= 0 || s.unitOpen() >= 1 {
				t.Fatal("unit draw out of range")
			}
		}
	})
}

// TestUniformity has fixed seeds, so its bounds (five standard errors) are either met
// forever or not at all.
func TestUniformity(t *testing.T) {
	const draws = 200000
	s := New(11, nil)
	var cells [7]int
	var bits [64]int
	yes := 0
	for range draws {
		cells[s.Between(10, 16)-10]++
		if s.Ratio(3, 10) {
			yes++
		}
		for w, i := s.Uint64(), 0; i < 64; i++ {
			bits[i] += int(w >> i & 1)
		}
	}
	check := func(name string, got int, p float64) {
		t.Helper()
		if e := math.Abs(float64(got) - draws*p); e > 5*math.Sqrt(draws*p*(1-p)) {
			t.Errorf("%s: %d of %d, expected a share of %.4f", name, got, draws, p)
		}
	}
	for _, n := range cells {
		check("Between cell", n, 1.0/7)
	}
	for _, n := range bits {
		check("bit", n, 0.5)
	}
	check("Ratio(3, 10)", yes, 0.3)
}

func TestMisusePanics(t *testing.T) {
	s := New(1, nil)
	for name, f := range map[string]func(){
		"Int64N(0)":           func() { s.Int64N(0) },
		"Between(2, 1)":       func() { s.Between(2, 1) },
		"Ratio(2, 1)":         func() { s.Ratio(2, 1) },
		"Ratio(0, 0)":         func() { s.Ratio(0, 0) },
		"Constant(-1)":        func() { Constant(-1) },
		"Uniform(2, 1)":       func() { Uniform(2, 1) },
		"Exponential(0)":      func() { Exponential(0) },
		"LogNormal(1, NaN)":   func() { LogNormal(1, math.NaN()) },
		"Pareto(1, +Inf)":     func() { Pareto(1, math.Inf(1)) },
		"Mixture()":           func() { Mixture() },
		"Mixture(weight 0)":   func() { Mixture(Weighted{}) },
		"Mixture(overflow)":   func() { Mixture(Weighted{math.MaxInt64, Dist{}}, Weighted{1, Dist{}}) },
		"Empirical()":         func() { Empirical() },
		"Histogram()":         func() { Histogram() },
		"Histogram(unsorted)": func() { Histogram(Bucket{2, 1}, Bucket{2, 1}) },
		"Scaled(1, 0)":        func() { Constant(1).Scaled(1, 0) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s did not panic", name)
				}
			}()
			f()
		}()
	}
}

var sink uint64

func TestNoAllocations(t *testing.T) {
	var digest trace.Digest
	s := New(1, &digest)
	dists := oneOfEach()
	if n := testing.AllocsPerRun(100, func() {
		sink += Hash(1, sink, 3, 4) + HashString("net/link")
		fork := New(sink, &digest)
		sink += fork.Uint64()
		for _, d := range dists {
			sink += uint64(d.Sample(&s))
		}
	}); n != 0 {
		t.Errorf("%v allocations, want none", n)
	}
}

func BenchmarkUint64(b *testing.B) {
	b.Run("plain", func(b *testing.B) { benchmarkUint64(b, nil) })
	b.Run("digest", func(b *testing.B) { benchmarkUint64(b, new(trace.Digest)) })
}

func benchmarkUint64(b *testing.B, digest *trace.Digest) {
	s := New(1, digest)
	b.ReportAllocs()
	for b.Loop() {
		sink += s.Uint64()
	}
}

func BenchmarkNew(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		s := New(Hash(sink, 1, 2), nil)
		sink += s.lo
	}
}
