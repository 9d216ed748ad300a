package reports

import "io"

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
	return encode(w, d)
}

func (c *Change) json() changeJSON {
	j := changeJSON{Lock: c.Lock, Guard: c.Guard, Params: c.Params, Property: c.Property, Trials: c.Trials, Before: c.Before, After: c.After,
		Bad: c.Bad.String(), Good: c.Good.String(), Open: c.Open.String(), P: portable(c.P), Adjusted: portable(c.Adjusted), Rose: c.Rose}
	for i := range c.Bad.Len() {
		j.Replays = append(j.Replays, c.Replay(c.Bad.At(i)))
	}
	return j
}
