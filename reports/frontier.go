package reports

import (
	"cmp"
	"fmt"
	"strings"

	"fencepost/reports/plots"
	"fencepost/sim/rng"
)

// meanOf prints the mean of a distribution that is not constant.
func meanOf(text string) (string, bool) {
	d, err := rng.Parse(text)
	if err != nil {
		return "", false
	}
	_, constant := d.IsConstant()
	return plots.DurationText(d.Mean().Seconds()), !constant
}

// Frontier draws safety against availability over a parameter of both sweeps: how often a property
// is violated in the first, and how long the lock is gone after a crash of its holder in the second.
// Locks stand without a guard in the second, which has nothing to guard.
func Frontier(unsafe, gone *SweepTable, property, param string) (Figure, error) {
	f := Figure{Name: "frontier", Title: fmt.Sprintf("What does safety cost in availability, over the %s?", display(param)),
		Shows: fmt.Sprintf("Each curve goes through the values of %s, which stand above the plot: to the right how long others wait after the holder has crashed "+
			"(the median), upwards how often %s is violated.", display(param), property),
		Read: "Near the lower left corner is best. A longer TTL moves a lock to the right and down: fewer violations, bought with a longer wait for a dead holder. " +
			"A curve below another one is the better bargain at every wait. Bars are 95 % intervals; an arrow points down from an upper bound where nothing was violated, and no line leads there. " +
			"A bracket above the plot names the " + display(param) + " of the markers below it. Who is not drawn, and whose median is that of a part of the trials, stands below the picture and in the CSV.",
		Data: Data{Head: []string{"lock", "guard", param, "trials", "violations", "unknown", "rate", "low", "high", "closed_form",
			"recoveries", "recovered_p50_ns", "recovered_p99_ns", "recovered_max_ns", "crash_trials", "not_drawn"}}}
	column, err := unsafe.column(param)
	if err != nil {
		return f, err
	}
	p := &plots.Panels{Title: f.Title, Subtitle: fmt.Sprintf("scenarios %s (upwards) and %s (to the right)", unsafe.Scenario, gone.Scenario),
		XLabel: "time from the holder's crash to the next holder, median (s), logarithmic", YLabel: "trials violated (" + property + ")",
		LogX: true, Path: true, Wide: true, PointLabels: display(param), Scale: plots.LogShares,
		Note: unsafe.stamp() + fmt.Sprintf("\n%s, seeds %s, %s", gone.Scenario, gone.Seeds, gone.trialsAPoint())}
	waits := newRecoveries(gone, property, param)
	_, guards := unsafe.names()
	for _, guard := range guards {
		panel := unsafe.frontierPanel(&f.Data, waits, property, guard, column)
		if len(panel.Series) > 0 {
			p.Panels = append(p.Panels, panel)
		}
	}
	without := waits.notDrawn(unsafe, property, column)
	if len(p.Panels) == 0 {
		return f.nothing("no lock was recovered and judged" + strings.ReplaceAll(without, "\n", "; ")), nil
	}
	p.Note += without + waits.partial()
	f.Picture = p
	return f, nil
}

// frontierPanel is the plot of one guard, without curves if nothing can be drawn.
func (t *SweepTable) frontierPanel(data *Data, waits *recoveries, property, guard string, column int) plots.Panel {
	panel := plots.Panel{Name: guardTitle(guard)}
	var closed closedCurve
	for i := range t.Rows {
		r := &t.Rows[i]
		if r.Property != property || r.Guard != guard {
			continue
		}
		value := r.Values[column]
		w := waits.of(r.Lock, value)
		why := cmp.Or(r.NotApplicable, w.why)
		if r.NotApplicable != "" {
			data.add(r.Lock, r.Guard, value, 0, 0, 0, "", "", "", r.ClosedForm, w.Count, w.P50, w.P99, w.Max, w.trials, why)
			continue
		}
		rate, low, high := r.numbers()
		data.add(r.Lock, r.Guard, value, r.Rate.Trials, r.Rate.Violations, r.Rate.Unknown, rate, low, high, r.ClosedForm, w.Count, w.P50, w.P99, w.Max, w.trials, why)
		if why != "" {
			continue
		}
		at := point(float64(w.P50)/1e9, r)
		at.Label = lengthText(value)
		panel.Series = withPoint(panel.Series, r.Lock, at)
		if r.ClosedForm != nil && (len(closed.locks) == 0 || closed.locks[0] == r.Lock) {
			closed.add(at.X, r) // of one lock: each has waits of its own
		}
	}
	if len(panel.Series) > 0 {
		panel.Series = append(panel.Series, closed.series()...)
	}
	return panel
}
