package reports

import (
	"fmt"
	"io"
	"strconv"
)

// shownReplays are how many runs of a change the text names with their commands.
const shownReplays = 3

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
