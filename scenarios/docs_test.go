package scenarios

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
)

// TestEveryKindOfFaultIsDocumented: the table in the documentation says of each kind what
// the loader accepts.
func TestEveryKindOfFaultIsDocumented(t *testing.T) {
	page, err := os.ReadFile("../docs/scenarios.md")
	if err != nil {
		t.Fatal(err)
	}
	quoted := func(names []string) string {
		if len(names) == 0 {
			return ""
		}
		return "`" + strings.Join(names, "`, `") + "`"
	}
	for _, k := range FaultKinds {
		row := fmt.Sprintf("| `%s` | %s | %s | %s |\n", k.Name, quoted(k.Needs), quoted(k.Takes), k.Doc)
		if !strings.Contains(string(page), row) {
			t.Errorf("docs/scenarios.md has no row %s", row)
		}
	}
}

// TestKindsOfTheFileAreTheKinds: each key of a fault that names a kind is one.
func TestKindsOfTheFileAreTheKinds(t *testing.T) {
	keys := keysOf(reflect.TypeFor[kindsPart]())
	if fmt.Sprint(keys) != fmt.Sprint(kindNames()) {
		t.Errorf("the file has %v, the table %v", keys, kindNames())
	}
}
