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
			return nil, nil, h.Errorf(err.line, "%w", err.err)
		}
		if _, known := byKey[op.Key]; !known {
			keys = append(keys, op.Key)
		}
		byKey[op.Key] = append(byKey[op.Key], p)
	}
	if m.whole != nil {
		for _, key := range keys {
			if err := m.whole(byKey[key]); err != nil {
				return nil, nil, h.Errorf(err.line, "%w", err.err)
			}
		}
	}
	for _, key := range keys {
		slices.SortStableFunc(byKey[key], func(a, b prepared) int { return cmp.Compare(a.Call, b.Call) })
	}
	return keys, byKey, nil
}

// wrong is what is wrong with an operation, and whether its call or its answer says so.
type wrong struct {
	line int
	err  error
}

func inCall(op *external.Operation, format string, args ...any) *wrong {
	return &wrong{op.Line, fmt.Errorf(format, args...)}
}

func inAnswer(op *external.Operation, format string, args ...any) *wrong {
	return &wrong{max(op.Line, op.End), fmt.Errorf(format, args...)}
}

func (m *model) prepareOne(op *external.Operation) (prepared, *wrong) {
	p := prepared{Operation: op}
	o := m.find(op.Op)
	if o == nil {
		var names []string
		for _, o := range m.ops {
			names = append(names, o.name)
		}
		return p, inCall(op, "op %q is none of %s; accepted: %s", op.Op, m.called(), strings.Join(names, ", "))
	}
	for _, f := range fields {
		answers := slices.Contains(o.answers, f.name)
		needs := slices.Contains(o.needs, f.name)
		switch has := f.has(op); {
		case !has && needs:
			return p, inCall(op, "%s is missing: each %s of %s has one", f.name, op.Op, m.called())
		case !has && answers && op.Outcome == external.OK:
			return p, inAnswer(op, "%s is missing: each %s of %s that is ok has one%s", f.name, op.Op, m.called(), o.hint)
		case has && !needs && !answers && !slices.Contains(o.allows, f.name) && !(f.name == "value" && op.Value == "null"):
			return p, inAnswer(op, "%s is not for the %s of %s", f.name, op.Op, m.called())
		}
	}
	var err error
	if p.in, p.out, err = o.prepare(op); err != nil {
		return p, inAnswer(op, "%w", err)
	}
	return p, nil
}

// unjudgedTokens counts the operations whose tokens the model does not look at.
func (m *model) unjudgedTokens(h *external.History) (n int) {
	if slices.ContainsFunc(m.ops, func(o operation) bool { return slices.Contains(o.answers, "token") }) {
		return 0
	}
	for i := range h.Operations {
		if h.Operations[i].Token != 0 {
			n++
		}
	}
	return n
}
