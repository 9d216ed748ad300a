package rng

import "time"

// The generator's words are finite, so its deviates have ends: see [Stream.exponential]
// and [Stream.normal]. Both are rounded up here.
const (
	mostExponential = 36.75
	mostNormal      = 8.22
)

// Max returns a duration that no sample exceeds. It is the largest sample of a family
// that ends by itself. For the others it is what the generator cannot exceed, a little
// more than the sample of its last word: 36.75 means of an exponential, for example.
func (d Dist) Max() time.Duration { return min(d.most(), Longest) }

func (d *Dist) most() time.Duration {
	a := float64(d.a)
	switch d.kind {
	case kindUniform, kindLogUniform:
		return time.Duration(d.b)
	case kindExponential:
		return wholeNanos(float64(a * mostExponential))
	case kindLogNormal:
		return wholeNanos(float64(a * expOf(float64(d.shape*mostNormal))))
	case kindPareto:
		return wholeNanos(float64(a * expOf(mostExponential/d.shape)))
	case kindHalfNormal:
		return wholeNanos(float64(a * mostNormal))
	case kindMixture:
		most := time.Duration(0)
		for i := range d.table.dists {
			most = max(most, d.table.dists[i].Max())
		}
		return most
	case kindEmpirical, kindHistogram:
		return time.Duration(d.table.values[len(d.table.values)-1])
	case kindScaled:
		return scale(d.table.dists[0].Max(), d.a, d.b)
	case kindShifted:
		return time.Duration(d.a) + d.table.dists[0].Max()
	}
	return time.Duration(d.a)
}
