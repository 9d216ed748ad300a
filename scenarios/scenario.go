// Package scenarios reads scenario files, checks them, builds the world that they
// describe and runs it: once, over many seeds, or over a grid of parameters.
//
// A scenario is a YAML file. Those that fencepost ships are embedded; a user's own
// file runs the same way.
package scenarios

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// Scenario is a file that has been read, with its parameters still open.
type Scenario struct {
	Name   string
	Title  string
	About  string
	Source string
	// File is how errors name it.
	File string
	// Library says that it is one of those that fencepost ships.
	Library bool
	// Hash is the beginning of the SHA-256 of the file, in hex.
	Hash string
	// Arch says that its digests are compared on every architecture in each check, and
	// not only in the long one.
	Arch bool
	// Incident is the public report that it encodes, if it does one.
	Incident *Incident
	// Tags are words by which a part of a suite is chosen.
	Tags []string
	// Params are the declared parameters with their defaults.
	Params []Param
	// Chart is the sweep of which `reproduce` draws a chart, if there is one.
	Chart *Chart

	file    file
	content []byte
	unused  string // a parameter that nothing refers to
}

// Param is a parameter that a scenario declares; --vary and --set change it.
type Param struct {
	Name    string
	Default string
}

var validName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]*$`)

// Parse reads a scenario. The name of the file is used in errors.
func Parse(name string, content []byte) (*Scenario, error) {
	content = bytes.TrimPrefix(content, []byte("\ufeff")) // some editors begin a file with it
	if err := checkTree(name, content); err != nil {
		return nil, err
	}
	var f file
	if err := decode(content, &f); err != nil {
		return nil, wrapYAML(name, content, err)
	}
	s, err := build(name, content, f, f.Name.raw())
	if err != nil {
		return s, err
	}
	return s, s.checkVariants()
}

// build makes a scenario of the form of its file.
func build(file string, content []byte, f file, name string) (*Scenario, error) {
	sum := sha256.Sum256(content)
	s := &Scenario{File: file, Hash: hex.EncodeToString(sum[:6]), file: f, content: content}
	r := &reader{file: file, values: map[string]string{}}
	for _, key := range sortedKeys(f.Params) {
		value := f.Params[key]
		if !reference.MatchString("$"+key) || reference.FindString("$"+key) != "$"+key {
			r.fail(value, "%q cannot name a parameter: use lower-case words with dots and hyphens", key)
		}
		s.Params = append(s.Params, Param{Name: key, Default: value.raw()})
	}
	s.Name, s.Title, s.About, s.Source = name, f.Title.raw(), f.About.raw(), f.Source.raw()
	if f.Name.set() && !validName.MatchString(f.Name.raw()) {
		r.fail(f.Name, "%q cannot name a scenario: use lower-case letters, digits and hyphens", f.Name.raw())
	}
	if !f.Name.set() {
		r.fail(nil, "the scenario has no name: add a line such as `name: my-scenario`")
	}
	if len(f.Clients) == 0 {
		r.fail(f.Name, "the scenario has no clients: add a list `clients:` with at least one entry")
	}
	s.Arch = r.flag(f.Arch, false)
	s.Incident = readIncident(r, f.Incident)
	for _, tag := range f.Tags {
		s.Tags = append(s.Tags, r.text(tag))
	}
	s.Chart = readChart(r, f.Chart)
	s.unused = s.findUnused(content)
	return s, r.err
}

// findUnused returns a parameter that nothing refers to, if there is one.
func (s *Scenario) findUnused(content []byte) string {
	used := map[string]bool{}
	if tree, err := parser.ParseBytes(content, 0); err == nil {
		for _, doc := range tree.Docs { // one, which is not empty
			for _, n := range ast.Filter(ast.StringType, doc) {
				for _, ref := range reference.FindAllString(n.(*ast.StringNode).Value, -1) {
					used[ref[1:]] = true
				}
			}
		}
	}
	for _, p := range s.Params {
		if !used[p.Name] {
			return p.Name
		}
	}
	return ""
}

// checkUnused refuses a parameter that nothing refers to: varying it would show a flat
// line and mislead.
func (s *Scenario) checkUnused(r *reader) {
	if s.unused != "" {
		r.fail(s.file.Params[s.unused], "parameter %q is not used: write $%s where its value belongs", s.unused, s.unused)
	}
}

// Reproducible reports whether the scenario says which verdict to expect.
func (s *Scenario) Reproducible() bool { return len(s.file.Expect) > 0 }

// decode reads YAML. A panic of the library, which some input may still provoke, is a
// mistake in the file as far as its author is concerned.
func decode(content []byte, f *file) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("it cannot be read as YAML (%v)", cause)
		}
	}()
	return yaml.UnmarshalWithOptions(content, f, yaml.Strict())
}

// hintAboutCommas helps whoever wrote a distribution between braces, where YAML takes its
// commas for its own.
func hintAboutCommas(content []byte, line int) string {
	lines := strings.Split(string(content), "\n")
	if text := lines[min(line, len(lines))-1]; strings.Contains(text, "{") && strings.Contains(text, "(") {
		return "; between { and } a value with commas needs quotes, such as \"uniform(1s, 2s)\""
	}
	return ""
}

// noIndirection: a scenario says everything where it stands.
const noIndirection = "write the value itself here, without a tag, an anchor or an alias"

// checkTree refuses keys without a value, which would else count as left out, and what a
// scenario has no use for: tags, anchors, aliases and merged keys.
func checkTree(name string, content []byte) error {
	tree, err := parser.ParseBytes(content, 0)
	if err != nil {
		return wrapYAML(name, content, err)
	}
	if len(tree.Docs) != 1 || tree.Docs[0].Body == nil {
		return &Error{File: name, Line: 1, Column: 1, Message: fmt.Sprintf(
			"a scenario file has one YAML document that is a mapping, with name, clients and so on; this one has %s", contents(tree))}
	}
	for _, doc := range tree.Docs {
		for _, n := range ast.Filter(ast.NullType, doc) {
			at := n.GetToken().Position
			return &Error{File: name, Line: at.Line, Column: at.Column, Message: "a value is missing here" + hintAboutCommas(content, at.Line)}
		}
		for _, unwanted := range []ast.NodeType{ast.TagType, ast.AnchorType, ast.AliasType, ast.MergeKeyType} {
			for _, n := range ast.Filter(unwanted, doc) {
				at := n.GetToken().Position
				return &Error{File: name, Line: at.Line, Column: at.Column, Message: noIndirection}
			}
		}
	}
	return nil
}

// contents says what a file has instead of one document.
func contents(tree *ast.File) string {
	full := 0
	for _, doc := range tree.Docs {
		if doc.Body != nil {
			full++
		}
	}
	if full == 0 {
		return "nothing in it"
	}
	return fmt.Sprintf("%d", len(tree.Docs))
}

// Load reads a scenario by its library name or from a file; NAME/VARIANT and FILE/VARIANT
// are one of its variants.
func Load(nameOrFile string) (*Scenario, error) {
	base, variant, ok := cutVariant(nameOrFile)
	if !ok || exists(nameOrFile) || !exists(base) {
		return load(nameOrFile)
	}
	whole, err := load(base)
	if err != nil {
		return nil, err
	}
	v, err := whole.variant(variant)
	if err != nil {
		return nil, err
	}
	v.Library = whole.Library
	return v, nil
}

// exists reports whether a name is one of the library, or a file's.
func exists(nameOrFile string) bool {
	if _, ok := libraryFile(nameOrFile); ok {
		return true
	}
	info, err := os.Stat(nameOrFile)
	return err == nil && !info.IsDir()
}

func load(nameOrFile string) (*Scenario, error) {
	if content, ok := libraryFile(nameOrFile); ok {
		s, err := Parse("library/"+nameOrFile+".yaml", content)
		if err == nil {
			s.Library = true
		}
		return s, err
	}
	content, err := readFile(nameOrFile)
	if err != nil {
		if validName.MatchString(nameOrFile) {
			return nil, &Error{File: nameOrFile, Message: "no scenario of this name and no such file; " + oneOf(LibraryNames())}
		}
		return nil, &Error{File: nameOrFile, Message: "cannot be read: " + reason(err)}
	}
	return Parse(nameOrFile, content)
}

// maxFile bounds a scenario file; the longest shipped one has four kilobytes.
const maxFile = 1 << 20

func readFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && !info.Mode().IsRegular() {
		return nil, errors.New("it is not a regular file")
	}
	content, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if len(content) > maxFile {
		return nil, fmt.Errorf("it is larger than %d bytes", maxFile)
	}
	return content, err
}

// reason strips the operation and path that the message already names.
func reason(err error) string {
	if p, ok := err.(*os.PathError); ok {
		return p.Err.Error()
	}
	return err.Error()
}

// sortedKeys is how a map is gone through: in an order that is the same each time.
func sortedKeys[V any](m map[string]V) []string {
	return slices.Sorted(maps.Keys(m))
}
