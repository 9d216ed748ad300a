package scenarios

import (
	"reflect"
	"regexp"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// keysAt returns the keys that a scenario file may have in the mapping in which a key
// stands at a line and column.
func keysAt(content []byte, line, column int) []string {
	tree, err := parser.ParseBytes(content, 0)
	if err != nil {
		return nil
	}
	find := &keyFinder{line: line, column: column}
	for _, doc := range tree.Docs {
		ast.Walk(find, doc)
	}
	return keysOf(typeAt(reflect.TypeFor[file](), find.path))
}

// keyFinder looks for the mapping whose key stands at a place.
type keyFinder struct {
	line, column int
	path         string
}

// Visit implements [ast.Visitor].
func (f *keyFinder) Visit(n ast.Node) ast.Visitor {
	if pair, ok := n.(*ast.MappingValueNode); ok {
		if at := pair.Key.GetToken().Position; at.Line == f.line && at.Column == f.column {
			f.path = pair.Key.GetPath()
		}
	}
	return f
}

// keyOf returns where a key of a mapping at the top of the file stands.
func keyOf(content []byte, mapping, key string) *scalar {
	tree, err := parser.ParseBytes(content, 0)
	if err != nil {
		return nil
	}
	for _, n := range ast.Filter(ast.MappingValueType, tree.Docs[0]) {
		pair := n.(*ast.MappingValueNode)
		steps := pathStep.FindAllString(pair.Key.GetPath(), -1)
		if len(steps) > 1 && steps[0] == "."+mapping && pair.Key.GetToken().Value == key {
			at := pair.Key.GetToken().Position
			return &scalar{text: key, line: at.Line, column: at.Column}
		}
	}
	return nil
}

var pathStep = regexp.MustCompile(`\.'?[^.\['\]]+'?|\[\d+\]`)

// typeAt follows a path such as $.clients[0].betwen to the type of the mapping that holds
// its last key.
func typeAt(t reflect.Type, path string) reflect.Type {
	steps := pathStep.FindAllString(path, -1)
	for _, step := range steps[:max(0, len(steps)-1)] {
		t = under(t)
		switch name := strings.Trim(step, ".'"); {
		case t.Kind() == reflect.Slice || t.Kind() == reflect.Map:
			t = t.Elem()
		case t.Kind() == reflect.Struct:
			t = fieldType(t, name)
		}
	}
	return under(t)
}

func under(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}

func fieldType(t reflect.Type, key string) reflect.Type {
	for _, f := range fieldsOf(t) {
		if f.Tag.Get("yaml") == key {
			return f.Type
		}
	}
	return t
}

// fieldsOf lists the fields of a mapping; those of a part that is inlined stand in its
// place.
func fieldsOf(t reflect.Type) (fields []reflect.StructField) {
	for i := range t.NumField() {
		if f := t.Field(i); f.Tag.Get("yaml") == ",inline" {
			fields = append(fields, fieldsOf(f.Type)...)
		} else {
			fields = append(fields, f)
		}
	}
	return fields
}

// keysOf lists the keys of a mapping.
func keysOf(t reflect.Type) (keys []string) {
	if t.Kind() != reflect.Struct {
		return nil
	}
	for _, f := range fieldsOf(t) {
		keys = append(keys, f.Tag.Get("yaml"))
	}
	return keys
}
