package stats

import (
	"fmt"
	"math"
	"strconv"
)

// DefaultConfidence is the confidence of a [Rate] that names none.
const DefaultConfidence = 0.95

// tolerableUnknown is the share of unknown trials above which no rate is given: beyond
// it, the answer would say more about the checker's budget than about the lock.
const tolerableUnknown = 0.01

// Rate is what is printed of a set of independent trials: how many there were, how many
// ended in a violation, and how many were left undecided. Trials includes the other two;
// Violations + Unknown > Trials makes the methods panic. Confidence is that of the
// interval, between 0 and 1; 0 stands for [DefaultConfidence].
type Rate struct {
	Trials, Violations, Unknown int64
	Confidence                  float64
	// Anytime says that what was seen decided how many trials there are, so that the interval is
	// that of [Rate.AnytimeInterval].
	Anytime bool
}

// Point returns the share of violations among the decided trials, in [0, 1]. It is
// withheld (ok is false) when there were no trials or more than 1 % of them are unknown.
// The rate always is inside of [Rate.Interval].
func (r Rate) Point() (rate float64, ok bool) {
	r.check()
	if r.Trials == 0 || float64(r.Unknown) > tolerableUnknown*float64(r.Trials) {
		return 0, false
	}
	return float64(r.Violations) / float64(r.Trials-r.Unknown), true
}

// Interval returns the [ClopperPearson] interval of the violation probability, widened
// by the unknown trials: Low takes each of them for sound and High takes each for
// violated. It is meaningful for withheld rates, too. Of an anytime rate it is the
// [Rate.AnytimeInterval].
func (r Rate) Interval() Interval {
	r.check()
	if r.Anytime {
		return r.AnytimeInterval()
	}
	return Interval{
		Low:  ClopperPearson(r.Violations, r.Trials, r.confidence()).Low,
		High: ClopperPearson(r.Violations+r.Unknown, r.Trials, r.confidence()).High,
	}
}

// String prints the rate in percent with its interval, as in
//
//	12.5 % [9.4, 16.2] of 400 trials (95 %)
//	< 0.92 % of 400 trials (95 %)
//	> 99.08 % of 400 trials (95 %)
//	12.5 % [9.4, 16.5] of 400 trials, 1 unknown (95 %)
//	withheld: 5 of 100 trials unknown
//
// Seeing no violation (or nothing else) proves no rate of 0 % (or 100 %). The end of the
// same two-sided interval is printed instead. Ends are rounded outwards, to two digits
// of the interval's width, or to more where they would round to 0 or 100.
func (r Rate) String() string {
	point, ok := r.Point()
	switch {
	case r.Trials == 0:
		return "withheld: no trials"
	case !ok:
		return fmt.Sprintf("withheld: %d of %d trials unknown", r.Unknown, r.Trials)
	}
	in := r.Interval()
	digits := decimals(100*(in.High-in.Low), 2)
	lowest, highest := floorPercent(in.Low, digits), ceilPercent(in.High, digits)
	switch point {
	case 0:
		return "< " + highest + " % of " + r.sample()
	case 1:
		return "> " + lowest + " % of " + r.sample()
	}
	middle := fixed(100*point, max(digits, decimals(100*min(point, 1-point), 1)))
	return middle + " % [" + lowest + ", " + highest + "] of " + r.sample()
}

func (r Rate) sample() string {
	unknown := ""
	if r.Unknown > 0 {
		unknown = fmt.Sprintf(", %d unknown", r.Unknown)
	}
	trials := "trials"
	if r.Trials == 1 {
		trials = "trial"
	}
	return fmt.Sprintf("%d %s%s (%s %%)", r.Trials, trials, unknown, strconv.FormatFloat(100*r.confidence(), 'g', 10, 64))
}

func (r Rate) confidence() float64 {
	if r.Confidence == 0 {
		return DefaultConfidence
	}
	return r.Confidence
}

func (r Rate) check() {
	if r.Violations < 0 || r.Unknown < 0 || r.Violations > r.Trials-r.Unknown {
		panic(fmt.Sprintf("stats: %d violations and %d unknown of %d trials", r.Violations, r.Unknown, r.Trials))
	}
}

// floorPercent prints p in percent, rounded down, to the digits given or to as many as
// keep a positive p from printing as 0.
func floorPercent(p float64, digits int) string {
	if p <= 0 {
		return "0"
	}
	digits = max(digits, decimals(100*p, 1))
	scale := math.Pow10(digits)
	return fixed(math.Floor(100*p*scale)/scale, digits)
}

// ceilPercent prints p in percent, rounded up, to the digits given or to as many as keep
// a p below 1 from printing as 100.
func ceilPercent(p float64, digits int) string {
	if p >= 1 {
		return "100"
	}
	digits = max(digits, decimals(100*(1-p), 1))
	scale := math.Pow10(digits)
	return fixed(math.Ceil(100*p*scale)/scale, digits)
}

// decimals returns how many places behind the point show that many leading digits of v.
func decimals(v float64, leading int) int {
	return max(0, leading-1-int(math.Floor(math.Log10(v))))
}

func fixed(v float64, digits int) string { return strconv.FormatFloat(v, 'f', digits, 64) }
