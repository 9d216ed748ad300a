package recorded

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"

	"fencepost/checker/external"
	"fencepost/checker/linear/spec"
)

// The operations on values. A register is a [spec.Section], whose sections read, write, or do
// both as one compare-and-set.
var (
	registerOps = []operation{
		{name: "read", answers: []string{"value"}, prepare: func(o *external.Operation) (any, any, error) {
			return spec.SectionInput[string]{Key: o.Key, Reads: true, Seen: o.Value}, spec.OK, nil
		}},
		{name: "write", needs: []string{"value"}, prepare: func(o *external.Operation) (any, any, error) {
			return spec.SectionInput[string]{Key: o.Key, Writes: true, Written: o.Value}, spec.OK, nil
		}},
		{name: "cas", needs: []string{"expected", "value"}, prepare: func(o *external.Operation) (any, any, error) {
			return spec.SectionInput[string]{Key: o.Key, Reads: true, Writes: true, Seen: o.Expected, Written: o.Value}, spec.OK, nil
		}},
	}
	counterOps = []operation{
		{name: "add", needs: []string{"value"}, allows: []string{"result"}, prepare: prepareAdd},
		{name: "read", answers: []string{"value"}, prepare: func(o *external.Operation) (any, any, error) {
			n, err := whole("value", o.Value)
			return spec.CounterInput{Key: o.Key}, n, err
		}},
	}
	logOps = []operation{
		{name: "append", needs: []string{"value"}, allows: []string{"result"}, prepare: prepareAppend},
		{name: "read", answers: []string{"value"}, prepare: prepareReadLog},
	}
	objectOps = []operation{
		{name: "get", answers: []string{"value"}, allows: []string{"etag"}, hint: "; null if there is no object", prepare: prepareGet},
		{name: "put", needs: []string{"value"}, allows: []string{"if_match", "if_absent", "etag"}, prepare: preparePut},
		{name: "delete", allows: []string{"if_match"}, prepare: func(o *external.Operation) (any, any, error) {
			return spec.ObjectInput[string]{Key: o.Key, Op: spec.Delete, IfMatch: o.IfMatch}, spec.ObjectOutput[string]{}, nil
		}},
	}
)

// whole reads a whole number. An answer that is not there is 0: that it has to be there is
// checked before.
func whole(field, text string) (int64, error) {
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%s: a whole number was expected, not %s", field, text)
	}
	return n, nil
}

func permits(op spec.LockOp) func(*external.Operation) (any, any, error) {
	return func(o *external.Operation) (any, any, error) {
		return spec.LockInput{Key: o.Key, Op: op, Permits: max(o.Permits, 1)}, spec.OK, nil
	}
}

// prepareGet reads the answer to a get: null stands for an object that is not there.
func prepareGet(o *external.Operation) (any, any, error) {
	in, out := spec.ObjectInput[string]{Key: o.Key}, spec.ObjectOutput[string]{Value: o.Value, ETag: o.ETag}
	if o.Outcome != external.OK || o.Value != "null" {
		return in, out, nil
	}
	if o.ETag != "" {
		return in, out, errors.New("etag: none was expected, for the value null says that there is no object")
	}
	return in, spec.ObjectOutput[string]{Outcome: spec.Failed}, nil
}

func preparePut(o *external.Operation) (any, any, error) {
	in := spec.ObjectInput[string]{Key: o.Key, Op: spec.Put, Value: o.Value, IfMatch: o.IfMatch, IfAbsent: o.IfAbsent}
	if o.Value == "null" {
		return in, nil, errors.New("value: another value than null was expected, which says in a get that there is no object")
	}
	return in, spec.ObjectOutput[string]{ETag: o.ETag}, nil
}

// inRange fails if the additions to a counter may leave the range of its numbers: it would
// come round to where it began.
func inRange(ops []prepared) *wrong {
	up, down := int64(0), int64(0)
	for i := range ops {
		delta := ops[i].in.(spec.CounterInput).Delta
		if ops[i].Outcome == external.Fail {
			continue // it changed nothing
		}
		if delta > math.MaxInt64-up || delta < math.MinInt64-down {
			return inCall(ops[i].Operation, "value: with the additions before, the counter may leave the range of its numbers, which are of 64 bits")
		}
		up, down = up+max(delta, 0), down+min(delta, 0)
	}
	return nil
}

func prepareAdd(o *external.Operation) (any, any, error) {
	delta, err := whole("value", o.Value)
	if err == nil && delta == 0 {
		err = errors.New("value: a number other than 0 was expected")
	}
	if err != nil || o.Result == "" {
		return spec.CounterInput{Key: o.Key, Delta: delta}, spec.Unknown, err
	}
	n, err := whole("result", o.Result)
	return spec.CounterInput{Key: o.Key, Delta: delta}, n, err
}

func prepareAppend(o *external.Operation) (any, any, error) {
	in := spec.LogInput[string]{Key: o.Key, Append: true, Value: o.Value}
	if o.Result == "" {
		return in, spec.Unknown, nil
	}
	n, err := whole("result", o.Result)
	return in, int(n), err
}

// prepareReadLog reads the entries that a read of a log saw; null stands for none.
func prepareReadLog(o *external.Operation) (any, any, error) {
	in := spec.LogInput[string]{Key: o.Key}
	if o.Outcome != external.OK {
		return in, []string(nil), nil
	}
	var raw []json.RawMessage
	if err := json.Unmarshal([]byte(o.Value), &raw); err != nil {
		return in, nil, fmt.Errorf("value: the list of the entries was expected, not %s", o.Value)
	}
	values := make([]string, len(raw))
	for i, r := range raw {
		values[i] = string(r) // parts of canonical JSON are canonical
	}
	return in, values, nil
}
