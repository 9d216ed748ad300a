package rng

import (
	"math"
	"testing"
	"time"
)

// rareWorld is what a run draws that has some rare durations, one after the other, and some rare chances.
type rareWorld struct {
	of        Dist
	most      int // as is known beforehand
	durations int // that are drawn
	chance    Chance
	chances   int
}

func (w *rareWorld) bias() *Bias {
	var durations []RareDuration
	if w.most > 0 {
		durations = append(durations, RareDuration{w.of, w.most})
	}
	return NewBias(durations, w.chances > 0)
}

func (w *rareWorld) draw(b *Bias, seed uint64) (longest time.Duration, fired int) {
	b.Reset(seed)
	s := New(Hash(seed, 99), nil)
	for range w.durations {
		longest = max(longest, b.Duration(0, w.of.Sample(&s)))
	}
	for range w.chances {
		if b.Chance(w.chance, w.chance.Sample(&s)) {
			fired++
		}
	}
	return longest, fired
}

var (
	logNormal   = LogNormal(50*time.Millisecond, 1.1)
	exponential = Exponential(400 * time.Millisecond)
	percent     = Chance{Num: 1, Den: 100}
)

var rareWorlds = map[string]rareWorld{
	"one duration":                {of: logNormal, most: 1, durations: 1},
	"any number of durations":     {of: exponential, most: MostJumps + 1, durations: 7},
	"ten, and some are not drawn": {of: exponential, most: 10, durations: 4},
	"chances":                     {chance: percent, chances: 5},
	"more chances than are even":  {chance: percent, chances: mostEven + 4},
	"both":                        {of: exponential, most: 2, durations: 2, chance: Chance{Num: 1, Den: 50}, chances: 3},
}

// exactly are the probabilities of some events of such a world, worked out by hand: that some duration
// exceeds 4 s, and that a number of chances, or more, come true.
func (w *rareWorld) exactly() (long float64, atLeast [4]float64) {
	long = 1 - math.Pow(1-w.of.Survival(4*time.Second), float64(w.durations))
	if w.chances == 0 {
		return long, [4]float64{1}
	}
	p := float64(w.chance.Num) / float64(w.chance.Den)
	for k := range atLeast {
		for n := k; n <= w.chances; n++ {
			ways := 1.0
			for i := range n {
				ways *= float64(w.chances-i) / float64(i+1)
			}
			atLeast[k] += ways * math.Pow(p, float64(n)) * math.Pow(1-p, float64(w.chances-n))
		}
	}
	return long, atLeast
}

// weighed is a mean of weights, with its standard error.
type weighed struct{ sum, squares, n float64 }

func (w *weighed) add(weight float64) { w.sum, w.squares = w.sum+weight, w.squares+weight*weight }

func (w *weighed) check(t *testing.T, what string, want float64) {
	t.Helper()
	mean := w.sum / w.n
	deviation := math.Sqrt((w.squares/w.n - mean*mean) / w.n)
	if math.Abs(mean-want) > 4*deviation+1e-12 {
		t.Errorf("%s is estimated as %g with a standard error of %g, want %g", what, mean, deviation, want)
	}
}

// TestBiasIsUnbiased: the mean weight of the runs in which something happens is the probability with
// which it happens without a bias, also where that is 1e-6; the mean of all weights is 1, and none is
// larger than MostWeight.
func TestBiasIsUnbiased(t *testing.T) {
	if testing.Short() {
		t.Skip("thousands of draws by one goroutine: the plain run is their proof")
	}
	const n = 20_000
	for name, w := range rareWorlds {
		b := w.bias()
		all, long := weighed{n: n}, weighed{n: n}
		var firings [4]weighed
		for seed := uint64(1); seed <= n; seed++ {
			longest, fired := w.draw(b, seed)
			weight := b.Weight()
			if !(weight > 0 && weight <= MostWeight) {
				t.Fatalf("%s, seed %d: a weight of %g", name, seed, weight)
			}
			all.add(weight)
			if longest > 4*time.Second {
				long.add(weight)
			}
			for k := range firings {
				firings[k].n = n
				if fired >= k {
					firings[k].add(weight)
				}
			}
		}
		wantLong, wantFirings := w.exactly()
		all.check(t, name+": the sum of all probabilities", 1)
		long.check(t, name+": a duration above 4 s", wantLong)
		for k := range firings {
			if w.chances > mostEven && k > 1 {
				break // several beyond those that are even are too rare for so few runs
			}
			firings[k].check(t, name+": so many firings", wantFirings[k])
		}
	}
}

// TestBiasFindsWhatIsRare: with a tenth of the runs or so it comes to what happens once in a million
// times or less.
func TestBiasFindsWhatIsRare(t *testing.T) {
	for name, want := range map[string]float64{"one duration": 0.3, "any number of durations": 0.15, "chances": 0.1} {
		w := rareWorlds[name]
		b := w.bias()
		const n = 2000
		hits := 0
		for seed := uint64(1); seed <= n; seed++ {
			if longest, fired := w.draw(b, seed); longest > 4*time.Second || fired >= 3 {
				hits++
			}
		}
		if got := float64(hits) / n; got < want {
			t.Errorf("%s: in %g of the runs, want %g", name, got, want)
		}
	}
}

// TestNoBias: there is none where nothing can be drawn otherwise.
func TestNoBias(t *testing.T) {
	if NewBias(nil, false) != nil || NewBias([]RareDuration{{Constant(time.Second), 1}}, false) != nil {
		t.Error("a constant has a bias")
	}
}
