package stats

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mathext"
)

// SignTest is the exact test of whether, of pairs that came out differently, more went one way:
// the probability that as many as up of up+down do, or more, if either way is as likely. It is
// McNemar's test, one-sided and exact, of two proportions that were counted on the same trials;
// pairs that came out alike say nothing about a change and are not asked for. No pair gives 1.
//
// Sources: Q. McNemar, "Note on the sampling error of the difference between correlated
// proportions or percentages", Psychometrika 12 (1947) 153-157; W. J. Dixon and A. M. Mood, "The
// statistical sign test", J. Am. Stat. Assoc. 41 (1946) 557-566.
func SignTest(up, down int64) float64 {
	switch {
	case up < 0 || down < 0:
		panic(fmt.Sprintf("stats: %d pairs went up and %d down", up, down))
	case up == 0:
		return 1
	}
	// P(X >= up) of X ~ Binomial(up+down, 1/2) is I_1/2(up, down+1).
	return mathext.RegIncBeta(float64(up), float64(down+1), 0.5)
}

// FewestPairs is the smallest number of pairs that can be significant at alpha, if all go one
// way. It panics unless 0 < alpha < 1.
func FewestPairs(alpha float64) int64 {
	if !(0 < alpha && alpha < 1) {
		panic(fmt.Sprintf("stats: alpha %v is not between 0 and 1", alpha))
	}
	n := int64(1)
	for SignTest(n, 0) > alpha {
		n++
	}
	return n
}

// Holm adjusts the p-values of several tests that are made at once: those that are at most alpha
// then are significant together, with a probability of at most alpha that any of them is by chance,
// however the tests depend on each other.
//
// Source: S. Holm, "A simple sequentially rejective multiple test procedure", Scand. J. Statist. 6
// (1979) 65-70.
func Holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case p[a] < p[b]:
			return -1
		case p[a] > p[b]:
			return 1
		}
		return 0
	})
	adjusted := make([]float64, len(p))
	least := 0.0
	for rank, i := range order {
		least = max(least, min(1, float64(len(p)-rank)*p[i]))
		adjusted[i] = least
	}
	return adjusted
}
