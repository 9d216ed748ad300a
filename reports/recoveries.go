package reports

import (
	"fmt"
	"slices"
	"strings"
)

// recoveries are how long it took each lock to be had again after a crash of its holder, by the value of
// a parameter. A guard makes no difference to it.
type recoveries struct {
	// table is the sweep, in which a cell without a recovery is not applicable.
	table  *SweepTable
	column int
	waits  []recovery
}

// recovery is that of a lock with one value; why says why there is none.
type recovery struct {
	Quantiles
	lock, value string
	trials      int64
	why         string
}

// nobodyRecovered is why a cell that was run has no place in the picture.
const nobodyRecovered = "in no trial a holder crashed and another client got the lock"

func newRecoveries(t *SweepTable, property, param string) *recoveries {
	marked := *t
	marked.Rows = slices.Clone(t.Rows)
	r := &recoveries{table: &marked}
	column, err := t.column(param)
	if err != nil {
		return r // of which nothing is known
	}
	r.column = column
	for i := range marked.Rows {
		row := &marked.Rows[i]
		if row.Property != property {
			continue
		}
		w := recovery{lock: row.Lock, value: row.Values[column], trials: row.Rate.Trials, why: row.NotApplicable}
		if c := slices.IndexFunc(t.Cells, func(c SweepCell) bool { return c.Lock == w.lock && c.Params[param] == w.value }); c >= 0 {
			w.Quantiles = t.Cells[c].Recovered
		}
		if w.why == "" && w.Count == 0 {
			w.why = nobodyRecovered
			row.NotApplicable = nobodyRecovered
		}
		r.waits = append(r.waits, w)
	}
	return r
}

func (r *recoveries) of(lock, value string) recovery {
	i := slices.IndexFunc(r.waits, func(w recovery) bool { return w.lock == lock && w.value == value })
	if i < 0 {
		return recovery{why: "it was not run in " + r.table.Scenario}
	}
	return r.waits[i]
}

// partial says of which locks the median is that of a part of the trials: the others' waits are not
// known, and may be longer.
func (r *recoveries) partial() string {
	var parts []string
	seen := map[string]bool{}
	for _, w := range r.waits {
		if key := w.lock + " " + w.value; w.why == "" && w.Count < w.trials && !seen[key] {
			seen[key] = true
			parts = append(parts, fmt.Sprintf("%s with %s %s (%d of %d)", w.lock, display(r.table.Params[r.column]), lengthText(w.value), w.Count, w.trials))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "\nMedians of a part of the trials, as nobody got the lock in the others: " + strings.Join(parts, ", ")
}

// notDrawn says who has no place in a picture that takes the other coordinate from a second sweep, and
// why.
func (r *recoveries) notDrawn(unsafe *SweepTable, property string, column int) string {
	lines := unsafe.leftOut(property)
	rest := *r.table
	rest.Rows = slices.DeleteFunc(slices.Clone(rest.Rows), func(w SweepRow) bool {
		wanted := func(u SweepRow) bool {
			return u.Property == property && u.NotApplicable == "" && u.Lock == w.Lock && u.Values[column] == w.Values[r.column]
		}
		return w.NotApplicable != "" && !slices.ContainsFunc(unsafe.Rows, wanted)
	})
	for _, line := range rest.leftOut(property) {
		lines = append(lines, line+" in "+rest.Scenario)
	}
	if len(lines) == 0 {
		return ""
	}
	return "\nNot drawn: " + strings.Join(lines, "; ")
}
