// Package scenarios reads scenario files, checks them, builds the world that they
// describe and runs trials in it, one seed at a time. What is about many trials is in
// package sweeps.
//
// A scenario is a YAML file. Those that fencepost ships are embedded; a user's own
// file runs the same way.
package scenarios

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"

	"github.com/goccy/go-yaml/ast"
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

	file   file
	doc    ast.Node // the tree of the file
	unused string   // a parameter that nothing refers to
}

// Param is a parameter that a scenario declares; --vary and --set change it.
type Param struct {
	Name    string
	Default string
}

var validName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]*$`)

// build makes a scenario of the form of its file.
func (of source) build(f file, name string) (*Scenario, []*Error) {
	s := &Scenario{File: of.name, Hash: of.hash, file: f, doc: of.doc}
	r := &reader{file: of.name, values: map[string]string{}}
	for _, key := range sortedKeys(f.Params) {
		value := f.Params[key]
		if key == estimateParam || !reference.MatchString("$"+key) || reference.FindString("$"+key) != "$"+key {
			r.fail(value, "%q cannot name a parameter: use lower-case words with dots and hyphens", key)
		}
		s.Params = append(s.Params, Param{Name: key, Default: value.raw()})
	}
	s.Name, s.Title, s.About, s.Source = name, f.Title.raw(), f.About.raw(), f.Source.raw()
	if f.Name.set() && !validName.MatchString(f.Name.raw()) {
		r.fail(f.Name, "%q cannot name a scenario: use lower-case letters, digits and hyphens", f.Name.raw())
	}
	if !f.Name.set() {
		r.fail(of.top(), "the scenario has no name: add a line such as `name: my-scenario`")
	}
	if len(f.Clients) == 0 {
		r.fail(of.top(), "the scenario has no clients: add a list `clients:` with at least one entry")
	}
	s.Arch = r.flag(f.Arch, false)
	s.Incident = readIncident(r, f.Incident)
	s.Tags = readTags(r, f.Tags)
	s.Chart = readChart(r, f.Chart)
	s.unused = s.findUnused()
	return s, r.mistakes
}

// readTags reads words, each once.
func readTags(r *reader, list []*scalar) (tags []string) {
	for _, s := range list {
		switch tag := r.text(s); {
		case !validName.MatchString(tag):
			r.fail(s, "%q cannot be a tag: use lower-case letters, digits and hyphens", tag)
		case slices.Contains(tags, tag):
			r.fail(s, "the tag %s is given twice", tag)
		default:
			tags = append(tags, tag)
		}
	}
	return tags
}

// findUnused returns a parameter that nothing refers to, if there is one.
func (s *Scenario) findUnused() string {
	used := map[string]bool{}
	for _, n := range ast.Filter(ast.StringType, s.doc) {
		for _, ref := range reference.FindAllString(n.(*ast.StringNode).Value, -1) {
			used[ref[1:]] = true
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

// Exists reports whether there is a scenario of a name, or a file, or one of which it may be a
// variant.
func Exists(nameOrFile string) bool {
	base, _, _ := cutVariant(nameOrFile)
	return exists(nameOrFile) || exists(base)
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
	name, content, err := contentOf(nameOrFile)
	if err != nil {
		return nil, err
	}
	s, err := Parse(name, content)
	if _, ok := libraryFile(nameOrFile); ok && err == nil {
		s.Library = true
	}
	return s, err
}

// contentOf reads a scenario of the library or a file, and says how errors name it.
func contentOf(nameOrFile string) (name string, content []byte, err error) {
	if content, ok := libraryFile(nameOrFile); ok {
		return "library/" + nameOrFile + ".yaml", content, nil
	}
	content, err = readFile(nameOrFile)
	switch {
	case err == nil:
		return nameOrFile, content, nil
	case errors.Is(err, os.ErrNotExist) && validName.MatchString(nameOrFile):
		err = &Error{File: nameOrFile, Message: "no scenario of this name and no such file; " + oneOf(LibraryNames())}
	default:
		err = &Error{File: nameOrFile, Message: "cannot be read: " + reason(err)}
	}
	return "", nil, err
}

// maxFile bounds a scenario file; the longest shipped one has four kilobytes.
const maxFile = 1 << 20

func readFile(name string) ([]byte, error) {
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() { // to open a pipe waits for its writer
		return nil, errors.New("it is not a regular file")
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
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
