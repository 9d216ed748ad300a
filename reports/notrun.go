package reports

import (
	"fmt"
	"slices"
	"strings"
)

// notRun says which locks and guards a chart does not show and why, and with which values if
// it shows them with others.
func (t *SweepTable) notRun(property string) string {
	lines := t.leftOut(property)
	if len(lines) == 0 {
		return ""
	}
	return "; not applicable: " + strings.Join(lines, "; ")
}

// leftOut has a line for locks and guards that were not run for the same reason.
func (t *SweepTable) leftOut(property string) []string {
	var pairs [][2]string
	skipped, ran := map[[2]string][]*SweepRow{}, map[[2]string][]*SweepRow{}
	for i := range t.Rows {
		r := &t.Rows[i]
		pair := [2]string{r.Lock, r.Guard}
		switch {
		case r.Property != property:
		case r.NotApplicable == "":
			ran[pair] = append(ran[pair], r)
		default:
			if len(skipped[pair]) == 0 {
				pairs = append(pairs, pair)
			}
			skipped[pair] = append(skipped[pair], r)
		}
	}
	_, guards := t.names()
	g := grouped{guards: guards}
	for _, pair := range pairs {
		g.add(pair[0], pair[1], t.where(skipped[pair], ran[pair])+" ("+reasons(skipped[pair])+")")
	}
	return g.lines()
}

// reasons are those of the rows, each once.
func reasons(rows []*SweepRow) string {
	var all []string
	for _, r := range rows {
		if !slices.Contains(all, r.NotApplicable) {
			all = append(all, r.NotApplicable)
		}
	}
	return strings.Join(all, "; ")
}

// where says what rows have in common that others do not have: the values of one parameter
// as a rule, else how many they are.
func (t *SweepTable) where(rows, others []*SweepRow) string {
	if len(others) == 0 {
		return ""
	}
	for column := range t.Params {
		var values []string
		for _, r := range rows {
			if !slices.Contains(values, r.Values[column]) {
				values = append(values, r.Values[column])
			}
		}
		if slices.ContainsFunc(others, func(r *SweepRow) bool { return slices.Contains(values, r.Values[column]) }) {
			continue
		}
		n := newNamer(t, []int{column})
		return " with " + n.span(0, values)
	}
	return fmt.Sprintf(" in %d of %d cells", len(rows), len(rows)+len(others))
}
