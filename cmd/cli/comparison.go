package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"fencepost/checker"
	"fencepost/reports"
	"fencepost/scenarios"
	"fencepost/scenarios/sweeps"
)

// comparedSweep is one sweep of a comparison.
type comparedSweep struct {
	scenario, locks, guards string
	vary                    []string
	fixed                   map[string]string
	trials                  int
	// property is the one whose rate is drawn; empty if none is.
	property string

	sweep *sweeps.Sweep
	cells []*sweeps.Cell
	table *reports.SweepTable // nil until it is finished
}

// command makes the sweep alone.
func (s *comparedSweep) command() string {
	text := fmt.Sprintf("fencepost sweep %s --lock %s --guard %s --trials %d", s.scenario, s.locks, s.guards, s.trials)
	for _, name := range slices.Sorted(maps.Keys(s.fixed)) {
		text += fmt.Sprintf(" --set %s", quoted(name+"="+s.fixed[name]))
	}
	for _, v := range s.vary {
		text += " --vary " + quoted(v)
	}
	if s.property != "" {
		text += " --property " + s.property
	}
	return text
}

// quoted writes an argument as a shell wants it.
func quoted(text string) string {
	if strings.ContainsAny(text, "() ") {
		return `"` + text + `"`
	}
	return text
}

// What the sweeps of a comparison vary.
const (
	comparedPauses  = "fault.pause=exponential(2s),exponential(4s),exponential(8s),exponential(16s),exponential(32s),exponential(64s)"
	comparedTTLs    = "ttl=5s,7s,10s,14s,20s,28s,40s"
	comparedClients = "clients=1,2,4,8,16"
	comparedJitters = "retry-jitter=0s,100ms"
	comparedDelays  = "delay=1ms,500ms,1s,2s,3s,4s"
	comparedDrifts  = "drift=1000ppm,5000ppm,10000ppm,15000ppm,20000ppm,30000ppm,50000ppm"
	heatPauses      = "fault.pause=exponential(4s),exponential(8s),exponential(16s),exponential(32s)"
	heatTTLs        = "ttl=10s,20s,30s,40s"
	contended       = "8"
)

// comparedFigure is one figure and the sweeps that it is drawn from. That of the suite has none.
type comparedFigure struct {
	name string
	from []*comparedSweep
	draw func() (reports.Figure, error)
}

// comparison is what is run for one.
type comparison struct {
	figures    []comparedFigure
	sweeps     []*comparedSweep // of these figures
	suitePlans []*planned       // empty if the matrix is not drawn
	suite      *reports.Suite   // nil until it is finished
}

const (
	// matrixFigure is the figure that is drawn from the suite.
	matrixFigure = "matrix"
	// pairsFigure is the one that needs two locks.
	pairsFigure = "pairs"
)

// figureNames are those of all figures, in the order of the page.
var figureNames = []string{"rates", pairsFigure, "heat", "frontier", "waiting", "costs", "cut-off", "drift", matrixFigure}

// allFigures are the figures that can be drawn of the locks.
func allFigures(o *compareOptions) []comparedFigure {
	few := max(1, o.trials/10)
	first := o.guardNames()[0]
	with := func(scenario, guards string, trials int, vary ...string) *comparedSweep {
		return &comparedSweep{scenario: scenario, locks: o.locks, guards: guards, trials: trials, vary: vary}
	}
	rated := func(scenario, guards string, vary ...string) *comparedSweep {
		s := with(scenario, guards, o.trials, vary...)
		s.property = checker.ResourceName
		return s
	}
	rates := rated("published-pauses", o.guards, comparedPauses)
	heat := rated("published-pauses", first, heatPauses, heatTTLs)
	unsafe := rated("closed-form", o.guards, comparedTTLs)
	gone := with("holder-crashes", first, o.trials, comparedTTLs)
	contention := with("contenders", first, few, comparedClients, comparedJitters)
	contention.fixed = map[string]string{"cycles": "50"}
	cut := with("holder-cut-off", first, o.trials, comparedDelays)
	const property, x = checker.ResourceName, "fault.pause/ttl"
	list := []comparedFigure{
		{"rates", []*comparedSweep{rates}, func() (reports.Figure, error) { return reports.RatePanels(rates.table, property, x) }},
		{pairsFigure, []*comparedSweep{rates}, func() (reports.Figure, error) { return reports.PairChart(rates.table, property, x, first) }},
		{"heat", []*comparedSweep{heat}, func() (reports.Figure, error) {
			return reports.RateHeat(heat.table, property, "fault.pause", "ttl", first)
		}},
		{"frontier", []*comparedSweep{unsafe, gone}, func() (reports.Figure, error) {
			return reports.Frontier(unsafe.table, gone.table, property, "ttl")
		}},
		{"waiting", []*comparedSweep{contention}, func() (reports.Figure, error) {
			return reports.Waiting(contention.table, "clients", "retry-jitter")
		}},
		{"costs", []*comparedSweep{contention}, func() (reports.Figure, error) {
			return reports.Costs(contention.table, "clients", []string{"1", contended}, []string{"one client", contended + " clients"}, "clients that try again do so without jitter")
		}},
		{"cut-off", []*comparedSweep{cut}, func() (reports.Figure, error) { return reports.CutOffChart(cut.table) }},
	}
	if slices.Contains(strings.Split(o.locks, ","), "redlock") {
		drifted := with("servers-run-fast", first, few, comparedDrifts)
		drifted.locks = "redlock"
		list = append(list, comparedFigure{"drift", []*comparedSweep{drifted}, func() (reports.Figure, error) { return reports.DriftChart(drifted.table) }})
	}
	return append(list, comparedFigure{name: matrixFigure})
}

