package stats

import "math"

// bernstein is the empirical Bernstein interval of Maurer and Pontil for the mean of n numbers in
// [0, bound], of which all but count are zero, cut to [0, 1]. Fewer than two say nothing.
func (m *moments) bernstein(n int64, bound, confidence float64) Interval {
	delta := tailOf(confidence)
	if n < 2 {
		return Interval{Low: 0, High: 1}
	}
	l := math.Log(2 / delta)
	half := m.standardError(n)*math.Sqrt(2*l) + bound*7*l/(3*float64(n-1))
	return around(m.mean(n), half)
}

func around(middle, half float64) Interval {
	return Interval{Low: min(1, max(0, middle-half)), High: min(1, middle+half)}
}
