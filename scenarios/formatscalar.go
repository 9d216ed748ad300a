package scenarios

import (
	"fmt"
	"math"
	"reflect"
)

// anyCount is the upper bound of a count that has none.
const anyCount = math.MaxInt32

// namesParameter is a text that names a parameter. What it is then only the loader knows.
var namesParameter = object{"type": "string", "pattern": `\$[a-z]`}

// value describes one value: by a definition, unless it is one of a few words or any text.
func (s *schema) value(v value, fixed bool) object {
	made := s.scalar(v.form, fixed)
	if v.form.from == nil && v.form.pattern == "" && v.form.max == 0 {
		return made
	}
	name := "value " + v.name
	if fixed {
		name += " fixed"
	}
	ref := s.defined(name, func() object { return made })
	if !reflect.DeepEqual(s.definitions[slug(name)], made) {
		panic("scenarios: two values are called " + v.name)
	}
	return ref
}

// scalar describes one value of a form. YAML reads some of what a person writes as a number
// or a truth value, and the loader takes what was written: so does this.
func (s *schema) scalar(f form, fixed bool) object {
	words := f.words
	if f.from != nil {
		words = f.from(s.registry)
	}
	var any []any
	if len(words) > 0 {
		any = append(any, enum(words)...)
	}
	if f.max > 0 {
		any = append(any, object{"type": "integer", "minimum": f.min, "maximum": f.max},
			object{"type": "string", "pattern": digits(f)})
	}
	if f.pattern != "" {
		any = append(any, object{"type": "string", "pattern": fmt.Sprintf("^(?:%s)$", f.pattern)})
	}
	if f.zero {
		any = append(any, object{"const": 0})
	}
	if f.number {
		any = append(any, object{"type": "number", "minimum": 0, "maximum": 1})
	}
	if f.numeric {
		any = append(any, object{"type": "number"})
	}
	if f.truth {
		any = append(any, object{"type": "boolean"})
	}
	if len(any) == 0 {
		return object{"type": []string{"string", "number", "boolean"}}
	}
	if !fixed {
		any = append(any, namesParameter)
	}
	return object{"anyOf": any}
}

// digits is a whole number that stands between quotes.
func digits(f form) string {
	if f.min < 0 {
		return `^[-+]?\d+$`
	}
	return `^\+?\d+$`
}

// enum describes words. Two of them are also what YAML calls them.
func enum(words []string) []any {
	if reflect.DeepEqual(words, yesOrNo.form.words) {
		return []any{object{"type": "boolean"}, object{"enum": words}}
	}
	return []any{object{"enum": words}}
}

// required describes that one of some keys is there, for a list of choices.
func required(keys ...string) (list []any) {
	for _, k := range keys {
		list = append(list, object{"required": []string{k}})
	}
	return list
}
