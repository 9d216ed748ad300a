package reports

import (
	"strings"
	"time"

	"fencepost/checker"
	"fencepost/reports/plots"
	"fencepost/sim/rng"
)

// Bound is the longest overlap that is worked out for a lock with a value of a parameter, and false
// if there is none.
type Bound func(lock, value string, params map[string]string) (time.Duration, bool)

// BoundChart draws for how long beliefs overlapped at most, against a parameter, beside what the
// bound of each lock allows: of locks that have one alone. Of the others whyNot says why they have none.
// Scale is by what values on the axis are multiplied.
func BoundChart(t *SweepTable, f Figure, x, label string, scale float64, bound Bound, whyNot func(lock string) string) (Figure, error) {
	f.Data = Data{Head: []string{"lock", "guard", x, "trials", "overlap_p50_ns", "overlap_max_ns", "bound_ns"}}
	p := &plots.Panels{Title: f.Title, Subtitle: "scenario " + t.Scenario, XLabel: label, YLabel: "longest overlap", Scale: plots.Seconds, Note: t.stampCost()}
	index, seen := map[string]int{}, map[string]bool{}
	var unbounded lockSet
	for _, c := range t.Cells {
		longest, ok := bound(c.Lock, c.Params[x], c.Params)
		if !ok {
			unbounded = unbounded.with(c.Lock)
		}
		if key := c.Lock + " " + c.Params[x]; !ok || seen[key] {
			continue // a guard makes no difference to what clients believe
		} else {
			seen[key] = true
		}
		at, err := seconds(x, c.Params[x])
		if err != nil {
			return f, err
		}
		o := c.Overlapped
		f.Data.add(c.Lock, c.Guard, c.Params[x], o.Count, o.P50, o.Max, int64(longest))
		i, known := index[c.Lock]
		if !known {
			i = len(p.Panels)
			index[c.Lock] = i
			p.Panels = append(p.Panels, plots.Panel{Name: c.Lock, Series: []plots.Series{{Name: "simulated"}, {Name: "bound", Formula: true}}})
		}
		measured, worked := float64(o.Max)/1e9, longest.Seconds()
		s := p.Panels[i].Series
		s[0].Points = append(s[0].Points, plots.Point{X: at * scale, Rate: measured, Low: measured, High: measured})
		s[1].Points = append(s[1].Points, plots.Point{X: at * scale, Rate: worked, Low: worked, High: worked})
	}
	without := withoutBound(unbounded, whyNot) + t.notRun(checker.Exclusion)
	if len(p.Panels) == 0 {
		return f.nothing("of the locks that were chosen none has such a bound" + without), nil
	}
	p.Note += without
	f.Picture = p
	return f, nil
}

// withoutBound says which locks are left out, and why.
func withoutBound(locks lockSet, whyNot func(lock string) string) string {
	var parts []string
	for _, lock := range locks {
		parts = append(parts, lock+" ("+whyNot(lock)+")")
	}
	if len(parts) == 0 {
		return ""
	}
	return "; without a bound, and not drawn: " + strings.Join(parts, ", ")
}

// durationOf reads a parameter that is a constant duration.
func durationOf(text string) (time.Duration, bool) {
	d, err := rng.Parse(text)
	if err != nil {
		return 0, false
	}
	return d.IsConstant()
}
