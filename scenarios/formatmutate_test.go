package scenarios

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"fencepost/models/modeltest"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"pgregory.net/rapid"
)

// leftToTheLoader are the reasons for which a file is refused that is valid against the
// schema: docs/scenarios.md lists them.
var leftToTheLoader = map[string]*regexp.Regexp{
	"bounds of what is measured":               regexp.MustCompile(`is too (short|long|small|large)|out of range|is negative|is above 100%|is not a bandwidth|less than the time that it takes|limits nothing|would never let time pass`),
	"the arguments of a distribution":          regexp.MustCompile(`^distribution "|is not a shift of a clock|no preset is called|takes no argument`),
	"parameters: their names and their values": regexp.MustCompile(`is not a parameter of this scenario|parameter ".*" is not used|cannot name a parameter`),
	"numbers that refer to a list":             regexp.MustCompile(`there is no (client|host|step)`),
	"instants and lengths beside each other":   regexp.MustCompile(`is not after|before the fault would fire|is not shorter than the run|could never expire`),
	"keys that say nothing beside a value":     regexp.MustCompile(`says nothing|does not take|nothing in this fault lasts|at both ends|give the fault .for:.|needs the host|one peer|keeps its data|give .restart:.|is for (clients|servers)`),
	"what is expected or bounded twice":        regexp.MustCompile(`asks for a violation|asked for twice|no time is within|both sides of the boundary|is made from .boundary`),
	"what is given twice or could not be run":  regexp.MustCompile(`the tag .* is given twice|cannot be run so|is about no run|is less than .under`),
	"what a lock system has":                   regexp.MustCompile(`no selected lock can have this fault|lock [a-z0-9-]+: `),
	"how YAML writes a number or a truth":      regexp.MustCompile(`is not a whole number|"(True|TRUE|False|FALSE)" is not known`),
}

// mutation changes one node of a file.
type mutation struct {
	name string
	text string // what stands there instead; empty adds a key
}

var mutations = []mutation{
	{name: "a key that there is not"},
	{"a list", "[1s]"}, {"a mapping", "{a: 1s}"}, {"a word", "nonsense"}, {"a wrong unit", "12parsecs"}, {"no unit", "12"},
	{"a duration", "3s"}, {"a percentage", "3%"}, {"a truth value", "true"}, {"a parameter that there is not", "$nothing"},
	{"a share", "150% of takeover"}, {"a distribution", `"uniform(1s, 2s)"`}, {"a bad distribution", `"uniform(2s"`}, {"a decimal", "0.5"},
	{"zero", "0"}, {"less than zero", "-1"}, {"a host", "client/1"}, {"nobody's word", "ok"}, {"a rate", "5ppm"}, {"an empty text", `""`},
}

// mutate changes the n-th node that can be changed so, and returns the file; there is none if
// the node cannot.
func mutate(content []byte, n int, m mutation) ([]byte, bool) {
	parsed, err := parser.ParseBytes(content, 0)
	if err != nil {
		return nil, false
	}
	pairs := ast.Filter(ast.MappingValueType, parsed.Docs[0])
	pair := pairs[n%len(pairs)].(*ast.MappingValueNode)
	path, err := yaml.PathString(pair.GetPath())
	if err != nil {
		return nil, false
	}
	if m.text == "" {
		if at := strings.LastIndexByte(pair.GetPath(), '.'); at > 1 {
			path, err = yaml.PathString(pair.GetPath()[:at])
		} else {
			return append(bytes.TrimRight(content, "\n"), "\nnothing: 1s\n"...), true
		}
		if err != nil || path.MergeFromReader(parsed, strings.NewReader("nothing: 1s")) != nil {
			return nil, false
		}
		return []byte(parsed.String()), true
	}
	if path.ReplaceWithReader(parsed, strings.NewReader(m.text)) != nil {
		return nil, false
	}
	return []byte(parsed.String()), true
}

// TestSchemaAndLoaderAgree: a shipped scenario that is changed at one place is refused by both
// or by neither; or by the loader alone, for a reason that is left to it.
func TestSchemaAndLoaderAgree(t *testing.T) {
	modeltest.ManyTrials(t)
	schema, r := compiled(t), registry(t)
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom(libraryFiles()).Draw(t, "file")
		m := rapid.SampledFrom(mutations).Draw(t, "mutation")
		original, _ := libraryFile(name)
		content, ok := mutate(original, rapid.IntRange(0, 1<<20).Draw(t, "node"), m)
		if !ok {
			return
		}
		agree(t, schema.Validate(asJSON(t, content)), Validate(r, name, content), content)
	})
}

