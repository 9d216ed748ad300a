package recorded

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"fencepost/checker/external"
)

// prepared is an operation with what the model makes of it if it succeeded.
type prepared struct {
	*external.Operation
	in, out any
}

// fields are those that not every operation may have.
var fields = []struct {
	name string
	has  func(*external.Operation) bool
}{
	{"value", func(o *external.Operation) bool { return o.Value != "" }},
	{"expected", func(o *external.Operation) bool { return o.Expected != "" }},
	{"result", func(o *external.Operation) bool { return o.Result != "" }},
	{"token", func(o *external.Operation) bool { return o.Token != 0 }},
	{"permits", func(o *external.Operation) bool { return o.Permits != 0 }},
	{"if_match", func(o *external.Operation) bool { return o.IfMatch != "" }},
	{"if_absent", func(o *external.Operation) bool { return o.IfAbsent }},
	{"etag", func(o *external.Operation) bool { return o.ETag != "" }},
}

// prepare checks each operation of a history and groups them by key, the keys in the order in
// which they come, and those of a key by their calls.
func (m *model) prepare(h *external.History) (keys []string, byKey map[string][]prepared, err error) {
	byKey = map[string][]prepared{}
	for i := range h.Operations {
		op := &h.Operations[i]
		p, err := m.prepareOne(op)
		if err != nil {
			line := op.Line
			if op.End > line {
				line = op.End // what is wrong with the call alone was found before
			}
			return nil, nil, h.Errorf(line, "%w", err)
		}
		if _, known := byKey[op.Key]; !known {
			keys = append(keys, op.Key)
		}
		byKey[op.Key] = append(byKey[op.Key], p)
	}
	for _, key := range keys {
		slices.SortStableFunc(byKey[key], func(a, b prepared) int { return cmp.Compare(a.Call, b.Call) })
	}
	return keys, byKey, nil
}

func (m *model) prepareOne(op *external.Operation) (prepared, error) {
	p := prepared{Operation: op}
	o := m.find(op.Op)
	if o == nil {
		var names []string
		for _, o := range m.ops {
			names = append(names, o.name)
		}
		return p, fmt.Errorf("op %q is none of a %s; accepted: %s", op.Op, m.name, strings.Join(names, ", "))
	}
	for _, f := range fields {
		needed := slices.Contains(o.needs, f.name) || op.Outcome == external.OK && slices.Contains(o.answers, f.name)
		known := needed || slices.Contains(o.answers, f.name) || slices.Contains(o.allows, f.name)
		switch has := f.has(op); {
		case needed && !has && op.Outcome == external.OK && slices.Contains(o.answers, f.name):
			return p, fmt.Errorf("%s is missing: each %s of a %s that is ok has one", f.name, op.Op, m.name)
		case needed && !has:
			return p, fmt.Errorf("%s is missing: each %s of a %s has one", f.name, op.Op, m.name)
		case has && !known && !(f.name == "value" && op.Value == "null"):
			return p, fmt.Errorf("%s is not for the %s of a %s", f.name, op.Op, m.name)
		}
	}
	var err error
	p.in, p.out, err = o.prepare(op)
	return p, err
}
