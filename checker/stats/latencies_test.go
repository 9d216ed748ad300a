package stats_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fencepost/checker/stats"
)

func ExampleLatencies() {
	var first, second stats.Latencies
	for ms := range 60 {
		first.Add(time.Duration(ms) * time.Millisecond)
	}
	for ms := 60; ms < 100; ms++ {
		second.Add(time.Duration(ms) * time.Millisecond)
	}
	first.Merge(&second)
	_, high := first.Quantile(0.9)
	fmt.Println(first.Count(), first.Min(), first.Max(), high)
	// Output: 100 0s 99ms 89.128959ms
}

// drawLatencies draws of every order of magnitude alike, and neighbours of powers of two.
func drawLatencies(t *rapid.T, name string) []time.Duration {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) time.Duration {
		bits := rapid.IntRange(0, 62).Draw(t, "bits")
		low := int64(1) << bits
		return time.Duration(rapid.OneOf(rapid.Int64Range(low-1, low), rapid.Int64Range(low, low+(low-1))).Draw(t, "ns"))
	}), 0, 200).Draw(t, name)
}

func sketchOf(durations []time.Duration) *stats.Latencies {
	l := new(stats.Latencies)
	for _, d := range durations {
		l.Add(d)
	}
	return l
}

// TestLatenciesQuantileAgainstSorting: q in thousandths of a percent, so that the rank is a division of
// whole numbers.
func TestLatenciesQuantileAgainstSorting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		durations := drawLatencies(t, "durations")
		l := sketchOf(durations)
		slices.Sort(durations)
		if l.Count() != int64(len(durations)) {
			t.Fatalf("%d of %d", l.Count(), len(durations))
		}
		if len(durations) == 0 {
			return
		}
		if l.Min() != durations[0] || l.Max() != durations[len(durations)-1] {
			t.Fatalf("%v to %v", l.Min(), l.Max())
		}
		q := rapid.OneOf(rapid.SampledFrom([]int{0, 50_000, 90_000, 99_000, 99_900, 99_990, 100_000}), rapid.IntRange(0, 100_000)).Draw(t, "q")
		rank := max(1, (q*len(durations)+99_999)/100_000)
		want := durations[rank-1]
		low, high := l.Quantile(float64(q) / 100_000)
		if low > want || high < want || float64(high) > float64(want)*(1+1.0/128) || float64(low) < float64(want)/(1+1.0/128) {
			t.Fatalf("quantile %d: [%d, %d], want %d", q, low, high, want)
		}
		if rank == 1 && high != want || rank == len(durations) && low != want {
			t.Fatalf("quantile %d: [%d, %d], want exactly %d", q, low, high, want)
		}
	})
}

// TestLatenciesRankIsDecimal: 0.55*100 is a little more than 55 in floating point.
func TestLatenciesRankIsDecimal(t *testing.T) {
	var l stats.Latencies
	for ns := 1; ns <= 100; ns++ { // below 256 ns, each has its own bucket
		l.Add(time.Duration(ns))
	}
	for percent := 1; percent <= 100; percent++ {
		if low, high := l.Quantile(float64(percent) / 100); low != time.Duration(percent) || high != low {
			t.Errorf("%d %%: [%d, %d]", percent, low, high)
		}
	}
	if _, high := l.Quantile(0.501); high != 51 {
		t.Errorf("50.1 %%: %d", high)
	}
}

// TestLatenciesQuantileIsBetweenMinAndMax: 1000 to 1003 ns have a bucket together.
func TestLatenciesQuantileIsBetweenMinAndMax(t *testing.T) {
	if low, high := sketchOf([]time.Duration{1001, 1001, 1002}).Quantile(0.5); low != 1001 || high != 1002 {
		t.Errorf("[%d, %d]", low, high)
	}
}

// TestLatenciesMergeInAnyOrder: any order and any grouping of the same durations gives the same bytes.
func TestLatenciesMergeInAnyOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		durations := drawLatencies(t, "durations")
		want := encoded(t, sketchOf(durations))
		parts := grouped(t, durations, func(l *stats.Latencies, d time.Duration) { l.Add(d) })
		if got := encoded(t, mergedInTree(t, parts)); got != want {
			t.Fatalf("%s, want %s", got, want)
		}
	})
}

func TestLatenciesRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := sketchOf(drawLatencies(t, "durations"))
		text, back := encoded(t, l), sketchOf([]time.Duration{5})
		if err := back.UnmarshalText([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if again := encoded(t, back); again != text || back.Count() != l.Count() || back.Min() != l.Min() || back.Max() != l.Max() {
			t.Fatalf("%s, want %s", again, text)
		}
		_, want := l.Quantile(0.99)
		if _, got := back.Quantile(0.99); got != want {
			t.Fatalf("p99 %v, want %v", got, want)
		}
	})
}

// TestLatenciesEncoding: 3000 is 187·2⁴ + 8, in bucket 4·128 + 187; 10⁶ is 244·2¹² + 576, in 12·128 +
// 244; and 1 004 000 is in the next one, 245·2¹² + 480.
func TestLatenciesEncoding(t *testing.T) {
	const want = "latencies/7 3000 1004500 699:1 1780:2,1"
	if got := encoded(t, sketchOf([]time.Duration{1_000_000, 3000, 1_004_500, 1_000_001})); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := encoded(t, new(stats.Latencies)); got != "latencies/7" {
		t.Errorf("empty: %s", got)
	}
	// The last bucket there is: 55·128 + 255.
	if got := encoded(t, sketchOf([]time.Duration{math.MaxInt64})); got != "latencies/7 9223372036854775807 9223372036854775807 7295:1" {
		t.Errorf("the longest: %s", got)
	}
}

func TestLatenciesRefuseOtherText(t *testing.T) {
	for text, says := range map[string]string{
		"":                                        "begins with",
		"latencies/8 1 1 1:1":                     "begins with",
		"latencies/7 ":                            "words instead of min, max",
		"latencies/7 1 1":                         "words instead of min, max",
		"latencies/7 -1 1 1:1":                    "min",
		"latencies/7 2 1 1:1":                     "max",
		"latencies/7 1 1 1:0":                     "count",
		"latencies/7 1 1 1:-1":                    "count",
		"latencies/7 1 1 1:":                      "count",
		"latencies/7 1 1 1":                       "count",
		"latencies/7 1 1 x:1":                     "bucket",
		"latencies/7 1 2 2:1 1:1":                 "bucket",
		"latencies/7 1 1 1:1 1:1":                 "bucket",
		"latencies/7 1 1 7296:1":                  "bucket",
		"latencies/7 1 1 7295:1,1":                "more than 7296 buckets",
		"latencies/7 1 3 1:1":                     "not in the first and in the last",
		"latencies/7 1 3 2:1,1":                   "not in the first and in the last",
		"latencies/7 1 3 0:1,1 3:1":               "not in the first and in the last",
		"latencies/7 1 1 1:9223372036854775807,1": "count",
		"latencies/7 256 257 256:1":               "one latency",
		"latencies/7 1 1 1:01":                    "would be written",
		"latencies/7 1 1 1:+1":                    "would be written",
		"latencies/7 1 2 1:1 2:1":                 "would be written",
		"latencies/7 1 1 1:1\n":                   "count",
		"latencies/7 1 1  1:1":                    "bucket",
	} {
		l := sketchOf([]time.Duration{5})
		err := l.UnmarshalText([]byte(text))
		if !errors.Is(err, stats.ErrEncoding) || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, want %q", text, err, says)
		}
		if l.Count() != 1 || l.Max() != 5 {
			t.Errorf("%q: it is changed, though refused", text)
		}
	}
}

func TestLatenciesRefuseNonsense(t *testing.T) {
	for _, f := range []func(){
		func() { new(stats.Latencies).Add(-1) },
		func() { new(stats.Latencies).Quantile(-0.1) },
		func() { new(stats.Latencies).Quantile(1.1) },
		func() { new(stats.Latencies).Quantile(math.NaN()) },
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
	if low, high := new(stats.Latencies).Quantile(0.5); low != 0 || high != 0 {
		t.Errorf("of none: [%v, %v]", low, high)
	}
}

func BenchmarkLatenciesAdd(b *testing.B) {
	var l stats.Latencies
	for i := 0; b.Loop(); i++ {
		l.Add(time.Duration(i%1000) * time.Millisecond)
	}
}