// agree compares what is said of a file.
func agree(t rapid.TB, invalid error, mistakes []*Error, content []byte) {
	t.Helper()
	switch {
	case invalid != nil && len(mistakes) == 0:
		t.Fatalf("the schema refuses what the loader accepts: %v\n%s", invalid, content)
	case invalid != nil:
		return
	}
	for _, e := range mistakes {
		if reasonOf(e, content) == "" {
			t.Fatalf("the loader alone refuses: %v\n%s", e, content)
		}
	}
}

// reasonOf is the reason for which a mistake is left to the loader, if there is one.
func reasonOf(e *Error, content []byte) string {
	if line := strings.Split(string(content), "\n")[max(0, e.Line-1)]; e.Line > 0 && strings.Contains(line[e.Column-1:], "$") {
		return "parameters: their names and their values"
	}
	for name, pattern := range leftToTheLoader {
		if pattern.MatchString(e.Message) {
			return name
		}
	}
	return ""
}

// TestBothRefuse: what can be told of one value, or of which keys stand together, is refused
// by the schema as well.
func TestBothRefuse(t *testing.T) {
	schema, r := compiled(t), registry(t)
	const fault = "  - pause: {client: 1, for: 15s}\n    when: {client: 1, step: write.send}\n"
	for _, c := range []struct{ old, new string }{
		{"until: 30s", "untill: 30s"}, {"between: 50ms", "betwixt: 50ms"}, {"client: 1, for", "clinet: 1, for"},
		{"until: 30s", "until: [30s]"}, {"clients:\n", "clients: 3s\nnetwork:\n"}, {"until: 30s", "until: 30 seconds"},
		{"until: 30s", "until: 30"}, {"between: 50ms", "check: sometimes"}, {"between: 50ms", "cycles: 0"},
		{"write.send", "write.sendd"}, {"until: 30s", "wake: soon"}, {"  ttl: $ttl", "  tttl: 3s"},
		{"until: 30s", "for: {redish: {}}"}, {"until: 30s", "for: {redis: {lock: {servers: 3}}}"},
		{"until: 30s", "for: {redis: {n/a: why, faults: []}, etcd: {n/a: why, lock: {ttl: 3s}}}"},
		{"until: 30s", "expect: [{exclusion: broken}]"}, {"until: 30s", "expect: [{locks: [redish], exclusion: ok}]"},
		{"until: 30s", "expect: [{guards: [nobody], exclusion: ok}]"}, {"until: 30s", "clocks: {all: quartz}"},
		{"until: 30s", "network: {resend: false}"}, {"until: 30s", "network: {synchrony: {gst: 1s}}"},
		{"until: 30s", "network: {links: [{between: [all], delay: 1ms}]}"}, {"until: 30s", "network: {links: [{between: [all, all]}]}"},
		{"until: 30s", "random: {swarm: true}"}, {"until: 30s", "closed-form: {locks: [redis], at: 1s}"},
		{"name: mine\n", ""}, {"name: mine", "name: My Scenario"}, {"clients:\n  - between: 50ms\n  - start: 1s\n", ""},
		{fault, "  - pause: {client: 1, for: 15s}\n"}, {fault, "  - at: 1s\n"}, {fault, "  - pause: {client: 1}\n    at: 1s\n"},
		{fault, "  - {pause: {client: 1, for: 1s}, reset: {client: 2}, at: 1s}\n"}, {fault, "  - {pause: {for: 1s}, at: 1s}\n"},
		{fault, "  - {pause: {client: 1, server: 1, for: 1s}, at: 1s}\n"}, {fault, "  - {pause: {client: 1, for: 1s, by: 1s}, at: 1s}\n"},
		{fault, "  - {pause: {client: 1, for: 1s}, at: 1s, times: 3}\n"}, {fault, "  - {cut: {client: 1}, at: 1s}\n"},
		{fault, "  - {joint: [{pause: {client: 1}}, {reset: {client: 1}}], at: 1s}\n"}, {fault, "  - {joint: [{reset: {client: 1}}], at: 1s}\n"},
		{fault, fault + "variants: {Late: {until: 20s}}\n"}, {fault, fault + "variants: {late: {name: other}}\n"}, {fault, fault + "variants: {late: {until: soon}}\n"},
	} {
		content := []byte(strings.Replace(minimal, c.old, c.new, 1))
		if schema.Validate(asJSON(t, content)) == nil {
			t.Errorf("the schema accepts %s", c.new)
		}
		if len(Validate(r, "mine.yaml", content)) == 0 {
			t.Errorf("the loader accepts %s", c.new)
		}
	}
	if err := schema.Validate(asJSON(t, []byte(minimal))); err != nil {
		t.Error(err)
	}
}
