package reports

import (
	"fmt"

	"fencepost/checker"
)

// runGroup is all runs of one scenario, lock and guard.
type runGroup struct {
	runs []*Run
}

// group gathers runs by scenario, lock and guard, in order of first appearance.
func group(runs []Run) []*runGroup {
	var groups []*runGroup
	index := map[[3]string]*runGroup{}
	for i := range runs {
		r := &runs[i]
		key := [3]string{r.Scenario, r.Lock, r.Guard}
		g, ok := index[key]
		if !ok {
			g = &runGroup{}
			index[key] = g
			groups = append(groups, g)
		}
		g.runs = append(g.runs, r)
	}
	return groups
}

// countsOf writes one row a group: how many runs came out ok, or violated.
func countsOf(groups []*runGroup, shown []string) [][]string {
	var rows [][]string
	for _, g := range groups {
		first := g.runs[0]
		row := []string{first.Lock, first.Guard}
		if first.NotApplicable != "" {
			rows = append(rows, append(row, "n/a: "+first.NotApplicable))
			continue
		}
		for _, property := range shown {
			row = append(row, g.cell(property))
		}
		rows = append(rows, append(row, g.expectation()))
	}
	return rows
}

func (g *runGroup) cell(property string) string {
	counts := map[checker.Status]int{}
	for _, r := range g.runs {
		counts[r.Of(property)]++
	}
	for status, n := range counts {
		if n == len(g.runs) {
			return fmt.Sprintf("%s %d/%d", status, n, n)
		}
	}
	text := fmt.Sprintf("violated %d/%d", counts[checker.Violated], len(g.runs))
	if n := counts[checker.Unknown]; n > 0 {
		text += fmt.Sprintf(", unknown %d", n)
	}
	return text
}

func (g *runGroup) expectation() string {
	bad := 0
	for _, r := range g.runs {
		if !r.AsExpected {
			bad++
		}
	}
	if bad > 0 {
		return fmt.Sprintf("NO: %d/%d", bad, len(g.runs))
	}
	return expectation(g.runs[0])
}

// firsts tells, for each group, the story of its first run that was not as expected.
func (p *printer) firsts(groups []*runGroup) {
	for _, g := range groups {
		for _, r := range g.runs {
			if !r.AsExpected {
				p.story(r)
				break
			}
		}
	}
}
