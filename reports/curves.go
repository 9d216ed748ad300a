package reports

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"fencepost/reports/plots"
)

// member is a lock and a guard with the values of the parameters that vary beside a chart's
// axis.
type member struct {
	lock, guard string
	values      []string
}

func (m member) key() string {
	return strings.Join(append([]string{m.lock, m.guard}, m.values...), "\x00")
}

// rateCurve is a curve of a chart, and whose it is: what has the very same rates shares one.
type rateCurve struct {
	members []member
	points  []plots.Point
}

// curveSet has the curves of a chart, in order of first appearance.
type curveSet struct {
	list  []*rateCurve
	index map[string]*rateCurve
}

// of returns the curve of a row.
func (s *curveSet) of(t *SweepTable, a *axis, r *SweepRow) *rateCurve {
	m := member{lock: r.Lock, guard: r.Guard}
	for _, column := range a.others(t) {
		m.values = append(m.values, r.Values[column])
	}
	if s.index == nil {
		s.index = map[string]*rateCurve{}
	}
	c := s.index[m.key()]
	if c == nil {
		c = &rateCurve{members: []member{m}}
		s.index[m.key()] = c
		s.list = append(s.list, c)
	}
	return c
}

// series merges the curves that coincide and names them.
func (s *curveSet) series(t *SweepTable, a *axis) (series []plots.Series) {
	var merged []*rateCurve
	for _, c := range s.list {
		slices.SortStableFunc(c.points, byX)
		same := func(k *rateCurve) bool { return slices.Equal(k.points, c.points) }
		if i := slices.IndexFunc(merged, same); i >= 0 {
			merged[i].members = append(merged[i].members, c.members...)
			continue
		}
		merged = append(merged, c)
	}
	n := newNamer(t, a.others(t))
	for _, c := range merged {
		series = append(series, plots.Series{Name: n.name(c.members), Points: c.points})
	}
	return series
}

func byX(a, b plots.Point) int { return cmp.Compare(a.X, b.X) }

// namer names what shares a curve: as few lines as say it.
type namer struct {
	guards []string   // of the whole table
	params []string   // that vary beside the axis
	values [][]string // all values of each, in the order of the table
	shown  []map[string]string
}

func newNamer(t *SweepTable, columns []int) *namer {
	n := &namer{}
	_, n.guards = t.names()
	for _, column := range columns {
		n.params = append(n.params, display(t.Params[column]))
		n.values = append(n.values, t.valuesOf(column))
		n.shown = append(n.shown, t.shownAs(column))
	}
	return n
}

// valuesOf are the different values of a parameter, in order of first appearance.
func (t *SweepTable) valuesOf(column int) (values []string) {
	for i := range t.Rows {
		if v := t.Rows[i].Values[column]; !slices.Contains(values, v) {
			values = append(values, v)
		}
	}
	return values
}

// shownAs shortens the values of a parameter for labels, unless two of them would look the
// same.
func (t *SweepTable) shownAs(column int) map[string]string {
	values := t.valuesOf(column)
	short, seen := map[string]string{}, map[string]bool{}
	for _, v := range values {
		short[v] = shortened(v)
		if seen[short[v]] {
			for _, v := range values {
				short[v] = v
			}
			break
		}
		seen[short[v]] = true
	}
	return short
}

// name has a line for each set of locks and guards that share the curve with the same
// values.
func (n *namer) name(members []member) string {
	g := grouped{guards: n.guards}
	if len(n.params) == 0 {
		for _, m := range members {
			g.add(m.lock, m.guard, "")
		}
		return strings.Join(g.lines(), ";\n")
	}
	// The values of the last parameter are gathered, those of the others are not.
	last := len(n.params) - 1
	gathered := map[string][]string{}
	var order []member
	for _, m := range members {
		of := member{m.lock, m.guard, m.values[:last]}
		if gathered[of.key()] == nil {
			order = append(order, of)
		}
		gathered[of.key()] = append(gathered[of.key()], m.values[last])
	}
	for _, of := range order {
		text := ""
		for i, v := range of.values {
			text += fmt.Sprintf(", %s %s", n.params[i], n.shown[i][v])
		}
		g.add(of.lock, of.guard, text+", "+n.span(last, gathered[of.key()]))
	}
	return strings.Join(g.lines(), ";\n")
}

// span says which values of a parameter these are: "TTL 5s", "TTL 5s to 20s", "every TTL".
func (n *namer) span(param int, values []string) string {
	all := n.values[param]
	if len(values) == len(all) && len(all) > 2 {
		return "every " + n.params[param]
	}
	var parts []string
	for i := 0; i < len(all); i++ {
		if !slices.Contains(values, all[i]) {
			continue
		}
		end := i
		for end+1 < len(all) && slices.Contains(values, all[end+1]) {
			end++
		}
		switch first, last := n.shown[param][all[i]], n.shown[param][all[end]]; {
		case end > i+1:
			parts = append(parts, first+" to "+last)
		case end > i:
			parts = append(parts, first, last)
		default:
			parts = append(parts, first)
		}
		i = end
	}
	return n.params[param] + " " + strings.Join(parts, ", ")
}

// grouped gathers locks of which the same is said, and guards of the same locks.
type grouped struct {
	guards []string // there are
	rows   []groupedRow
}

type groupedRow struct {
	locks, guards []string
	text          string
}

func (g *grouped) add(lock, guard, text string) {
	for i := range g.rows {
		if r := &g.rows[i]; r.text == text && r.guards[0] == guard {
			r.locks = append(r.locks, lock)
			return
		}
	}
	g.rows = append(g.rows, groupedRow{[]string{lock}, []string{guard}, text})
}

func (g *grouped) lines() (lines []string) {
	var rows []groupedRow
	for _, r := range g.rows {
		same := func(o groupedRow) bool { return o.text == r.text && slices.Equal(o.locks, r.locks) }
		if i := slices.IndexFunc(rows, same); i >= 0 {
			rows[i].guards = append(rows[i].guards, r.guards...)
			continue
		}
		rows = append(rows, r)
	}
	for _, r := range rows {
		guards := strings.Join(r.guards, ", ")
		if len(r.guards) == len(g.guards) && len(r.guards) > 2 {
			guards = "every guard"
		}
		lines = append(lines, strings.Join(r.locks, ", ")+" / "+guards+r.text)
	}
	return lines
}
