package recorded

import (
	"fmt"
	"slices"
	"strings"

	"fencepost/checker/external"
)

// choose finds the model of a history: the one that was asked for, or that its header names,
// or that its operations leave no doubt about.
func choose(h *external.History, o *Options) (*model, error) {
	accepted := strings.Join(Models(), ", ")
	switch {
	case o.Model != "":
		if m := named(o.Model); m != nil {
			return m, nil
		}
		return nil, fmt.Errorf("model %q is not known; accepted: %s", o.Model, accepted)
	case h.Header.Model != "":
		o.Model = h.Header.Model
		if m := named(o.Model); m != nil {
			return m, nil
		}
		return nil, h.Errorf(h.Header.Line, "model %q is not known; accepted: %s", o.Model, accepted)
	case len(h.Operations) == 0:
		return nil, fmt.Errorf("%s: its operations do not tell of what it is the history, for there are none; name the model: %s", h.File, accepted)
	}
	m, err := guess(h)
	if err == nil {
		o.Model = m.name
	}
	return m, err
}

// guessed are the models that a history without a name is taken to be of.
var guessed = []string{"mutex", "register"}

// guess returns the model that a history without a name is of.
func guess(h *external.History) (*model, error) {
	left := models
	for i := range h.Operations {
		op := &h.Operations[i]
		with := slices.DeleteFunc(slices.Clone(left), func(m model) bool { return m.find(op.Op) == nil })
		if len(with) == 0 {
			return nil, mixed(h, i, left)
		}
		left = with
	}
	for _, name := range guessed {
		if i := slices.IndexFunc(left, func(m model) bool { return m.name == name }); i >= 0 {
			return &left[i], nil
		}
	}
	line := slices.IndexFunc(h.Operations, func(op external.Operation) bool {
		return !slices.ContainsFunc(guessed, func(name string) bool { return named(name).find(op.Op) != nil })
	})
	op := h.Operations[max(line, 0)]
	return nil, h.Errorf(op.Line, "op %q is none of a mutex or a register, one of which is meant if no model is named; name it: %s", op.Op, names(left))
}

// mixed is the error about the first operation that no model has which has those before.
func mixed(h *external.History, at int, before []model) error {
	op := &h.Operations[at]
	with := slices.DeleteFunc(slices.Clone(models), func(m model) bool { return m.find(op.Op) == nil })
	if len(with) == 0 {
		return h.Errorf(op.Line, "op %q is none of any model; accepted: %s", op.Op, strings.Join(allOperations(), ", "))
	}
	return h.Errorf(op.Line, "op %q is one of %s, and the operations before are of %s: a history is of one model", op.Op, names(with), names(before))
}

func named(name string) *model {
	for i := range models {
		if models[i].name == name {
			return &models[i]
		}
	}
	return nil
}

func names(list []model) string {
	var words []string
	for _, m := range list {
		words = append(words, m.name)
	}
	return strings.Join(words, ", ")
}

// allOperations returns the operations of all models, each once.
func allOperations() (list []string) {
	for _, m := range models {
		for _, o := range m.ops {
			if !slices.Contains(list, o.name) {
				list = append(list, o.name)
			}
		}
	}
	return list
}

// called is the model's name with its article.
func (m *model) called() string {
	if strings.ContainsRune("aeiou", rune(m.name[0])) {
		return "an " + m.name
	}
	return "a " + m.name
}
