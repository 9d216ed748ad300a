package reports

import (
	"fmt"
	"slices"

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
		Shows: fmt.Sprintf("Each curve goes through the values of %s, which stand beside its points: to the right how long others wait after the holder has crashed "+
			"(the median), upwards how often %s is violated.", param, property),
		Read: "Near the lower left corner is best. A longer TTL moves a lock to the right and down: fewer violations, bought with a longer wait for a dead holder. " +
			"A curve below another one is the better bargain at every wait. Bars are 95 % intervals; an arrow points down from an upper bound where nothing was violated.",
		Data: Data{Head: []string{"lock", "guard", param, "trials", "violations", "unknown", "rate", "low", "high", "closed_form", "recoveries", "recovered_p50_ns", "recovered_p99_ns", "recovered_max_ns"}}}
	column, err := unsafe.column(param)
	if err != nil {
		return f, err
	}
	p := &plots.Panels{Title: f.Title, Subtitle: fmt.Sprintf("scenarios %s (upwards) and %s (to the right)", unsafe.Scenario, gone.Scenario),
		XLabel: "time from the holder's crash to the next holder, median (s), logarithmic", YLabel: "trials violated (" + property + ")", LogX: true, Path: true, Wide: true, Scale: plots.LogShares,
		Note: unsafe.stamp() + fmt.Sprintf("\n%s, seeds %s", gone.Scenario, gone.Seeds)}
	_, guards := unsafe.names()
	for _, guard := range guards {
		panel := plots.Panel{Name: guardTitle(guard)}
		var closed closedCurve
		for i := range unsafe.Rows {
			r := &unsafe.Rows[i]
			if r.Property != property || r.Guard != guard || r.NotApplicable != "" {
				continue
			}
			recovered := gone.recovered(r.Lock, param, r.Values[column])
			rate, low, high := r.numbers()
			f.Data.add(r.Lock, r.Guard, r.Values[column], r.Rate.Trials, r.Rate.Violations, r.Rate.Unknown, rate, low, high, r.ClosedForm,
				recovered.Count, recovered.P50, recovered.P99, recovered.Max)
			if recovered.Count == 0 {
				continue // nobody crashed while it held, or nobody came after
			}
			at := point(float64(recovered.P50)/1e9, r)
			at.Label = shortened(r.Values[column])
			panel.Series = withPoint(panel.Series, r.Lock, at)
			if r.ClosedForm != nil && (len(closed.locks) == 0 || closed.locks[0] == r.Lock) {
				closed.add(at.X, r)
			}
		}
		if len(panel.Series) == 0 {
			continue
		}
		for _, s := range closed.series() {
			s.Name = "closed form (" + closed.locks[0] + ")"
			panel.Series = append(panel.Series, s)
		}
		p.Panels = append(p.Panels, panel)
	}
	if len(p.Panels) == 0 {
		return f.nothing("no lock was recovered and judged" + unsafe.notRun(property)), nil
	}
	p.Note += unsafe.notRun(property)
	f.Picture = p
	return f, nil
}

// recovered is how long it took a lock to be had again, with a value of a parameter. The guard makes
// no difference to it.
func (t *SweepTable) recovered(lock, param, value string) Quantiles {
	i := slices.IndexFunc(t.Cells, func(c SweepCell) bool { return c.Lock == lock && c.Params[param] == value })
	if i < 0 {
		return Quantiles{}
	}
	return t.Cells[i].Recovered
}
