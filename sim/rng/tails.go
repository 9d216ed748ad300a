package rng

import "time"

// Tails are the upper tails of a distribution, each a third as likely as the one before it or so: what is
// drawn from them is rare in the distribution. It is for importance sampling, in which what is drawn too
// often counts for less. The weights of draws between two tails that follow each other differ by a
// factor of 3.4 at most, so that no small part of what hits holds most of the weight unseen.
type Tails struct {
	dist Dist
	// from are their lower ends, excluded, and share how likely each is: P(X > from).
	from  []time.Duration
	share []float64
}

// rarest is the probability of the rarest tail, two of which there are in each decade. Below, the
// generator's own granularity comes near.
const rarest = 1e-9

// tailsAbove are with what probabilities tails are exceeded at most.
var tailsAbove = func() (list []float64) {
	for decade := 0.1; decade > rarest/2; decade /= 10 {
		list = append(list, decade, float64(0.3*decade))
	}
	return list[:len(list)-1]
}()

// NewTails finds the tails of a distribution. A constant has none, and one that takes few values has
// few.
func NewTails(d Dist) *Tails {
	t := &Tails{dist: d}
	for _, above := range tailsAbove {
		from := d.exceeded(above, 0)
		share := d.Survival(from)
		if share == 0 {
			break
		}
		if k := len(t.from); k > 0 && t.from[k-1] == from {
			continue
		}
		t.from, t.share = append(t.from, from), append(t.share, share)
	}
	return t
}

// Exceeded returns the least duration that is exceeded with a probability of at most above, which is
// larger than 0.
func (d Dist) Exceeded(above float64) time.Duration { return d.exceeded(above, 0) }

// exceeded returns the least duration from low on that is exceeded with a probability of at most above.
func (d Dist) exceeded(above float64, low time.Duration) time.Duration {
	high := low + 1
	for high < Longest && d.Survival(high) > above {
		low, high = high, min(2*high, Longest)
	}
	for low < high {
		middle := low + (high-low)/2
		if d.Survival(middle) > above {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low
}

// Any reports whether there is a tail.
func (t *Tails) Any() bool { return len(t.from) > 0 }

// Draw draws one of the tails, each with the same chance, and then from that tail: two words of the
// stream. There must be a tail.
func (t *Tails) Draw(s *Stream) time.Duration {
	k := s.Int64N(int64(len(t.from)))
	// What is exceeded with a uniform part of the tail's probability has the distribution of the tail.
	return t.dist.exceeded(float64(t.share[k]*s.unitClosed()), t.from[k])
}

// Ratio is how much likelier [Tails.Draw] yields a duration than [Dist.Sample] does; 1 if there is no
// tail, of which nothing is drawn.
func (t *Tails) Ratio(x time.Duration) float64 {
	if !t.Any() {
		return 1
	}
	sum := 0.0
	for k, from := range t.from {
		if x > from {
			sum += 1 / t.share[k]
		}
	}
	return sum / float64(len(t.from))
}
