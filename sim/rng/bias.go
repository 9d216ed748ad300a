package rng

import "time"

// Bias draws what is rare too often, and says by how much: the weight of a run is its likelihood
// without the bias, divided by that with it. A mean of what the runs come to, each times its weight, is
// that of runs without a bias.
//
// Each run is drawn in one of some ways, by chance: as it is; with one of its durations from a tail of
// that one's distribution, since a heavy tail needs one long one and not several longer ones (S.
// Asmussen, K. Binswanger and B. Hojgaard, "Rare events simulation for heavy-tailed distributions",
// Bernoulli 6, 2000); with each rare chance as likely as not (P. Shahabuddin, Management Science 40,
// 1994); or with both. The weight is that of the mixture of all ways (T. Hesterberg, "Weighted average
// importance sampling and defensive mixture distributions", Technometrics 37, 1995), so that it is never
// larger than 1 over the chance of the first, whatever was drawn.
type Bias struct {
	// tails are those of the rare durations, by their index; nil of one that has none.
	tails []*Tails
	// jumps are how likely the n-th duration of a run is to be the one from a tail.
	jumps []float64
	ways  []way
	way   way

	seed      uint64
	jump      int // which duration is drawn from a tail
	durations int // that were drawn
	chances   int
	// jumped is how much likelier the durations are if one is from a tail, covered how likely that
	// one is among those that were drawn; fired how much likelier the chances are.
	jumped, covered float64
	fired           float64
}

// way is what a run is drawn with.
type way struct{ jump, even bool }

const (
	// defensive is the share of runs that are drawn as they are. No weight is larger than 1 over it.
	defensive = 0.2
	// MostJumps is among how many durations of a run the one from a tail is chosen at most, mostEven
	// how many chances of a run are as likely as not.
	MostJumps, mostEven = 64, 8
)

// MostWeight is the largest weight that a run can have.
const MostWeight = 1 / defensive

// NewBias returns the bias of runs that draw some durations, each of a distribution and up to so many
// times, and, if there are chances, some of those. There is none, and it is nil, if no duration has a
// tail and there are no chances.
func NewBias(durations []RareDuration, chances bool) *Bias {
	b := &Bias{}
	most := 0
	for _, d := range durations {
		t := NewTails(d.Dist)
		if t.Any() {
			most += min(d.Most, MostJumps+1)
		} else {
			t = nil
		}
		b.tails = append(b.tails, t)
	}
	for _, w := range []way{{jump: true}, {even: true}, {jump: true, even: true}} {
		if (!w.jump || most > 0) && (!w.even || chances) {
			b.ways = append(b.ways, w)
		}
	}
	if len(b.ways) == 0 {
		return nil
	}
	b.jumps = jumps(most)
	return b
}

// RareDuration is what a run draws up to so many times; more than [MostJumps] is any number of times.
type RareDuration struct {
	Dist Dist
	Most int
}

// jumps chooses among as many durations as a run has at most: each with the same chance, or, if there is
// no such number, the earlier ones rather than the later, since a run may have few.
func jumps(most int) (chances []float64) {
	if most <= MostJumps {
		for range most {
			chances = append(chances, 1/float64(most))
		}
		return chances
	}
	sum := 0.0
	for n := range MostJumps {
		chances = append(chances, 1/float64(n+1))
		sum += chances[n]
	}
	for n := range chances {
		chances[n] /= sum
	}
	return chances
}

// Reset draws the way of a new run.
func (b *Bias) Reset(seed uint64) {
	*b = Bias{tails: b.tails, jumps: b.jumps, ways: b.ways, seed: seed, fired: 1}
	s := b.stream("bias.way", 0)
	if s.Ratio(1, 5) { // defensive
		return
	}
	b.way = b.ways[s.Int64N(int64(len(b.ways)))]
	b.jump = b.drawJump(&s)
}

func (b *Bias) stream(name string, n int) Stream {
	return New(Hash(b.seed, HashString(name), uint64(n)), nil)
}

func (b *Bias) drawJump(s *Stream) int {
	const scale = 1 << 52
	at := float64(s.Int64N(scale)) / scale
	for n, p := range b.jumps {
		if at < p {
			return n
		}
		at -= p
	}
	return len(b.jumps) - 1
}

// Duration is the next one, given that which was drawn without a bias.
func (b *Bias) Duration(of int, drawn time.Duration) time.Duration {
	t := b.tails[of]
	if t == nil {
		return drawn
	}
	n := b.durations
	b.durations++
	if b.way.jump && n == b.jump {
		s := b.stream("bias.duration", n)
		drawn = t.Draw(&s)
	}
	if n < len(b.jumps) {
		b.jumped += float64(b.jumps[n] * t.Ratio(drawn))
		b.covered += b.jumps[n]
	}
	return drawn
}

// Chance is whether the next one comes true, given what was drawn without a bias.
func (b *Bias) Chance(c Chance, drawn bool) bool {
	if c.Num == 0 || c.Num >= c.Den || b.chances == mostEven {
		return drawn
	}
	n := b.chances
	b.chances++
	if b.way.even {
		s := b.stream("bias.chance", n)
		drawn = s.Ratio(1, 2)
	}
	p := float64(c.Num) / float64(c.Den)
	if !drawn {
		p = 1 - p
	}
	b.fired *= 0.5 / p
	return drawn
}

// Weight is that of the run so far.
func (b *Bias) Weight() float64 {
	jumped := b.jumped + (1 - b.covered) // the one from a tail may be among those that were not drawn
	mixed := defensive
	for _, w := range b.ways {
		ratio := 1.0
		if w.jump {
			ratio = float64(ratio * jumped)
		}
		if w.even {
			ratio = float64(ratio * b.fired)
		}
		mixed += float64((1 - defensive) / float64(len(b.ways)) * ratio)
	}
	return 1 / mixed
}
