package reports

import (
	"fmt"
	"math"
	"slices"

	"fencepost/reports/plots"
)

// Costs draws messages and fsyncs an acquisition: a bar for each lock and value of a parameter, such
// as one client alone and several. It takes the first cell of each; of says what that is, beside the kind.
func Costs(t *SweepTable, param string, values []string, kinds []string, of string) (Figure, error) {
	f := Figure{Name: "costs", Title: "What does an acquisition cost?",
		Shows: "Messages between clients and servers and among servers, and fsyncs of the servers, for each acquisition with its release: for one client alone, and for several that contend; " + of + ".",
		Read: "What a lock costs alone is what its protocol needs; what contention adds is attempts that failed. Heartbeats that go on without a client are not counted. " +
			"No fsync means that a lock is kept in memory only. A cost that is n/a, and empty in the CSV, is that of a lock that nobody acquired.",
		Data: Data{Head: []string{"lock", "guard", param, "acquisitions", "messages", "fsyncs", "messages_per_acquisition", "fsyncs_per_acquisition"}}}
	b := &plots.Bars{Title: f.Title, Subtitle: "scenario " + t.Scenario + "; " + of, Kinds: kinds, Note: t.stampCost(),
		Panels: []plots.BarPanel{{Name: "messages an acquisition"}, {Name: "fsyncs an acquisition"}}}
	seen := map[string]bool{}
	for _, c := range t.Cells {
		kind := slices.Index(values, c.Params[param])
		key := c.Lock + "/" + c.Params[param]
		if kind < 0 || seen[key] {
			continue
		}
		seen[key] = true
		group := slices.Index(b.Groups, c.Lock)
		if group < 0 {
			group = len(b.Groups)
			b.Groups = append(b.Groups, c.Lock)
			for i := range b.Panels {
				unknown := make([]float64, len(kinds))
				for k := range unknown {
					unknown[k] = math.NaN()
				}
				b.Panels[i].Values = append(b.Panels[i].Values, unknown)
			}
		}
		messages, fsyncs := perAcquisition(c.Messages, c.Acquisitions), perAcquisition(c.Fsyncs, c.Acquisitions)
		b.Panels[0].Values[group][kind], b.Panels[1].Values[group][kind] = messages, fsyncs
		f.Data.add(c.Lock, c.Guard, c.Params[param], c.Acquisitions, fmt.Sprint(c.Messages), fmt.Sprint(c.Fsyncs), messages, fsyncs)
	}
	if len(b.Groups) == 0 {
		return f.nothing("nothing was run"), nil
	}
	f.Picture = b
	return f, nil
}

func perAcquisition(n uint64, acquisitions int64) float64 {
	if acquisitions == 0 {
		return math.NaN()
	}
	return float64(n) / float64(acquisitions)
}
