package scenarios

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"fencepost/checker"
	"fencepost/models"
	"fencepost/models/modeltest"
	"fencepost/models/resource"
)

// matrixSeeds are how many runs a cell is made from.
const matrixSeeds = 10

// directed is a row of the matrix: one thing that goes wrong, and what was predicted for
// each system before it was run. U: two holds were believed in at once. X: the resource was
// harmed without a guard. F: fencing of reads and writes kept it whole. -: neither.
type directed struct {
	name, scenario string
	predicted      map[string]string
	// why explains each cell that came out otherwise.
	why map[string]string
}

// TestMatrix runs every cell, compares it with its prediction and with the page, and has
// every difference explained. UPDATE_GOLDEN=1 writes the page.
func TestMatrix(t *testing.T) {
	modeltest.ManyTrials(t)
	locks := registry(t).Locks()
	var page strings.Builder
	page.WriteString(matrixHead)
	page.WriteString("| what goes wrong |")
	for _, l := range locks {
		fmt.Fprintf(&page, " %s |", l.Describe().Name)
	}
	page.WriteString("\n| --- |" + strings.Repeat(" --- |", len(locks)) + "\n")
	var notes []string
	for i, row := range matrix {
		fmt.Fprintf(&page, "| %d. [%s](#%d) |", i+1, row.name, i+1)
		for _, l := range locks {
			lock := l.Describe().Name
			got := cell(t, row.scenario, l)
			want, ok := row.predicted[lock]
			why := row.why[lock]
			mark := ""
			switch {
			case !ok:
				t.Errorf("%s: nothing is predicted for %s, which came out as %q", row.name, lock, got)
			case (symbols(got) != want) != (why != ""):
				t.Errorf("%s, %s: %q, predicted %q, explained by %q", row.name, lock, got, want, why)
			case why != "":
				notes = append(notes, fmt.Sprintf("- *%s*, %s: predicted %s, is %s. %s\n", row.name, lock, want, got, why))
				mark = fmt.Sprintf(" [%d](#differences)", len(notes))
			}
			fmt.Fprintf(&page, " %s%s |", got, mark)
		}
		page.WriteString("\n")
	}
	page.WriteString(rowsOfMatrix(t))
	page.WriteString(differencesOfMatrix(notes))
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile("../docs/matrix.md", []byte(page.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	shown, err := os.ReadFile("../docs/matrix.md")
	if err != nil {
		t.Fatal(err)
	}
	if string(shown) != page.String() {
		t.Error("docs/matrix.md is not what the runs give now; UPDATE_GOLDEN=1 writes it anew")
	}
}

// cell runs a lock without a guard and with the strictest one.
func cell(t *testing.T, scenario string, l models.Lock) string {
	t.Helper()
	s, err := Load(scenario)
	if err != nil {
		t.Fatal(err)
	}
	in, err := s.Instantiate(registry(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	strictest, _ := resource.FindGuard("fence-reads-writes")
	plans, err := in.Plans([]models.Lock{l}, []resource.Guard{resource.Guards[0], strictest})
	if err != nil && strings.Contains(err.Error(), "no selected lock can have this fault") {
		return "n/a"
	}
	if err != nil {
		t.Fatal(err)
	}
	if plans[0].NotApplicable != "" {
		return "n/a"
	}
	bare := violations(t, plans[0])
	text := share("U", bare[checker.Exclusion]) + share("X", bare[checker.ResourceName])
	if bare[checker.ResourceName] > 0 && plans[1].NotApplicable == "" && violations(t, plans[1])[checker.ResourceName] == 0 {
		text += "F "
	}
	if text == "" {
		return "-"
	}
	return strings.TrimSpace(text)
}

// violations counts in how many runs each property was violated.
func violations(t *testing.T, p *Plan) map[string]int {
	t.Helper()
	p.SkipLinear = true
	trial := NewTrial(p)
	defer trial.Close()
	counts := map[string]int{}
	for seed := uint64(1); seed <= matrixSeeds; seed++ {
		r, err := trial.Run(seed)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range trial.Ledger() {
			if e.TookEffect == 0 {
				t.Errorf("%s, seed %d: the fault %q took no effect", p.Name(), seed, e.Label)
			}
		}
		for _, property := range checker.Properties {
			switch r.Verdict.Of(property) {
			case checker.Violated:
				counts[property]++
			case checker.Unknown:
				t.Errorf("%s, seed %d: %s is unknown", p.Name(), seed, property)
			}
		}
	}
	return counts
}

// share writes a symbol, with the number of runs if it was not in all of them.
func share(symbol string, n int) string {
	switch n {
	case 0:
		return ""
	case matrixSeeds:
		return symbol + " "
	}
	return fmt.Sprintf("%s (%d of %d) ", symbol, n, matrixSeeds)
}

// symbols leaves the numbers of runs out.
func symbols(cell string) string {
	var kept []string
	for _, word := range strings.Fields(cell) {
		if len(word) == 1 || word == "n/a" {
			kept = append(kept, word)
		}
	}
	return strings.Join(kept, " ")
}

const matrixHead = `# What breaks which lock

Eleven things that go wrong, and every lock system with a TTL of 10 s (120 s in row 6) and its
other defaults; three of them once more with something changed. Each cell was run with seeds 1 to
10.

- **U**: two clients believed to hold the lock at once.
- **X**: the resource was harmed when it had no guard.
- **F**: with fencing tokens compared on reads and writes it was not.
- **-**: neither. **n/a**: the lock cannot have this fault.

A number in parentheses says in how many of the ten runs, if not in all. The predictions are
those of the protocols' documents and sources; where a cell differs, a note says why.

`

// rowsOfMatrix says of each row what happens and how to run it.
func rowsOfMatrix(t *testing.T) string {
	t.Helper()
	var text strings.Builder
	text.WriteString("\n## The rows\n")
	for i, row := range matrix {
		s, err := Load(row.scenario)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&text, "\n### %d\n\n%s.\n%s\n\n    fencepost run %s --lock all --guard none,fence-reads-writes --seed 1-%d\n",
			i+1, upper(row.name), strings.TrimSpace(s.About), row.scenario, matrixSeeds)
	}
	return text.String()
}

func upper(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

func differencesOfMatrix(notes []string) string {
	if len(notes) == 0 {
		return ""
	}
	text := "\n## Differences\n\nCells that came out otherwise than predicted, in their order.\n\n"
	for i, n := range notes {
		text += fmt.Sprintf("%d. %s", i+1, strings.TrimPrefix(n, "- "))
	}
	return text
}
