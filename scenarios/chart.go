package scenarios

import "fencepost/checker"

// Chart is a sweep of a scenario and the axes on which its rates are drawn.
type Chart struct {
	Scenario, Property, X string
	Axes                  []Axis
	Trials                int
	// Locks are those that are drawn where nobody asks for others; none is all.
	Locks []string
}

const defaultChartTrials = 100

func readChart(r *reader, c *chartPart) *Chart {
	if c == nil {
		return nil
	}
	if !c.Scenario.set() || len(c.Vary) == 0 {
		r.fail(c.Scenario, "a chart needs `scenario:` and `vary:`")
		return nil
	}
	chart := &Chart{Scenario: r.word(c.Scenario, "", libraryFiles()), X: c.X.raw(),
		Property: r.word(c.Property, checker.Exclusion, checker.Properties),
		Trials:   r.count(c.Trials, defaultChartTrials, 1)}
	for _, s := range c.Locks {
		chart.Locks = append(chart.Locks, r.text(s))
	}
	for _, s := range c.Vary {
		axis, err := ParseAxis(s.raw())
		if err != nil {
			r.fail(s, "%v", err)
		}
		chart.Axes = append(chart.Axes, axis)
	}
	return chart
}
