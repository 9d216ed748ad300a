package scenarios

import (
	"reflect"
	"slices"
	"strings"
)

// The form of a scenario file is written down once. Each type of a mapping says, beside its
// fields, what its keys mean: the loader reads the fields, and the reference, the JSON Schema
// and the lists in error messages are made of what is said. A test holds the two together.

// mapping is what a type says of the mapping that it is read from.
type mapping struct {
	name  string // as the reference calls it
	about string
	keys  []key
}

// key is one key of a mapping.
type key struct {
	name   string
	takes  value  // of the value, or of each in a list; nothing if it is a mapping
	def    string // what holds without it, in the words of a file; empty if nothing does
	doc    string
	needed bool
	// least and most are how long a list is, if that is not 0.
	least, most int
	// fixed says that the value is read before parameters have theirs, and names none.
	fixed bool
}

// described is a type of a mapping.
type described interface{ describe() mapping }

// describedBy returns what a type says of its mapping.
func describedBy(t reflect.Type) (mapping, bool) {
	d, ok := reflect.Zero(t).Interface().(described)
	if !ok {
		return mapping{}, false
	}
	return d.describe(), true
}

// place is where a mapping may stand, such as `network.links[]`.
type place struct {
	path string
	of   reflect.Type
}

// places lists where mappings may stand, from the top of the file down. Variants have the
// mappings of the file once more, and are left out.
func places() []place { return placesBelow(place{"", reflect.TypeFor[file]()}) }

func placesBelow(at place) []place {
	list := []place{at}
	for _, f := range fieldsOf(at.of) {
		path, t := inside(at.path+"."+f.Tag.Get("yaml"), f.Type)
		if isMapping(t) && t != reflect.TypeFor[file]() {
			list = append(list, placesBelow(place{strings.TrimPrefix(path, "."), t})...)
		}
	}
	return list
}

// inside goes through lists and maps to what they hold.
func inside(path string, t reflect.Type) (string, reflect.Type) {
	for t = under(t); t.Kind() == reflect.Slice || t.Kind() == reflect.Map; t = under(t.Elem()) {
		path += map[reflect.Kind]string{reflect.Slice: "[]", reflect.Map: ".NAME"}[t.Kind()]
	}
	return path, t
}

// isMapping reports whether a type is one of a mapping with keys of its own.
func isMapping(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && t != reflect.TypeFor[scalar]()
}

// mappings lists the types of mappings, each once, in the order of their first place.
func mappings() (types []reflect.Type) {
	for _, p := range places() {
		if !slices.Contains(types, p.of) {
			types = append(types, p.of)
		}
	}
	return types
}
