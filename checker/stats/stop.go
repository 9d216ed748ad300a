package stats

import (
	"fmt"
	"math"
)

// Stop is when a sweep has seen enough. It is asked after whole batches of trials, in the order of
// their seeds, and sees nothing but the counts so far: the same seeds and the same size of batch
// stop after the same one, however many workers ran them. Never ask it as results arrive; runs
// that violate may be the quick ones.
//
// RelativeWidth > 0 stops once the interval is at most that many times as wide as the rate is large:
// 0.2 is about ±10 %. It does not while the rate is 0 or withheld. 0 < Budget < 1 stops once the interval lies on one side of that
// probability. With both, what comes first stops; with none, nothing does. Neither need ever come
// (a rate of 0; a rate that is the budget): bound the trials, too. Confidence is between 0 and 1; 0
// stands for [DefaultConfidence].
//
// The interval is [Rate.AnytimeInterval], which is valid whenever one stops, and is the one to print. One
// for a fixed number of trials is wrong more often than it says if what was seen decides how many there
// are: if ClopperPearson took the decision, it would be wrong about a probability of 0.1 that is the
// budget in 28 % of sweeps of up to 1000 trials, and in 45 % of those of up to 10 000; with the sequence,
// it is wrong in at most 5 % of sweeps of any length.
type Stop struct {
	RelativeWidth, Budget, Confidence float64
}

// Validate returns an error that says what would be accepted, or nil.
func (s Stop) Validate() error {
	switch {
	case !(0 <= s.RelativeWidth && s.RelativeWidth <= math.MaxFloat64):
		return fmt.Errorf("relative width %v: it is a positive number, as 0.2, or 0 for no such stop", s.RelativeWidth)
	case !(0 <= s.Budget && s.Budget < 1):
		return fmt.Errorf("budget %v: it is a probability between 0 and 1, as 0.001, or 0 for no such stop", s.Budget)
	case !(0 <= s.Confidence && s.Confidence < 1):
		return fmt.Errorf("confidence %v: it is between 0 and 1, as 0.95, or 0 for %v", s.Confidence, DefaultConfidence)
	}
	return nil
}

// Reason is why a sweep stops, and the empty one is that it does not.
type Reason string

// The reasons of a [Stop].
const (
	GoOn   Reason = ""
	Narrow Reason = "the interval is narrow enough"
	Below  Reason = "the probability is below the budget"
	Above  Reason = "the probability is above the budget"
)

// After says whether to stop, of all trials so far. The confidence of the trials is not looked at.
// It panics if [Stop.Validate] returns an error.
func (s Stop) After(sofar Rate) Reason {
	if err := s.Validate(); err != nil {
		panic("stats: " + err.Error())
	}
	sofar.Confidence = s.Confidence
	point, ok := sofar.Point()
	switch in := sofar.AnytimeInterval(); {
	case s.Budget > 0 && in.High < s.Budget:
		return Below
	case s.Budget > 0 && in.Low > s.Budget:
		return Above
	case ok && point > 0 && in.High-in.Low <= s.RelativeWidth*point:
		return Narrow
	}
	return GoOn
}
