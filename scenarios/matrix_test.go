package scenarios

import (
	"fmt"
	"os"
	"regexp"
	"slices"
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
// harmed without a guard. F: fencing of reads and writes kept it whole. -: neither. What
// stands in parentheses is a condition or a remark, and is not compared.
type directed struct {
	name, scenario string
	predicted      map[string]string
	// why explains each cell that came out otherwise.
	why []explained
}

// explained is why the cells of some locks, named with spaces between, came out otherwise.
type explained struct{ locks, why string }

// explanation is the row's for a lock, empty if it has none.
func (d *directed) explanation(lock string) string {
	for _, e := range d.why {
		if slices.Contains(strings.Fields(e.locks), lock) {
			return e.why
		}
	}
	return ""
}

// remark is what a prediction says beyond its symbols.
var remark = regexp.MustCompile(` \(.*\)$`)

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
	var notes []note
	for i, row := range matrix {
		fmt.Fprintf(&page, "| %d. [%s](#%d) |", i+1, row.name, i+1)
		for _, cell := range row.run(t, i+1, locks, &notes) {
			fmt.Fprintf(&page, " %s |", cell)
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

// note explains cells of a row that came out otherwise than predicted.
type note struct {
	row   int
	locks []string
	text  string
}

// noteOn adds a lock to the note with a text in a row, a new one if there is none, and returns
// the number of the note.
func noteOn(notes *[]note, row int, lock, text string) int {
	i := slices.IndexFunc(*notes, func(n note) bool { return n.row == row && n.text == text })
	if i < 0 {
		i = len(*notes)
		*notes = append(*notes, note{row: row, text: text})
	}
	(*notes)[i].locks = append((*notes)[i].locks, lock)
	return i + 1
}

// run runs the cells of a row and returns them, each with the number of the note that explains
// it if it differs from its prediction. It adds these notes.
func (d *directed) run(t *testing.T, row int, locks []models.Lock, notes *[]note) (cells []string) {
	t.Helper()
	for _, l := range locks {
		lock := l.Describe().Name
		got, why := cell(t, d.scenario, l), d.explanation(lock)
		want, ok := d.predicted[lock]
		switch differs := symbols(got) != remark.ReplaceAllString(want, ""); {
		case !ok:
			t.Errorf("%s: nothing is predicted for %s, which came out as %q", d.name, lock, got)
		case differs != (why != ""):
			t.Errorf("%s, %s: %q, predicted %q, explained by %q", d.name, lock, got, want, why)
		case differs:
			n := noteOn(notes, row, lock, fmt.Sprintf("predicted %s, is %s. %s", want, got, why))
			got += fmt.Sprintf(" [%d](#differences)", n)
		}
		cells = append(cells, got)
	}
	return cells
}

// cell runs a lock without a guard and with the strictest one.
func cell(t *testing.T, scenario string, l models.Lock) string {
	t.Helper()
	in := instanceOf(t, scenario)
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

// instanceOf is a scenario of the library with its defaults.
func instanceOf(t *testing.T, scenario string) *Instance {
	t.Helper()
	s, err := Load(scenario)
	if err != nil {
		t.Fatal(err)
	}
	in, err := s.Instantiate(registry(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	return in
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

Eleven things that go wrong, and then some of them once more with something changed. The lock
systems have their defaults, but for what stands with each [row](#the-rows). Each cell was run with
seeds 1 to 10.

- **U**: two clients believed to hold the lock at once.
- **X**: the resource was harmed when it had no guard.
- **F**: with fencing tokens compared on reads and writes it was not.
- **-**: neither. **n/a**: the lock cannot have this fault.

A number in parentheses says in how many of the ten runs, if not in all. The predictions
of the first eleven rows were made from the protocols' documents and sources before anything ran,
those of the others before these ran. Where a cell differs, a note has what was predicted and why
it is otherwise.

`

// rowsOfMatrix says of each row what happens, what is set, and how to run it.
func rowsOfMatrix(t *testing.T) string {
	t.Helper()
	var text strings.Builder
	text.WriteString("\n## The rows\n")
	for i, row := range matrix {
		in := instanceOf(t, row.scenario)
		fmt.Fprintf(&text, "\n### %d\n\n%s.\n%s\n\n%s\n\n    fencepost run %s --lock all --guard none,fence-reads-writes --seed 1-%d\n",
			i+1, upper(row.name), strings.TrimSpace(in.Scenario.About), settings(t, in), row.scenario, matrixSeeds)
	}
	return text.String()
}

// settings are the parameters of lock systems that a scenario sets, with the values that the
// plans have: those of all locks that have the parameter, then those of one.
func settings(t *testing.T, in *Instance) string {
	t.Helper()
	plans, err := in.Plans(in.registry.Locks(), resource.Guards[:1])
	if err != nil {
		t.Fatal(err)
	}
	common, own := map[string]bool{}, []string{}
	for _, p := range plans {
		if p.NotApplicable != "" {
			continue
		}
		var alone []string
		for _, param := range p.Describe.Params {
			value := fmt.Sprintf("`%s: %s`", param.Name, param.Format(p.Params[param.Name]))
			switch {
			case in.Scenario.file.For[p.Describe.Name].Lock[param.Name].set():
				alone = append(alone, value)
			case in.Scenario.file.Lock[param.Name].set():
				common[value] = true
			}
		}
		if len(alone) > 0 {
			own = append(own, "for "+p.Describe.Name+" "+strings.Join(alone, ", "))
		}
	}
	return "Set: " + strings.Join(append(sortedKeys(common), own...), "; ") + "."
}

func upper(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

func differencesOfMatrix(notes []note) string {
	if len(notes) == 0 {
		return ""
	}
	var text strings.Builder
	text.WriteString("\n## Differences\n\nCells that came out otherwise than predicted, in their order.\n\n")
	for i, n := range notes {
		fmt.Fprintf(&text, "%d. [Row %d](#%d), %s: %s\n", i+1, n.row, n.row, strings.Join(n.locks, ", "), n.text)
	}
	return text.String()
}