// planComparison checks every cell of every sweep, and every scenario of the suite, before anything
// runs.
func (a *app) planComparison(o *compareOptions) (*comparison, error) {
	wanted := strings.Split(o.figures, ",")
	for _, name := range wanted {
		if o.figures != "all" && !slices.Contains(figureNames, name) {
			return nil, fmt.Errorf("--figure: %q is not a figure; accepted: %s; or all alone", name, strings.Join(figureNames, ", "))
		}
	}
	p := &comparison{}
	for _, f := range allFigures(o) {
		if o.figures != "all" && !slices.Contains(wanted, f.name) {
			continue
		}
		p.figures = append(p.figures, f)
		for _, s := range f.from {
			if slices.Contains(p.sweeps, s) {
				continue
			}
			if err := a.loadSweep(s, o); err != nil {
				return nil, err
			}
			p.sweeps = append(p.sweeps, s)
		}
	}
	switch {
	case len(p.figures) == 1 && p.figures[0].name == pairsFigure && !strings.Contains(o.locks, ","):
		return nil, fmt.Errorf("--figure %s is about two locks or more, and there is one: %s", o.figures, o.locks)
	case len(p.figures) == 0:
		return nil, fmt.Errorf("--figure %s is about redlock, which is not among %s", o.figures, o.locks)
	case !slices.ContainsFunc(p.figures, func(f comparedFigure) bool { return f.name == matrixFigure }):
		return p, nil
	}
	library, err := scenarios.Selected(nil, nil)
	if err != nil {
		return nil, err
	}
	o.seeds = "1"
	p.suitePlans, err = a.planSuite(library, &o.options)
	return p, err
}

// run runs the suite and all sweeps, as far as the context lets it.
func (p *comparison) run(ctx context.Context, a *app, o *compareOptions) error {
	if len(p.suitePlans) > 0 {
		suite, err := a.runSuite(ctx, p.suitePlans, &o.options)
		if err != nil {
			return err
		}
		p.suite = suite
	}
	trials := 0
	for _, s := range p.sweeps {
		trials += s.sweep.Trials(s.cells)
	}
	bar := a.progress(trials, "trials")
	defer bar.Close()
	for _, s := range p.sweeps {
		s.sweep.Progress = bar.Add
		if err := s.sweep.Run(ctx, s.cells); err != nil {
			return err
		}
		s.table = reports.NewSweepTable(s.sweep, s.cells)
	}
	return nil
}

// mayWrite reports whether a file could be one of the comparison's.
func (p *comparison) mayWrite(name string) bool {
	figure := figureOf(name)
	return name == reports.PageFile || slices.ContainsFunc(p.figures, func(f comparedFigure) bool { return f.name == figure })
}

// figureOf is the figure whose file this is, or that of one of its pages, such as "matrix-2.svg"; empty if it is
// of none.
func figureOf(name string) string {
	figure, kind, _ := strings.Cut(name, ".")
	if start, page, cut := strings.Cut(figure, "-"); cut && page != "" && strings.Trim(page, "0123456789") == "" {
		figure = start
	}
	if slices.Contains(figureNames, figure) && slices.Contains([]string{"csv", "svg", "png"}, kind) {
		return figure
	}
	return ""
}

func (p *comparison) finished() (n int) {
	for _, s := range p.sweeps {
		if s.table != nil {
			n++
		}
	}
	return n
}

// draw draws what is finished.
func (p *comparison) draw(o *compareOptions) (list []reports.Figure, err error) {
	for _, f := range p.figures {
		var commands []string
		for _, s := range f.from {
			if s.table != nil {
				commands = append(commands, s.command())
			}
		}
		switch {
		case f.name == matrixFigure && p.suite != nil:
			drawn := reports.SuiteMatrix(p.suite, strings.Split(o.locks, ","), o.guardNames())
			drawn.Commands = []string{fmt.Sprintf("fencepost suite --lock %s --guard %s", o.locks, o.guards)}
			list = append(list, drawn)
		case f.name != matrixFigure && len(commands) == len(f.from):
			drawn, err := f.draw()
			if err != nil {
				return nil, err
			}
			drawn.Commands = commands
			list = append(list, drawn)
		}
	}
	return list, nil
}
