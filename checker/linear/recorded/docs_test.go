package recorded

import (
	"os"
	"strings"
	"testing"
)

// TestModelsAreTold: docs/check.md has each model with its operations and parameters, and
// each field.
func TestModelsAreTold(t *testing.T) {
	page, err := os.ReadFile("../../../docs/check.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]string{}
	for line := range strings.Lines(string(page)) {
		if cells := strings.SplitN(line, "|", 3); len(cells) == 3 {
			for _, name := range strings.Split(cells[1], ",") {
				rows[strings.Trim(name, " `")] = cells[2]
			}
		}
	}
	for _, m := range models {
		if strings.Contains(rows[m.name], "the same") { // as in the row above
			rows[m.name] += rows["fenced-mutex"]
		}
		if m.takes != "" && !strings.Contains(rows[m.name], "`"+m.takes+"`") {
			t.Errorf("the row of %s does not tell of %s", m.name, m.takes)
		}
		for _, o := range m.ops {
			if !strings.Contains(rows[m.name], "`"+o.name+"`") {
				t.Errorf("the row of %s does not tell of %s", m.name, o.name)
			}
			for _, f := range append(append(o.needs, o.answers...), o.allows...) {
				if f != "token" && !strings.Contains(rows[m.name], "`"+f+"`") {
					t.Errorf("the row of %s does not tell of %s", m.name, f)
				}
			}
		}
	}
	for _, f := range fields {
		if rows[f.name] == "" {
			t.Errorf("the table of fields does not have %s", f.name)
		}
	}
}
