package scenarios

import (
	"fencepost/checker"
	"fencepost/models"
	"fencepost/models/resource"
)

// Chart is a sweep of a scenario and the axes on which its rates are drawn.
type Chart struct {
	Scenario, Property, X string
	Axes                  []Axis
	Trials                int
	// Locks are those that are drawn where nobody asks for others; none is all.
	Locks []string
}

// chartPart is the sweep that a case's chart is made from.
type chartPart struct {
	Scenario *scalar   `yaml:"scenario"`
	Property *scalar   `yaml:"property"`
	X        *scalar   `yaml:"x"`
	Trials   *scalar   `yaml:"trials"`
	Locks    []*scalar `yaml:"locks"`
	Vary     []*scalar `yaml:"vary"`
	at       spot
}

func (chartPart) describe() mapping {
	return mapping{name: "chart", about: "A sweep and the axes on which its rates are drawn.", keys: []key{
		{name: "scenario", takes: value{name: "scenario of the library", form: form{words: libraryFiles()}}, needed: true, fixed: true, doc: "the scenario to sweep"},
		{name: "property", takes: words(checker.Properties...), def: checker.Exclusion, fixed: true, doc: "whose violations are drawn"},
		{name: "x", takes: text, def: "`fault.pause/ttl` if both exist, else the parameter that varies", fixed: true, doc: "horizontal axis: a parameter, or the ratio of two"},
		{name: "trials", takes: count(1), def: "100", fixed: true, doc: "trials in each cell, from seed 1"},
		{name: "locks", takes: lockName, def: "all", fixed: true, doc: "locks that are drawn, unless `--lock` asks for others"},
		{name: "vary", takes: text, needed: true, least: 1, fixed: true, doc: "the axes, in the form of `--vary`"},
	}}
}

// checkChart fails if the sweep of the chart could not be run.
func (in *Instance) checkChart(r *reader) {
	chart, part := in.Scenario.Chart, in.Scenario.file.Chart
	if chart == nil {
		return
	}
	for _, s := range part.Locks {
		r.word(s, "", in.registry.Names())
	}
	of, err := Load(chart.Scenario)
	if err != nil {
		return // said where the name is read
	}
	for i, axis := range chart.Axes {
		for _, value := range axis.Values {
			if err := of.runsWith(in.registry, map[string]string{axis.Name: value}); err != nil {
				r.fail(part.Vary[i], "the scenario %s cannot be run so: %v", of.Name, err)
				break
			}
		}
	}
}

// runsWith fails if parameters have values that the scenario cannot have under any lock.
func (s *Scenario) runsWith(registry *models.Registry, values map[string]string) error {
	in, err := s.Instantiate(registry, values)
	if err == nil {
		_, err = in.Plans(registry.Locks(), resource.Guards[:1])
	}
	return err
}

const defaultChartTrials = 100

func readChart(r *reader, c *chartPart) *Chart {
	if c == nil {
		return nil
	}
	if !c.Scenario.set() || len(c.Vary) == 0 {
		r.fail(c.at.scalar(), "a chart needs `scenario:` and `vary:`")
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
