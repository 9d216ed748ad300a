package reports

import (
	"slices"

	"fencepost/reports/plots"
)

// RatePanels draws one property's violation rate against a parameter, or the ratio of two, on a
// logarithmic axis: a plot for each guard, a curve for each lock.
func RatePanels(t *SweepTable, property, x string) (Figure, error) {
	f := Figure{Name: "rates", Title: "How often " + question[property] + "?",
		Shows: "The share of trials in which the property " + property + " is violated, for each lock and guard.",
		Read: "Lower is safer. The axis is logarithmic, so that one in ten and one in a thousand can both be read. Where no trial was " +
			"violated there is no rate: an arrow points down from the upper bound of the 95 % interval. More trials move it down."}
	axis, err := t.axis(x)
	if err != nil {
		return f, err
	}
	f.Data.Head = []string{"lock", "guard", axis.aboveS, axis.label, "trials", "violations", "unknown", "rate", "low", "high", "closed_form"}
	p := &plots.Panels{Title: f.Title, Subtitle: "scenario " + t.Scenario, XLabel: axis.label, YLabel: "trials violated (" + property + ")",
		Scale: plots.LogShares, Note: t.stamp()}
	_, guards := t.names()
	for _, guard := range guards {
		panel, err := t.ratePanel(&f.Data, axis, property, guard)
		if err != nil {
			return f, err
		}
		if len(panel.Series) > 0 {
			p.Panels = append(p.Panels, panel)
		}
	}
	if len(p.Panels) == 0 {
		return f.nothing("nothing was run" + t.notRun(property)), nil
	}
	p.LogX = geometric(p.Panels[0].Series)
	if p.LogX {
		p.XLabel += ", logarithmic"
	}
	if axis.drawn(t) {
		p.Note += "; a drawn " + axis.aboveS + " stands at its mean"
	}
	p.Note += t.notRun(property)
	f.Picture = p
	return f, nil
}

// ratePanel is the plot of one guard, without curves if nothing was run with it.
func (t *SweepTable) ratePanel(data *Data, axis *axis, property, guard string) (plots.Panel, error) {
	panel, closed := plots.Panel{Name: guardTitle(guard)}, closedCurve{}
	for i := range t.Rows {
		r := &t.Rows[i]
		if r.Property != property || r.Guard != guard || r.NotApplicable != "" {
			continue
		}
		at, err := axis.of(r)
		if err != nil {
			return panel, err
		}
		p := point(at, r)
		panel.Series = withPoint(panel.Series, r.Lock, p)
		if r.ClosedForm != nil {
			closed.add(at, r)
		}
		rate, low, high := r.numbers()
		data.add(r.Lock, r.Guard, r.Values[axis.above], at, r.Rate.Trials, r.Rate.Violations, r.Rate.Unknown, rate, low, high, r.ClosedForm)
	}
	for _, s := range panel.Series {
		slices.SortStableFunc(s.Points, byX)
	}
	if axis.ratio && len(panel.Series) > 0 {
		panel.VLines = []plots.VLine{{X: 1, Label: axis.one}}
	}
	panel.Series = append(panel.Series, closed.series()...)
	return panel, nil
}

func guardTitle(guard string) string {
	if guard == "none" {
		return "no guard"
	}
	return guard
}

// withPoint adds a point to the series of a name.
func withPoint(series []plots.Series, name string, p plots.Point) []plots.Series {
	i := slices.IndexFunc(series, func(s plots.Series) bool { return s.Name == name })
	if i < 0 {
		i = len(series)
		series = append(series, plots.Series{Name: name})
	}
	series[i].Points = append(series[i].Points, p)
	return series
}
