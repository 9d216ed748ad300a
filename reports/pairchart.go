package reports

import (
	"fmt"
	"slices"

	"fencepost/checker/stats"
	"fencepost/reports/plots"
	"fencepost/scenarios/sweeps"
)

// pairing is two locks on the same seeds in one cell.
type pairing struct {
	a, b   *SweepRow
	x      float64
	pairs  stats.Pairs
	onlyA  sweeps.Seeds
	onlyB  sweeps.Seeds
	p      float64
	adjust float64
}

// Significant is up to which adjusted p-value a difference is taken for more than chance.
const Significant = 0.05

// PairChart draws the difference of two locks' violation rates on the same seeds, against a parameter
// or the ratio of two: the first lock beside each other one, under one guard.
func PairChart(t *SweepTable, property, x, guard string) (Figure, error) {
	f := Figure{Name: "pairs", Title: "Which lock is violated more often on the same faults?",
		Shows: fmt.Sprintf("The share of trials in which %s of the first lock is violated minus that of the other one, on the same seeds and so under the same faults, with the guard %s.", property, guard),
		Read: fmt.Sprintf("Above zero the first lock is worse, below zero the other one. Bands are 95 %% score intervals of a paired difference. A filled marker is a difference that is more than chance: "+
			"McNemar's exact test, adjusted by Holm for all points of the figure, gives p ≤ %g. A trial that is unknown of one of the two belongs to no pair. The CSV has the seeds on which one of the two alone was violated, and how strongly the two "+
			"go together (correlation; empty where one of them was always or never violated, as there is none then).", Significant),
		Data: Data{Head: []string{"lock_a", "lock_b", "guard", "x", "trials", "both", "only_a", "only_b", "neither", "difference", "low", "high", "p", "p_holm", "concordance", "correlation", "seeds_only_a", "seeds_only_b"}}}
	axis, err := t.axis(x)
	if err != nil {
		return f, err
	}
	list, err := t.pairings(axis, property, guard)
	if err != nil {
		return f, err
	}
	if len(list) == 0 {
		return f.nothing("there are no two locks with the guard " + guard + " on the same seeds" + t.notRun(property)), nil
	}
	p := &plots.Panels{Title: f.Title, Subtitle: fmt.Sprintf("scenario %s, guard %s", t.Scenario, guard), XLabel: axis.label, YLabel: "difference (percentage points)", Scale: plots.Differences,
		Note: fmt.Sprintf("fencepost %s; scenario %s, seeds %s, %s a point; 95 %% intervals of paired differences (Tango); filled: p ≤ %g by McNemar's exact test, adjusted by Holm for %d tests",
			Version, t.Scenario, t.Seeds, pairsOf(list), Significant, len(list))}
	if axis.drawn(t) {
		p.Note += "; a drawn " + axis.aboveS + " stands at its mean"
	}
	for _, g := range list {
		name := g.a.Lock + " − " + g.b.Lock
		i := g.pairs.Interval(Confidence)
		d := g.pairs.Difference()
		f.Data.add(g.a.Lock, g.b.Lock, guard, g.x, g.pairs.Trials(), g.pairs.Both, g.pairs.OnlyA, g.pairs.OnlyB, g.pairs.Neither, d, i.Low, i.High, g.p, g.adjust,
			g.pairs.Concordance(), g.pairs.Correlation(), g.onlyA, g.onlyB)
		if len(p.Panels) == 0 || p.Panels[len(p.Panels)-1].Name != name {
			p.Panels = append(p.Panels, plots.Panel{Name: name, Series: []plots.Series{{Name: name}}})
		}
		s := &p.Panels[len(p.Panels)-1].Series[0]
		s.Points = append(s.Points, plots.Point{X: g.x, Rate: d, Low: min(i.Low, d), High: max(i.High, d), Hollow: g.adjust > Significant})
	}
	for i := range p.Panels {
		p.Panels[i].Series[0].Name = "difference"
		slices.SortStableFunc(p.Panels[i].Series[0].Points, byX)
	}
	p.LogX = geometric(p.Panels[0].Series)
	if p.LogX {
		p.XLabel += ", logarithmic"
	}
	f.Picture = p
	return f, nil
}

// pairsOf is how many pairs there are at each point.
func pairsOf(list []pairing) string {
	var n spread
	for i := range list {
		n.add(list[i].pairs.Trials())
	}
	return n.of("pair", "pairs")
}

// pairings are those of the first lock and each other one, cell by cell, with adjusted p-values.
func (t *SweepTable) pairings(axis *axis, property, guard string) ([]pairing, error) {
	locks, _ := t.names()
	rows := map[string][]*SweepRow{}
	for i := range t.Rows {
		if r := &t.Rows[i]; r.Property == property && r.Guard == guard && r.NotApplicable == "" && r.HasSeeds {
			rows[r.Lock] = append(rows[r.Lock], r)
		}
	}
	locks = slices.DeleteFunc(locks, func(lock string) bool { return len(rows[lock]) == 0 })
	var list []pairing
	var ps []float64
	for i := 1; i < len(locks); i++ {
		for _, a := range rows[locks[0]] {
			same := func(b *SweepRow) bool { return slices.Equal(a.Values, b.Values) }
			k := slices.IndexFunc(rows[locks[i]], same)
			if k < 0 {
				continue
			}
			at, err := axis.of(a)
			if err != nil {
				return nil, err
			}
			g := paired(a, rows[locks[i]][k])
			g.x = at
			list, ps = append(list, g), append(ps, g.p)
		}
	}
	for i, p := range stats.Holm(ps) {
		list[i].adjust = p
	}
	return list, nil
}

// paired counts how the trials of two rows came out together. A seed that is unknown of one of them
// belongs to no pair.
func paired(a, b *SweepRow) pairing {
	g := pairing{a: a, b: b}
	open := a.Open.Union(b.Open)
	inA, inB := a.Violated.Minus(open), b.Violated.Minus(open)
	g.onlyA, g.onlyB = inA.Minus(inB), inB.Minus(inA)
	onlyA, onlyB := int64(g.onlyA.Len()), int64(g.onlyB.Len())
	both := int64(inA.Len()) - onlyA
	g.pairs = stats.Pairs{Both: both, OnlyA: onlyA, OnlyB: onlyB, Neither: a.Rate.Trials - int64(open.Len()) - both - onlyA - onlyB}
	g.p = g.pairs.P()
	return g
}
