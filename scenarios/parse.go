package scenarios

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"reflect"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// source is a file that scenarios are made of: one and its variants.
type source struct {
	name, hash string
	doc        ast.Node
}

// top is where the document begins.
func (of source) top() *scalar { return spotOf(of.doc).scalar() }

// Parse reads a scenario. The name of the file is used in errors.
func Parse(name string, content []byte) (*Scenario, error) {
	s, mistakes := parse(name, content)
	if len(mistakes) > 0 {
		return nil, mistakes[0]
	}
	return s, nil
}

// parse reads what can be read of a file, and lists what is wrong with it. There is no
// scenario if the rest of the file would be read wrongly.
func parse(name string, content []byte) (*Scenario, []*Error) {
	content = withoutMark(content)
	doc, mistakes := tree(name, content)
	if len(mistakes) > 0 {
		return nil, mistakes
	}
	mistakes = mistakesOfShape(name, doc, reflect.TypeFor[file]())
	var f file
	if err := decode(content, &f); err != nil {
		return nil, append(mistakes, wrapYAML(name, err))
	}
	r := &reader{file: name}
	r.addBoundary(&f)
	mistakes = append(mistakes, r.mistakes...)
	sum := sha256.Sum256(content)
	s, more := source{name, hex.EncodeToString(sum[:6]), doc}.build(f, f.Name.raw())
	return s, append(append(mistakes, more...), s.checkVariants()...)
}

// withoutMark is a file without the byte order mark that some editors begin it with.
func withoutMark(content []byte) []byte { return bytes.TrimPrefix(content, []byte("\ufeff")) }

// decode reads YAML. A panic of the library, which some input may still provoke, is a
// mistake in the file as far as its author is concerned.
func decode(content []byte, f *file) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("it cannot be read as YAML (%v)", cause)
		}
	}()
	return yaml.Unmarshal(content, f)
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

// oneDocument is what a file has to be.
const oneDocument = "a scenario file has one YAML document that is a mapping, with name, clients and so on"

// noIndirection: a scenario says everything where it stands.
const noIndirection = "write the value itself here, without a tag, an anchor or an alias"

// tree reads YAML, and refuses keys without a value, which would else count as left out, and
// what a scenario has no use for: tags, anchors, aliases and merged keys.
func tree(name string, content []byte) (ast.Node, []*Error) {
	if !utf8.Valid(content) {
		line, column := badUTF8(content)
		return nil, []*Error{{File: name, Line: line, Column: column, Message: "this byte is no UTF-8: save the file in that encoding"}}
	}
	if e := tooMuch(content); e != nil {
		e.File = name
		return nil, []*Error{e}
	}
	parsed, err := parser.ParseBytes(content, 0)
	if err != nil {
		return nil, []*Error{wrapYAML(name, err)}
	}
	if len(parsed.Docs) != 1 || parsed.Docs[0].Body == nil {
		return nil, []*Error{{File: name, Line: 1, Column: 1, Message: fmt.Sprintf(
			"%s; this one has %s", oneDocument, contents(parsed))}}
	}
	var mistakes []*Error
	doc := parsed.Docs[0].Body
	refuse := func(unwanted ast.NodeType, message func(line int) string) {
		for _, n := range ast.Filter(unwanted, doc) {
			at := n.GetToken().Position
			mistakes = append(mistakes, &Error{File: name, Line: at.Line, Column: at.Column, Message: message(at.Line)})
		}
	}
	refuse(ast.NullType, func(line int) string { return "a value is missing here" + hintAboutCommas(content, line) })
	for _, unwanted := range []ast.NodeType{ast.TagType, ast.AnchorType, ast.AliasType, ast.MergeKeyType} {
		refuse(unwanted, func(int) string { return noIndirection })
	}
	for _, n := range ast.Filter(ast.StringType, doc) {
		if r, ok := unseen(n.(*ast.StringNode).Value); ok {
			at := n.GetToken().Position
			mistakes = append(mistakes, &Error{File: name, Line: at.Line, Column: at.Column,
				Message: fmt.Sprintf("%U is no text: a terminal would obey it where the file is told of", r)})
		}
	}
	return doc, mistakes
}

// badUTF8 says where the first byte is that is no UTF-8.
func badUTF8(content []byte) (line, column int) {
	line, column = 1, 1
	for len(content) > 0 {
		r, size := utf8.DecodeRune(content)
		switch {
		case r == utf8.RuneError && size == 1:
			return line, column
		case r == '\n':
			line, column = line+1, 0
		}
		column++
		content = content[size:]
	}
	return line, column
}

// unseen returns a sign that is no text, such as that which begins a terminal's commands, if
// there is one.
func unseen(text string) (rune, bool) {
	for _, r := range text {
		if unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r) {
			return r, true
		}
	}
	return 0, false
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
