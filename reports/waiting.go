package reports

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"fencepost/reports/plots"
)

// Waiting draws how long acquisitions take against a parameter such as the number of clients: a
// plot for each lock, and a second one for those to which another parameter, such as the jitter of
// their backoff, makes a difference.
func Waiting(t *SweepTable, x, jitter string) (Figure, error) {
	f := Figure{Name: "waiting", Title: "How long does an acquisition take, against the number of contenders?",
		Shows: "Quantiles of the time from asking for the lock to having it, from the median to one in ten thousand. A lock whose clients ask again and again " +
			"has a plot without and one with jitter in their backoff; who stands in a queue has no backoff.",
		Read: "The lines of a plot fan out with the unlucky: where p50 stays low and p99.99 is high, most are served at once and some are passed over again and again. " +
			"A quantile for which there are too few acquisitions is the largest that was seen. Both axes are logarithmic.",
		Data: Data{Head: []string{"lock", "guard", x, jitter, "acquisitions", "p50_ns", "p90_ns", "p99_ns", "p99_9_ns", "p99_99_ns", "max_ns"}}}
	p := &plots.Panels{Title: f.Title, Subtitle: "scenario " + t.Scenario, XLabel: "number of " + x, YLabel: "time to acquire", LogX: true, Exact: true, Scale: plots.LogSeconds,
		Note: t.stampCost() + "\nA quantile for which there are too few acquisitions is the largest wait that was seen."}
	var instant lockSet
	for _, c := range t.Cells {
		at, err := seconds(x, c.Params[x])
		if err != nil {
			return f, err
		}
		name := c.Lock
		switch differs := t.differs(c.Lock, x); {
		case differs && c.Params[jitter] == "0s":
			name += ", no jitter"
		case differs:
			name += ", jitter " + lengthText(c.Params[jitter])
		case c.Params[jitter] != "0s":
			continue // the same once more
		}
		w := c.Waited
		f.Data.add(c.Lock, c.Guard, c.Params[x], c.Params[jitter], w.Count, w.P50, w.P90, w.P99, w.P999, w.P9999, w.Max)
		if w.Count == 0 {
			continue
		}
		i := slices.IndexFunc(p.Panels, func(p plots.Panel) bool { return p.Name == name })
		if i < 0 {
			i = len(p.Panels)
			p.Panels = append(p.Panels, plots.Panel{Name: name})
		}
		for _, q := range []struct {
			name string
			ns   int64
		}{{"p99.99", w.P9999}, {"p99.9", w.P999}, {"p99", w.P99}, {"p90", w.P90}, {"p50", w.P50}} {
			if q.ns < int64(shortestWait) {
				instant = instant.with(c.Lock)
				continue
			}
			v := float64(q.ns) / 1e9
			p.Panels[i].Series = withPoint(p.Panels[i].Series, q.name, plots.Point{X: at, Rate: v, Low: v, High: v})
		}
	}
	p.Panels = slices.DeleteFunc(p.Panels, func(p plots.Panel) bool { return len(p.Series) == 0 })
	if len(p.Panels) == 0 {
		return f.nothing("nobody acquired the lock, or all at once"), nil
	}
	if len(instant) > 0 {
		p.Note += fmt.Sprintf("\nNot drawn: waits of less than %s (of %s), which a logarithmic axis has no place for.", plots.DurationText(shortestWait.Seconds()), strings.Join(instant, ", "))
	}
	slices.SortStableFunc(p.Panels, func(a, b plots.Panel) int { return t.place(a.Name) - t.place(b.Name) })
	column, err := t.column(x)
	if err != nil {
		return f, err
	}
	for _, v := range t.valuesOf(column) {
		if at, err := seconds(x, v); err == nil {
			p.XTicks = append(p.XTicks, at)
		}
	}
	f.Picture = p
	return f, nil
}

// shortestWait is drawn: a mutex that is free takes no time at all, and an axis that began there
// would leave little room for the rest.
const shortestWait = 10 * time.Microsecond

// lockSet has the names of some locks, each once.
type lockSet []string

func (s lockSet) with(lock string) lockSet {
	if slices.Contains(s, lock) {
		return s
	}
	return append(s, lock)
}

// place is where a panel stands: those of locks that have two come first, beside each other.
func (t *SweepTable) place(name string) int {
	locks, _ := t.names()
	lock, _, two := strings.Cut(name, ",")
	if two {
		return slices.Index(locks, lock)
	}
	return len(locks) + slices.Index(locks, lock)
}

// differs reports whether the waits of a lock depend on more than one parameter.
func (t *SweepTable) differs(lock, x string) bool {
	first := map[string]Quantiles{}
	for _, c := range t.Cells {
		if c.Lock != lock {
			continue
		}
		if w, known := first[c.Params[x]]; known && w != c.Waited {
			return true
		}
		first[c.Params[x]] = c.Waited
	}
	return false
}
