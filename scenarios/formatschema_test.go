package scenarios

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"
)

// TestFormatSchema: scenarios/schema.json is the schema of the built-in locks.
// UPDATE_GOLDEN=1 writes it.
func TestFormatSchema(t *testing.T) { golden(t, "schema.json", Schema(registry(t))) }

// compiled is the schema, ready to validate.
func compiled(t testing.TB) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema(registry(t))))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// asJSON reads YAML as an editor does.
func asJSON(t rapid.TB, content []byte) any {
	t.Helper()
	var v any
	if err := yaml.Unmarshal(content, &v); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// TestLibraryIsValid: every shipped scenario is valid against the schema.
func TestLibraryIsValid(t *testing.T) {
	s := compiled(t)
	for _, name := range libraryFiles() {
		content, _ := libraryFile(name)
		if err := s.Validate(asJSON(t, content)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
