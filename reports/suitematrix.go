package reports

import (
	"fmt"
	"slices"
	"strings"

	"fencepost/checker"
	"fencepost/reports/plots"
)

// letters stand for violated properties in the cells of a suite's matrix.
var letters = []struct{ property, letter, meaning string }{
	{checker.Grants, "G", "grants: the service broke a promise"},
	{checker.Exclusion, "E", "exclusion: two holders believed at once"},
	{checker.ResourceName, "R", "resource: what the lock protects was harmed"},
	{checker.Progress, "P", "progress: the lock did not move on, or did not keep what it had granted"},
}

// SuiteMatrix draws what became of each scenario under each lock and guard, in the order of these.
func SuiteMatrix(s *Suite, locks, guards []string) Figure {
	f := Figure{Name: "matrix", Title: "What breaks which lock?",
		Shows: "Each scenario of the library under each lock and guard: which properties were violated, and whether that is what the scenario's source leads one to expect.",
		Read: "A calm cell is sound; letters name what was violated, on a warm ground, and on a hot one if the resource was harmed. A frame is a surprise: " +
			"the run was not as its scenario expects. A dot is not applicable, such as a clock fault of a lock without clocks.",
		Data: Data{Head: []string{"scenario", "lock", "guard", "runs", "as_expected", "surprises", "nothing_expected", "violated", "not_applicable"}}}
	m := &plots.Matrix{Title: f.Title, Subtitle: fmt.Sprintf("%d scenarios, %s", len(s.Scenarios), s.trialsACell()), Key: matrixKey(),
		Note: fmt.Sprintf("fencepost %s; scenarios of the library, each with its variants set in below it; seeds %s, %s", Version, s.Seeds, s.trialsACell())}
	columns := s.columns(locks, guards)
	for _, c := range columns {
		if n := len(m.Groups); n == 0 || m.Groups[n-1].Name != c[0] {
			m.Groups = append(m.Groups, plots.MatrixGroup{Name: c[0]})
		}
		g := &m.Groups[len(m.Groups)-1]
		g.Columns = append(g.Columns, c[1])
	}
	for i := range s.Scenarios {
		c := &s.Scenarios[i]
		row := plots.MatrixRow{Name: c.Name}
		if of, variant, is := strings.Cut(c.Name, "/"); is && i > 0 && strings.HasPrefix(s.Scenarios[i-1].Name+"/", of+"/") {
			row.Name, row.Variant = variant, true
		}
		for _, at := range columns {
			row.Cells = append(row.Cells, c.cell(at[0], at[1], &f.Data))
		}
		m.Rows = append(m.Rows, row)
	}
	if len(columns) == 0 {
		return f.nothing("nothing was run")
	}
	for i, page := range m.Pages() {
		if i == 0 {
			f.Picture = &page
		} else {
			f.More = append(f.More, &page)
		}
	}
	return f
}

// trialsACell is how many runs stand behind a cell.
func (s *Suite) trialsACell() string {
	var n spread
	for i := range s.Scenarios {
		for _, r := range s.Scenarios[i].Ran {
			n.add(int64(r.Expected + r.Surprises + r.Unjudged))
		}
	}
	return n.of("trial", "trials") + " a cell"
}

// columns are the locks and guards with which something was run, in their order.
func (s *Suite) columns(locks, guards []string) (list [][2]string) {
	ran := map[[2]string]bool{}
	for i := range s.Scenarios {
		for _, r := range s.Scenarios[i].Ran {
			ran[[2]string{r.Lock, r.Guard}] = true
		}
	}
	for _, lock := range locks {
		for _, guard := range guards {
			if column := [2]string{lock, guard}; ran[column] {
				list = append(list, column)
			}
		}
	}
	return list
}

// cell is what became of the scenario under a lock and guard.
func (c *SuiteCase) cell(lock, guard string, data *Data) plots.MatrixCell {
	i := slices.IndexFunc(c.Ran, func(r SuiteRuns) bool { return r.Lock == lock && r.Guard == guard })
	if i < 0 {
		why := ""
		for _, s := range c.NotApplicable {
			if s.Lock == lock && s.Guard == guard {
				why = s.Reason
			}
		}
		data.add(c.Name, lock, guard, 0, 0, 0, 0, "", why)
		return plots.MatrixCell{Text: "·"}
	}
	r := &c.Ran[i]
	data.add(c.Name, lock, guard, r.Expected+r.Surprises+r.Unjudged, r.Expected, r.Surprises, r.Unjudged, r.violations(), "")
	cell := plots.MatrixCell{Ground: plots.Calm, Alarm: r.Surprises > 0}
	for _, l := range letters {
		if r.Violated[l.property] == 0 {
			continue
		}
		cell.Text += l.letter
		cell.Ground = max(cell.Ground, plots.Warm)
		if l.property == checker.ResourceName {
			cell.Ground = plots.Hot
		}
	}
	return cell
}

// violations lists how many runs were violated by property.
func (r *SuiteRuns) violations() string {
	var parts []string
	for _, property := range checker.Properties {
		if n := r.Violated[property]; n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", property, n))
		}
	}
	return strings.Join(parts, "; ")
}

func matrixKey() []plots.MatrixKey {
	var words []string
	for _, l := range letters {
		words = append(words, l.letter+" "+l.meaning)
	}
	return []plots.MatrixKey{
		{Cell: plots.MatrixCell{Ground: plots.Calm}, Meaning: "every property held"},
		{Cell: plots.MatrixCell{Text: "E", Ground: plots.Warm}, Meaning: "violated: " + words[0] + "; " + words[1] + "; " + words[3]},
		{Cell: plots.MatrixCell{Text: "ER", Ground: plots.Hot}, Meaning: "harmed: " + words[2]},
		{Cell: plots.MatrixCell{Text: "E", Ground: plots.Warm, Alarm: true}, Meaning: "not as the scenario expects"},
		{Cell: plots.MatrixCell{Text: "·"}, Meaning: "not applicable"},
	}
}
