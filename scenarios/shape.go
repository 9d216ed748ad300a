package scenarios

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/goccy/go-yaml/ast"
)

// shape checks which keys stand in which mapping, before anything is read. It finds every
// mistake of this sort, where the YAML library would stop at the first.
type shape struct {
	file     string
	mistakes []*Error
	variant  bool // it is in a variant, where a mapping replaces one of the file
}

// mistakesOfShape lists the keys of a document that its type does not have.
func mistakesOfShape(file string, doc ast.Node, t reflect.Type) []*Error {
	s := &shape{file: file}
	s.check(doc, t)
	return s.mistakes
}

func (s *shape) fail(n ast.Node, format string, args ...any) {
	at := spotOf(n)
	s.mistakes = append(s.mistakes, &Error{File: s.file, Line: at.line, Column: at.column, Message: fmt.Sprintf(format, args...)})
}

// check follows a type into a node. That one value stands where the type wants one is left to
// who reads it.
func (s *shape) check(n ast.Node, t reflect.Type) {
	t = under(t)
	pairs, isPairs := pairsOf(n)
	switch {
	case t.Kind() == reflect.Slice:
		list, ok := n.(*ast.SequenceNode)
		if !ok {
			s.fail(n, "a list was expected here, not %s: write %s", sortOf(n), listOf(t.Elem()))
			return
		}
		for _, v := range list.Values {
			s.check(v, t.Elem())
		}
	case t.Kind() == reflect.Map && !isPairs:
		s.fail(n, "a mapping of names was expected here, not %s", sortOf(n))
	case t.Kind() == reflect.Map:
		variants := t.Elem() == reflect.TypeFor[*file]()
		s.variant = s.variant || variants
		for _, pair := range pairs {
			s.check(pair.Value, t.Elem())
		}
		s.variant = s.variant && !variants
	case isMapping(t) && !isPairs:
		s.fail(n, "a mapping was expected here, not %s; %s", sortOf(n), oneOf(keysOf(t)))
	case isMapping(t):
		if len(pairs) == 0 && !s.variant && !mayBeEmpty(t) {
			s.fail(n, "an empty mapping says nothing here; %s", oneOf(keysOf(t)))
		}
		for _, pair := range pairs {
			s.key(pair, t)
		}
	}
}

// mayBeEmpty reports whether a mapping says something without a key: that there is one more
// client, or variant; or it lacks something, which is told where it is read.
func mayBeEmpty(t reflect.Type) bool {
	return slices.Contains([]reflect.Type{reflect.TypeFor[clientPart](), reflect.TypeFor[file](), reflect.TypeFor[actionPart](),
		reflect.TypeFor[randomPart](), reflect.TypeFor[faultPart](), reflect.TypeFor[kindsPart](), reflect.TypeFor[whenPart](), reflect.TypeFor[linkPart](),
		reflect.TypeFor[synchronyPart](), reflect.TypeFor[boundaryPart](), reflect.TypeFor[chartPart](), reflect.TypeFor[closedPart]()}, t)
}

// sortOf says of what sort a node is.
func sortOf(n ast.Node) string {
	switch n.(type) {
	case *ast.SequenceNode:
		return "a list"
	case *ast.MappingNode, *ast.MappingValueNode:
		return "a mapping"
	}
	return "one value"
}

// listOf shows a list of what a type is read from.
func listOf(t reflect.Type) string {
	if isMapping(under(t)) {
		return "each with a dash before its first key"
	}
	return "it between [ and ]"
}

func (s *shape) key(pair *ast.MappingValueNode, t reflect.Type) {
	name := nameOf(pair)
	if !slices.Contains(keysOf(t), name) {
		s.fail(pair.Key, "unknown field %q; %s", name, oneOf(keysOf(t)))
		return
	}
	s.check(pair.Value, fieldType(t, name))
}

// pairsOf are the keys of a mapping with what stands there, and whether it is one.
func pairsOf(n ast.Node) ([]*ast.MappingValueNode, bool) {
	switch m := n.(type) {
	case *ast.MappingNode:
		return m.Values, true
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{m}, true
	}
	return nil, false
}

// nameOf is the key of a pair, without quotes.
func nameOf(pair *ast.MappingValueNode) string {
	if text, ok := pair.Key.(*ast.StringNode); ok {
		return text.Value
	}
	return pair.Key.GetToken().Value
}

// keyOf returns where a key of a mapping at the top of the file stands.
func keyOf(doc ast.Node, mapping, key string) *scalar {
	top, _ := pairsOf(doc)
	for _, of := range top {
		if nameOf(of) != mapping {
			continue
		}
		inside, _ := pairsOf(of.Value)
		for _, pair := range inside {
			if nameOf(pair) == key {
				at := pair.Key.GetToken().Position
				return &scalar{text: key, line: at.Line, column: at.Column}
			}
		}
	}
	return nil
}
