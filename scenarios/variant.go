package scenarios

import (
	"reflect"
	"regexp"
	"strings"
)

// A variant is the scenario with a few keys of its own: KEYS of its mapping replace those of
// the file, parameters and what stands under `lock:` and `for:` one by one, everything else
// as a whole. It is called SCENARIO/VARIANT. A chart is not handed down: it shows one case.

var validVariant = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]*$`)

// VariantNames returns the full names of the scenario's variants, sorted.
func (s *Scenario) VariantNames() (names []string) {
	for _, v := range sortedKeys(s.file.Variants) {
		names = append(names, s.Name+"/"+v)
	}
	return names
}

// cutVariant cuts the name of a variant off the name of a scenario or a file.
func cutVariant(name string) (scenario, variant string, ok bool) {
	i := strings.LastIndexByte(name, '/')
	if i <= 0 || !validVariant.MatchString(name[i+1:]) {
		return name, "", false
	}
	return name[:i], name[i+1:], true
}

// variant returns a variant of the scenario that is called by what comes after the slash.
func (s *Scenario) variant(name string) (*Scenario, error) {
	own, ok := s.file.Variants[name]
	if !ok || own == nil {
		if len(s.file.Variants) == 0 {
			return nil, &Error{File: s.File, Message: "the scenario has no variants, so there is no " + name}
		}
		return nil, &Error{File: s.File, Message: "the scenario has no variant " + name + "; " + oneOf(sortedKeys(s.file.Variants))}
	}
	v, mistakes := s.with(name, own)
	if len(mistakes) > 0 {
		return nil, mistakes[0]
	}
	return v, nil
}

// with returns the scenario with the keys of a variant.
func (s *Scenario) with(name string, own *file) (*Scenario, []*Error) {
	f := s.file
	f.Variants, f.Chart, f.Boundary = nil, nil, nil
	overrule(reflect.ValueOf(&f).Elem(), reflect.ValueOf(own).Elem())
	return source{s.File, s.Hash, s.doc}.build(f, s.Name+"/"+name)
}

// overrule replaces the fields of a file by those that are given in another.
func overrule(f, own reflect.Value) {
	for i := range own.NumField() {
		to, from := f.Field(i), own.Field(i)
		switch {
		case from.IsZero():
		case from.Kind() == reflect.Map && !to.IsNil():
			to.Set(merged(to, from))
		default:
			to.Set(from)
		}
	}
}

// merged is a new map with the entries of both, the second overruling the first.
func merged(a, b reflect.Value) reflect.Value {
	both := reflect.MakeMapWithSize(a.Type(), a.Len()+b.Len())
	for _, m := range []reflect.Value{a, b} {
		for k, v := range m.Seq2() {
			both.SetMapIndex(k, v)
		}
	}
	return both
}

// checkVariants refuses what a variant cannot have, and reads each.
func (s *Scenario) checkVariants() []*Error {
	r := &reader{file: s.File}
	for _, name := range sortedKeys(s.file.Variants) {
		v := s.file.Variants[name]
		if v == nil {
			continue
		}
		at := keyOf(s.doc, "variants", name)
		switch {
		case !validVariant.MatchString(name):
			r.fail(at, "%q cannot name a variant: use lower-case letters, digits, hyphens and dots", name)
		case v.Name.set():
			r.fail(v.Name, "a variant is named by its key, here %q", name)
		case v.Boundary != nil:
			r.fail(at, "variant %s has a boundary of its own: write it beside the variants", name)
		case len(v.Variants) > 0:
			r.fail(at, "variant %s has variants of its own: write them beside it", name)
		}
	}
	if r.failed() {
		return r.mistakes
	}
	for _, name := range sortedKeys(s.file.Variants) {
		if own := s.file.Variants[name]; own != nil {
			_, mistakes := s.with(name, own)
			r.mistakes = append(r.mistakes, mistakes...)
		}
	}
	return r.mistakes
}
