package scenarios

import (
	"cmp"
	"slices"

	"fencepost/models"
	"fencepost/models/resource"
)

// Validate lists what is wrong with a scenario file, in the order of its lines: in the
// scenario and in each of its variants, for every lock system and every guard. Nothing is run.
// Of several mistakes at one place the first is told, which the others may come from.
func Validate(registry *models.Registry, name string, content []byte) []*Error {
	s, mistakes := parse(name, content)
	if s == nil {
		return eachPlaceOnce(mistakes)
	}
	mistakes = append(mistakes, s.instanceMistakes(registry)...)
	known := slices.Clone(mistakes)
	for _, variant := range sortedKeys(s.file.Variants) {
		own := s.file.Variants[variant]
		if own == nil {
			continue
		}
		v, more := s.with(variant, own)
		for _, m := range append(more, v.instanceMistakes(registry)...) {
			if !slices.ContainsFunc(known, m.same) {
				m.Message += " (in variant " + variant + ")"
			}
			mistakes = append(mistakes, m)
		}
	}
	return eachPlaceOnce(mistakes)
}

// ValidateFile is [Validate] of a scenario file, or of one of the library by its name. The
// error says why there is nothing to read.
func ValidateFile(registry *models.Registry, nameOrFile string) ([]*Error, error) {
	name, content, err := contentOf(nameOrFile)
	if err != nil {
		return nil, err
	}
	return Validate(registry, name, content), nil
}

// instanceMistakes lists what is wrong with the values of a scenario.
func (s *Scenario) instanceMistakes(registry *models.Registry) []*Error {
	in := s.open(registry)
	r := in.reader()
	in.read(r)
	in.checkChart(r)
	plans, of := in.plans(registry.Locks(), resource.Guards)
	in.checkExpectations(of, plans)
	return append(r.mistakes, of.mistakes...)
}

// same reports whether two mistakes are one.
func (e *Error) same(other *Error) bool { return *e == *other }

// eachPlaceOnce sorts mistakes and keeps one for each place; those without one are told apart
// by what they say.
func eachPlaceOnce(mistakes []*Error) []*Error {
	var kept []*Error
	for _, m := range mistakes {
		if !slices.ContainsFunc(kept, func(k *Error) bool {
			return k.Line == m.Line && k.Column == m.Column && (m.Line > 0 || k.Message == m.Message)
		}) {
			kept = append(kept, m)
		}
	}
	slices.SortStableFunc(kept, func(a, b *Error) int { return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column)) })
	return kept
}
