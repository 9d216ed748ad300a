package spec

import "github.com/anishathalye/porcupine"

// CounterInput is the input of one operation on a [Counter].
type CounterInput struct {
	Key   string // which counter, if there are several
	Delta int64  // what is added; 0 reads
}

// Counter is a number that is added to and read. It starts with 0.
//
// Inputs are [CounterInput]; the output is the number afterwards, an int64, or [Unknown]
// for an addition that does not tell or was not answered. If it is not known whether an
// addition took effect, its Return is [Never]. Leave out what failed for sure. An addition
// that leaves the range of an int64 is not allowed.
func Counter() porcupine.Model {
	return newModel("a counter", int64(0), func(value int64, in CounterInput, out any) (bool, int64) {
		after, tells := outputUnlessUnknown[int64](out, in, "Unknown or the number afterwards")
		sum := value + in.Delta
		if (sum > value) != (in.Delta > 0) && in.Delta != 0 {
			return false, value
		}
		return !tells || after == sum, sum
	})
}

// String writes the call.
func (in CounterInput) String() string {
	if in.Delta == 0 {
		return call(in.Key, "read")
	}
	return call(in.Key, "add", in.Delta)
}

func (in CounterInput) key() string { return in.Key }
