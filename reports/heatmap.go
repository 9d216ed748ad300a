package reports

import (
	"fmt"
	"slices"

	"fencepost/reports/plots"
)

// RateHeat draws one property's violation rate over two parameters, a map for each lock, under one
// guard.
func RateHeat(t *SweepTable, property, x, y, guard string) (Figure, error) {
	f := Figure{Name: "heat", Title: fmt.Sprintf("How often %s, by %s and %s?", question[property], display(x), display(y)),
		Shows: fmt.Sprintf("The share of trials in which %s is violated over both parameters, for each lock with the guard %s.", property, guard),
		Read: "Darker is worse; the number is the rate in percent. Where no trial was violated the upper bound of the 95 % interval stands after <. " +
			"A crossed cell was not run or has no rate.",
		Data: Data{Head: []string{"lock", "guard", x, y, "trials", "violations", "unknown", "rate", "low", "high"}}}
	xColumn, err := t.column(x)
	if err != nil {
		return f, err
	}
	yColumn, err := t.column(y)
	if err != nil {
		return f, err
	}
	columns, rows := t.valuesOf(xColumn), t.valuesOf(yColumn)
	h := &plots.Heat{Title: f.Title, Subtitle: fmt.Sprintf("scenario %s, guard %s", t.Scenario, guard), XLabel: display(x), YLabel: display(y), Note: t.stamp() + t.notRun(property)}
	h.Columns, h.Rows = lengthTexts(columns), lengthTexts(rows)
	index := map[string]int{}
	for i := range t.Rows {
		r := &t.Rows[i]
		if r.Property != property || r.Guard != guard || r.NotApplicable != "" {
			continue
		}
		if _, known := index[r.Lock]; !known {
			index[r.Lock] = len(h.Maps)
			h.Maps = append(h.Maps, emptyMap(r.Lock, len(rows), len(columns)))
		}
		rate, ok := r.point()
		h.Maps[index[r.Lock]].Cells[slices.Index(rows, r.Values[yColumn])][slices.Index(columns, r.Values[xColumn])] =
			plots.HeatCell{Rate: rate, High: r.interval().High, Empty: !ok}
		text, low, high := r.numbers()
		f.Data.add(r.Lock, r.Guard, r.Values[xColumn], r.Values[yColumn], r.Rate.Trials, r.Rate.Violations, r.Rate.Unknown, text, low, high)
	}
	if len(h.Maps) == 0 {
		return f.nothing("nothing was run" + t.notRun(property)), nil
	}
	for _, v := range columns {
		if mean, ok := meanOf(v); ok {
			h.XLabel, h.Columns[slices.Index(columns, v)] = display(x)+" (mean)", mean
		}
	}
	f.Picture = h
	return f, nil
}

func emptyMap(name string, rows, columns int) plots.HeatMap {
	m := plots.HeatMap{Name: name}
	for range rows {
		row := make([]plots.HeatCell, columns)
		for i := range row {
			row[i].Empty = true
		}
		m.Cells = append(m.Cells, row)
	}
	return m
}

func lengthTexts(values []string) (texts []string) {
	for _, v := range values {
		texts = append(texts, lengthText(v))
	}
	return texts
}
