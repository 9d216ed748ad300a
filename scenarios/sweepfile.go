package scenarios

import (
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
)

// SweepFile is a file that says what a sweep is of: the scenario, and settings that are named as the
// options of `fencepost sweep` are.
type SweepFile struct {
	Scenario string
	Settings []Setting

	file string
}

// Setting is an option and its value, as on a command line.
type Setting struct {
	Name, Value string

	line, column int
}

// sweepKey is in a sweep's file, and in no scenario's.
const sweepKey = "sweep"

const varyKey = "vary"

// ofPairs are the settings that have a value for each of some names.
var ofPairs = []string{varyKey, "set"}

// ReadSweepFile reads a sweep's file; it is nil if the name is not that of a file, or the file is one of
// a scenario. Names are those of the settings that may be in it.
func ReadSweepFile(name string, names []string) (*SweepFile, error) {
	content, err := readFile(name)
	if _, ok := libraryFile(name); ok || err != nil {
		return nil, nil // the name of a scenario, or a file that is missed where scenarios are read
	}
	f := &SweepFile{file: name}
	doc, mistakes := tree(name, withoutMark(content))
	switch {
	case len(mistakes) > 0 && strings.HasPrefix(mistakes[0].Message, oneDocument):
		return nil, &Error{File: name, Line: 1, Column: 1, Message: "this is neither a sweep's file, with `sweep: SCENARIO`, nor a scenario: " + mistakes[0].Message}
	case len(mistakes) > 0:
		return nil, mistakes[0]
	}
	keys := entries(doc)
	if is, err := f.isSweep(keys, names); !is {
		return nil, err
	}
	for _, v := range keys {
		if err := f.read(v, names); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// isSweep reports whether a file is of a sweep. It fails if the file has what only a sweep's may have, and
// does not say of which scenario.
func (f *SweepFile) isSweep(keys []*ast.MappingValueNode, names []string) (bool, error) {
	inScenarios := keysOf(reflect.TypeFor[file]())
	for _, v := range keys {
		if v.Key.String() == sweepKey {
			return true, nil
		}
	}
	for _, v := range keys {
		switch key := v.Key.String(); {
		case slices.Contains(inScenarios, key):
		case strings.EqualFold(key, sweepKey):
			return false, f.fail(v.Key, "unknown key %q; in a sweep's file it is %q", key, sweepKey)
		case slices.Contains(names, key):
			return false, f.fail(v.Key, "%q is of a sweep's file, which names its scenario with `sweep: SCENARIO`; this one does not", key)
		}
	}
	return false, nil
}

// entries are those of a mapping, none of anything else.
func entries(n ast.Node) []*ast.MappingValueNode {
	switch m := n.(type) {
	case *ast.MappingNode:
		return m.Values
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{m}
	}
	return nil
}

// read reads one key of the file.
func (f *SweepFile) read(v *ast.MappingValueNode, names []string) error {
	key := v.Key.String()
	switch {
	case key == sweepKey:
		return f.readScenario(v.Value)
	case !slices.Contains(names, key):
		return f.fail(v.Key, "unknown key %q; %s", key, oneOf(append([]string{sweepKey}, names...)))
	case !slices.Contains(ofPairs, key):
		return f.add(key, "", v.Value)
	}
	pairs := entries(v.Value)
	if len(pairs) == 0 {
		return f.fail(v.Value, "%s: write names with their values, such as {ttl: 10s}", key)
	}
	for _, pair := range pairs {
		if err := f.add(key, pair.Key.String()+"=", pair.Value); err != nil {
			return err
		}
	}
	return nil
}

// readScenario reads which scenario it is: one beside the file, or of the library.
func (f *SweepFile) readScenario(n ast.Node) error {
	var s scalar
	if err := yaml.NodeToValue(n, &s); err != nil || s.text == "" {
		return f.fail(n, "%s: name a scenario of the library, or a file", sweepKey)
	}
	f.Scenario = s.text
	if beside := filepath.Join(filepath.Dir(f.file), s.text); strings.HasSuffix(s.text, ".yaml") && exists(beside) {
		f.Scenario = beside
	}
	return nil
}

// add adds a setting, whose value may be a list.
func (f *SweepFile) add(key, name string, n ast.Node) error {
	var values []string
	list, ok := n.(*ast.SequenceNode)
	if !ok {
		list = &ast.SequenceNode{Values: []ast.Node{n}}
	}
	if len(list.Values) == 0 {
		return f.fail(n, "%s: the list is empty: write a value, or some of them", key)
	}
	for _, element := range list.Values {
		var s scalar
		if err := yaml.NodeToValue(element, &s); err != nil || s.text == "" {
			return f.fail(element, "%s: write a value, or a list of them", key)
		}
		if key == varyKey && len(list.Values) > 1 && isRange(s.text) {
			return f.fail(element, "%s: a range stands alone, and not in a list with other values", key)
		}
		if len(list.Values) > 1 && key != varyKey && strings.Contains(s.text, ",") {
			return f.fail(element, "%s: one value was expected in this place of the list", key)
		}
		values = append(values, s.text)
	}
	at := n.GetToken().Position
	f.Settings = append(f.Settings, Setting{key, name + strings.Join(values, ","), at.Line, at.Column})
	return nil
}

func (f *SweepFile) fail(at ast.Node, format string, args ...any) error {
	p := at.GetToken().Position
	return &Error{File: f.file, Line: p.Line, Column: p.Column, Message: fmt.Sprintf(format, args...)}
}

// Wrong is a mistake in the value of a setting, with its place.
func (f *SweepFile) Wrong(s Setting, err error) error {
	return &Error{File: f.file, Line: s.line, Column: s.column, Message: fmt.Sprintf("%s: %v", s.Name, err)}
}
