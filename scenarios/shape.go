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
}

// mistakesOfShape lists the keys of a document that its type does not have.
func mistakesOfShape(file string, doc ast.Node, t reflect.Type) []*Error {
	s := &shape{file: file}
	s.check(doc, t)
	return s.mistakes
}

// check follows a type into a node. What is not of the kind that the type wants is left to
// the YAML library, which says so.
func (s *shape) check(n ast.Node, t reflect.Type) {
	switch t = under(t); {
	case t.Kind() == reflect.Slice:
		if list, ok := n.(*ast.SequenceNode); ok {
			for _, v := range list.Values {
				s.check(v, t.Elem())
			}
		}
	case t.Kind() == reflect.Map:
		for _, pair := range pairsOf(n) {
			s.check(pair.Value, t.Elem())
		}
	case isMapping(t):
		for _, pair := range pairsOf(n) {
			s.key(pair, t)
		}
	}
}

func (s *shape) key(pair *ast.MappingValueNode, t reflect.Type) {
	name := nameOf(pair)
	if !slices.Contains(keysOf(t), name) {
		at := pair.Key.GetToken().Position
		s.mistakes = append(s.mistakes, &Error{File: s.file, Line: at.Line, Column: at.Column,
			Message: fmt.Sprintf("unknown field %q; %s", name, oneOf(keysOf(t)))})
		return
	}
	s.check(pair.Value, fieldType(t, name))
}

// pairsOf are the keys of a mapping with what stands there.
func pairsOf(n ast.Node) []*ast.MappingValueNode {
	switch m := n.(type) {
	case *ast.MappingNode:
		return m.Values
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{m}
	}
	return nil
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
	for _, top := range pairsOf(doc) {
		if nameOf(top) != mapping {
			continue
		}
		for _, pair := range pairsOf(top.Value) {
			if nameOf(pair) == key {
				at := pair.Key.GetToken().Position
				return &scalar{text: key, line: at.Line, column: at.Column}
			}
		}
	}
	return nil
}
