package reports

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"

	"fencepost/scenarios"
)

// Gate is the outcome of a comparison with one or more baselines.
type Gate struct {
	Alpha   float64
	Against []Against
}

// Against is the part of one baseline.
type Against struct {
	Baseline *Baseline
	Scenario *scenarios.Scenario
	Changes  []Change
}

// shownReplays are how many runs of a change the text names with their commands.
const shownReplays = 3

// Rose reports whether any rate rose significantly.
func (g *Gate) Rose() bool {
	return g.any(func(c *Change) bool { return c.Rose })
}

// Open reports whether a bound left any seed open.
func (g *Gate) Open() bool {
	return g.any(func(c *Change) bool { return c.Open.Len() > 0 })
}

func (g *Gate) any(is func(*Change) bool) bool {
	for i := range g.Against {
		for k := range g.Against[i].Changes {
			if is(&g.Against[i].Changes[k]) {
				return true
			}
		}
	}
	return false
}

// WriteGateText writes the comparison for people.
func WriteGateText(w io.Writer, g *Gate) error {
	p := &printer{w: w}
	for i := range g.Against {
		a := &g.Against[i]
		if i > 0 {
			p.printf("\n")
		}
		p.printf("fencepost %s  gate against %s  scenario %s  seeds %s  alpha %s\n", Version, a.Baseline.File, a.Scenario.Name, a.Baseline.Table.Seeds, number(g.Alpha))
		for _, line := range a.Baseline.Changed(a.Scenario) {
			p.printf("note: %s\n", line)
		}
		p.printf("\n")
		p.table(gateHead(a), gateRows(a))
		for k := range a.Changes {
			p.seedsOf(&a.Changes[k])
		}
	}
	p.printf("\n%s\n", g.verdict())
	return p.err
}

// verdict is the last line.
func (g *Gate) verdict() string {
	rose, same, cells := 0, 0, 0
	for _, a := range g.Against {
		for i := range a.Changes {
			c := &a.Changes[i]
			cells++
			if c.Rose {
				rose++
			}
			if c.Bad.Len()+c.Good.Len() == 0 {
				same++
			}
		}
	}
	return fmt.Sprintf("%d rates compared, %d of them with each seed as before; %d rose significantly (sign test by seed, one-sided, Holm)", cells, same, rose)
}

func gateHead(a *Against) []string {
	head := []string{"lock", "guard"}
	for _, p := range a.Scenario.Params {
		head = append(head, p.Name)
	}
	return append(head, "property", "before", "now", "turned bad", "turned good", "p", "verdict")
}

func gateRows(a *Against) (rows [][]string) {
	for i := range a.Changes {
		c := &a.Changes[i]
		row := []string{c.Lock, c.Guard}
		for _, p := range a.Scenario.Params {
			row = append(row, c.Params[p.Name])
		}
		rows = append(rows, append(row, c.Property, fmt.Sprintf("%d/%d", c.Before, c.Trials), fmt.Sprintf("%d/%d", c.After, c.Trials),
			strconv.FormatUint(c.Bad.Len(), 10), strconv.FormatUint(c.Good.Len(), 10), number(c.Adjusted), c.verdict()))
	}
	return rows
}

// verdict says in a word or two what became of a rate.
func (c *Change) verdict() string {
	text := "as before"
	switch {
	case c.Rose:
		text = "ROSE"
	case c.Bad.Len() > 0:
		text = "not significant"
	case c.Good.Len() > 0:
		text = "better"
	}
	if n := c.Open.Len(); n > 0 {
		text += fmt.Sprintf(" (%d open)", n)
	}
	return text
}

// seedsOf names the seeds that came out otherwise, and how to run some of them.
func (p *printer) seedsOf(c *Change) {
	name := fmt.Sprintf("%s / %s", c.Lock, c.Guard)
	if text := paramText(c.Params); text != "" {
		name += text
	}
	if n := c.Bad.Len(); n > 0 {
		p.printf("\n%s: %s turned bad for seed %s\n", name, c.Property, c.Bad)
		for i := range min(n, shownReplays) {
			p.printf("  %s\n", c.Replay(c.Bad.At(i)))
		}
	}
	if n := c.Good.Len(); n > 0 {
		p.printf("\n%s: %s turned good for seed %s\n", name, c.Property, c.Good)
		p.printf("  %s\n", c.Replay(c.Good.At(0)))
	}
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', 3, 64) }

// GateSchema names the form of the JSON.
const GateSchema = "fencepost/gate/v1"

type gateJSON struct {
	Schema    string             `json:"schema"`
	Version   string             `json:"fencepost"`
	Alpha     float64            `json:"alpha"`
	Rose      bool               `json:"rose"`
	Baselines []gateBaselineJSON `json:"baselines"`
}

type gateBaselineJSON struct {
	File     string       `json:"file"`
	Scenario string       `json:"scenario"`
	Seeds    string       `json:"seeds"`
	Notes    []string     `json:"notes"`
	Changes  []changeJSON `json:"changes"`
}

type changeJSON struct {
	Lock     string            `json:"lock"`
	Guard    string            `json:"guard"`
	Params   map[string]string `json:"params"`
	Property string            `json:"property"`
	Trials   uint64            `json:"trials"`
	Before   uint64            `json:"violated_before"`
	After    uint64            `json:"violated_now"`
	Bad      string            `json:"turned_bad"`
	Good     string            `json:"turned_good"`
	Open     string            `json:"open"`
	P        float64           `json:"p"`
	Adjusted float64           `json:"p_holm"`
	Rose     bool              `json:"rose"`
	Replays  []string          `json:"replays,omitempty"` // of each seed that turned bad
}

// WriteGateJSON writes the comparison as one JSON object.
func WriteGateJSON(w io.Writer, g *Gate) error {
	d := gateJSON{Schema: GateSchema, Version: Version, Alpha: g.Alpha, Rose: g.Rose()}
	for i := range g.Against {
		a := &g.Against[i]
		b := gateBaselineJSON{File: a.Baseline.File, Scenario: a.Scenario.Name, Seeds: a.Baseline.Table.Seeds,
			Notes: append([]string{}, a.Baseline.Changed(a.Scenario)...), Changes: []changeJSON{}}
		for k := range a.Changes {
			b.Changes = append(b.Changes, a.Changes[k].json())
		}
		d.Baselines = append(d.Baselines, b)
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(d)
}

func (c *Change) json() changeJSON {
	j := changeJSON{Lock: c.Lock, Guard: c.Guard, Params: c.Params, Property: c.Property, Trials: c.Trials, Before: c.Before, After: c.After,
		Bad: c.Bad.String(), Good: c.Good.String(), Open: c.Open.String(), P: c.P, Adjusted: c.Adjusted, Rose: c.Rose}
	for i := range c.Bad.Len() {
		j.Replays = append(j.Replays, c.Replay(c.Bad.At(i)))
	}
	return j
}
