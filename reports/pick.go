package reports

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Pick is the part of a sweep that a chart draws. What is empty leaves nothing out.
type Pick struct {
	Locks, Guards []string
	Only          map[string][]string // values of parameters, as in the table or rounded as in a legend
}

// Pick returns the rows that are asked for. It fails if there are none of some lock, guard
// or value.
func (t *SweepTable) Pick(p Pick) (*SweepTable, error) {
	locks, guards := t.names()
	if err := known("lock", p.Locks, locks); err != nil {
		return nil, err
	}
	if err := known("guard", p.Guards, guards); err != nil {
		return nil, err
	}
	wanted := map[int][]string{}
	for _, name := range slices.Sorted(maps.Keys(p.Only)) {
		column, err := t.column(name)
		if err != nil {
			return nil, err
		}
		if wanted[column], err = t.matching(column, p.Only[name]); err != nil {
			return nil, err
		}
	}
	picked := *t
	picked.Rows = nil
	for i := range t.Rows {
		r := &t.Rows[i]
		if len(p.Locks) > 0 && !slices.Contains(p.Locks, r.Lock) || len(p.Guards) > 0 && !slices.Contains(p.Guards, r.Guard) {
			continue
		}
		fits := true
		for column, values := range wanted {
			fits = fits && slices.Contains(values, r.Values[column])
		}
		if fits {
			picked.Rows = append(picked.Rows, *r)
		}
	}
	return &picked, nil
}

// names are the locks and guards of a table, in order of first appearance.
func (t *SweepTable) names() (locks, guards []string) {
	for i := range t.Rows {
		if r := &t.Rows[i]; !slices.Contains(locks, r.Lock) {
			locks = append(locks, r.Lock)
		}
		if r := &t.Rows[i]; !slices.Contains(guards, r.Guard) {
			guards = append(guards, r.Guard)
		}
	}
	return locks, guards
}

func known(what string, names, accepted []string) error {
	for _, name := range names {
		if !slices.Contains(accepted, name) {
			return fmt.Errorf("the sweep has no %s %q; accepted: %s", what, name, strings.Join(accepted, ", "))
		}
	}
	return nil
}

// matching are the values of a parameter that are asked for, as the table writes them.
func (t *SweepTable) matching(column int, asked []string) (values []string, err error) {
	all, shown := t.valuesOf(column), t.shownAs(column)
	for _, a := range asked {
		i := slices.IndexFunc(all, func(v string) bool { return a == v || a == shown[v] || sameLength(a, v) })
		if i < 0 {
			return nil, fmt.Errorf("the sweep has no %s of %q; accepted: %s", t.Params[column], a, strings.Join(all, ", "))
		}
		values = append(values, all[i])
	}
	return values, nil
}

func sameLength(a, b string) bool {
	x, errX := time.ParseDuration(a)
	y, errY := time.ParseDuration(b)
	return errX == nil && errY == nil && x == y
}

// Varying says which parameters have several values, and which.
func (t *SweepTable) Varying() string {
	var parts []string
	for i, name := range t.Params {
		if t.varies(i) {
			parts = append(parts, name+"="+strings.Join(t.valuesOf(i), ","))
		}
	}
	return strings.Join(parts, "; ")
}
