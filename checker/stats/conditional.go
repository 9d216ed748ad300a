package stats

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"
)

// Conditional estimates a probability from trials that each return one instead of whether they hit:
// the probability of a hit given all that the trial has drawn, with its last draw integrated
// (conditional Monte Carlo). Their mean is unbiased, and never varies more than the share of hits.
//
// The sums are exact: trials that were added in another order, or in parts that were merged, give
// the same estimates and the same bytes. The zero value is empty. It must not be copied once it is
// used.
//
// Source: S. Asmussen and K. Kroese, "Improved algorithms for rare event simulation with heavy
// tails", Adv. Appl. Prob. 38 (2006) 545-558.
type Conditional struct{ moments moments }

// Add counts a trial that hits with probability q. It panics unless 0 <= q <= 1.
func (c *Conditional) Add(q float64) {
	if !(0 <= q && q <= 1) {
		panic(fmt.Sprintf("stats: a trial that hits with probability %v", q))
	}
	c.moments.add(q)
}

// Merge adds the trials of other.
func (c *Conditional) Merge(other *Conditional) { c.moments.merge(&other.moments) }

// Trials is how many were added.
func (c *Conditional) Trials() int64 { return c.moments.count }

// Estimate is the mean of the probabilities; NaN of no trials.
func (c *Conditional) Estimate() float64 {
	if c.Trials() == 0 {
		return math.NaN()
	}
	return c.moments.mean(c.Trials())
}

// StandardError is the estimated standard deviation of [Conditional.Estimate], and its square the
// estimated variance; 0 of fewer than two trials.
func (c *Conditional) StandardError() float64 { return c.moments.standardError(c.Trials()) }

// LargestShare is the part of the estimate that is due to the trial with the largest probability, in
// [0, 1].
func (c *Conditional) LargestShare() float64 { return c.moments.share() }

// BernsteinInterval is the interval for the probability that is valid whatever the trials'
// probabilities are distributed as: the estimate ± s·√(2L/n) + 7L/(3(n-1)), where s is their standard
// deviation and L = ln(4/(1-confidence)), cut to [0, 1]. Fewer than two trials give [0, 1].
//
// The price is its second term, 10.2/n at 95 %: no valid interval can be much narrower, as one trial
// in n of probability 1 may not have been seen.
//
// It panics unless 0 < confidence < 1.
//
// Source: A. Maurer and M. Pontil, "Empirical Bernstein bounds and sample variance penalization",
// COLT 2009, theorem 4, for half of 1-confidence at each end.
func (c *Conditional) BernsteinInterval(confidence float64) Interval {
	tail, n := tailOf(confidence), c.Trials()
	if n < 2 {
		return Interval{Low: 0, High: 1}
	}
	l := math.Log(2 / tail)
	return around(c.Estimate(), c.StandardError()*math.Sqrt(2*l)+7*l/(3*float64(n-1)))
}

// Interval is that which is to be printed: [Conditional.StudentInterval], except where trials that are
// all alike give it no width. There it is the [Conditional.BernsteinInterval] and, if none can hit, that
// of [ClopperPearson] for no hit, 3.69/n at 95 %: at least as many trials can hit as do.
// It panics unless 0 < confidence < 1.
func (c *Conditional) Interval(confidence float64) Interval {
	switch {
	case c.Trials() > 0 && c.moments.largest == 0:
		return ClopperPearson(0, c.Trials(), confidence)
	case c.Alike():
		return c.BernsteinInterval(confidence)
	}
	return c.StudentInterval(confidence)
}

// Alike reports whether all trials have come to one probability, so that nothing tells how far others
// may be from it.
func (c *Conditional) Alike() bool { return c.StandardError() == 0 }

// StudentInterval is the interval of Student's t, cut to [0, 1]: right for many trials whose
// probabilities are much alike. In simulations at 95 %, with the
// probability that an exponential pause exceeds a slack which spans ten of its means, it covered with
// 70 % for 5 trials, 90 % for 30, 93 % for 100 and 95 % for 1000, and with probabilities of 0 and
// (one in a hundred) 1, with 64 % for 100 and 92 % for 1000. Fewer than two trials give [0, 1].
//
// It panics unless 0 < confidence < 1.
func (c *Conditional) StudentInterval(confidence float64) Interval {
	tail := tailOf(confidence)
	if c.Trials() < 2 {
		return Interval{Low: 0, High: 1}
	}
	t := -distuv.StudentsT{Sigma: 1, Nu: float64(c.Trials() - 1)}.Quantile(tail)
	return around(c.Estimate(), t*c.StandardError())
}

// around is an interval of probabilities.
func around(middle, half float64) Interval {
	return Interval{Low: min(1, max(0, middle-half)), High: min(1, middle+half)}
}

const conditionalHead = "conditional"

// MarshalText encodes the sums as one line without its end: a head, then the count, the sum, the sum
// of squares and the largest of the probabilities. The error is always nil.
func (c *Conditional) MarshalText() ([]byte, error) {
	return []byte(strings.Join(append([]string{conditionalHead}, c.moments.words()...), " ")), nil
}

// UnmarshalText replaces the sums by those that [Conditional.MarshalText] encoded as text. An error
// wraps [ErrEncoding] and leaves them as they were.
func (c *Conditional) UnmarshalText(text []byte) error {
	words := strings.Split(string(text), " ")
	if words[0] != conditionalHead || len(words) != 5 {
		return fmt.Errorf("%w of conditional trials: it is %q and four numbers", ErrEncoding, conditionalHead)
	}
	read := new(Conditional)
	if err := read.moments.readWords(words[1:], 1); err != nil {
		return fmt.Errorf("%w of conditional trials: %w", ErrEncoding, err)
	}
	if err := written(text, "conditional trials", read); err != nil {
		return err
	}
	c.moments = moments{}
	c.Merge(read)
	return nil
}
