package reports

import (
	"strconv"

	"fencepost/sim"
	"fencepost/sim/fault"
	"fencepost/sim/history"
)

// Fault is a line of the fault ledger. Random says that it is of the random layer, Off
// that the swarm had switched it off.
type Fault struct {
	Fault         string `json:"fault"`
	Random        bool   `json:"random,omitempty"`
	Off           bool   `json:"off,omitempty"`
	Fired         int    `json:"fired"`
	TookEffect    int    `json:"took_effect"`
	TouchedHolder int    `json:"touched_holder"`
}

// Strike is one firing of a fault, in the order in which they came.
type Strike struct {
	Fault string `json:"fault"`
	Host  string `json:"host"`
	At    int64  `json:"at_ns"`
	Until *int64 `json:"until_ns"` // null: to the end of the run
}

// strikesOf lists the faults of a run as they struck.
func strikesOf(r *history.Recorder) (strikes []Strike) {
	for i := range r.Records {
		rec := &r.Records[i]
		if rec.Kind != history.Fault {
			continue
		}
		s := Strike{Fault: rec.Text, Host: rec.Host, At: int64(rec.At)}
		if rec.Until < sim.Forever {
			until := int64(rec.Until)
			s.Until = &until
		}
		strikes = append(strikes, s)
	}
	return strikes
}

func newFault(e fault.Entry) Fault {
	return Fault{e.Label, e.Layer == fault.Random, e.Off, e.Fired, e.TookEffect, e.TouchedHolder}
}

// faultSum is what became of one fault in several runs.
type faultSum struct {
	label                            string
	runs, off                        int
	last                             int // the run that was counted last
	fired, tookEffect, touchedHolder int
}

var ledgerHead = []string{"fault", "runs", "fired", "took effect", "touched a holder"}

// ledgerRows sums the ledgers of all runs, fault by fault; several faults of one label
// are summed too.
func ledgerRows(runs []Run) (rows [][]string) {
	var sums []*faultSum
	index := map[string]*faultSum{}
	for i := range runs {
		for _, f := range runs[i].Faults {
			label := f.Fault
			if f.Random {
				label += " (random)"
			}
			sum := index[label]
			if sum == nil {
				sum = &faultSum{label: label, last: -1}
				index[label] = sum
				sums = append(sums, sum)
			}
			sum.add(f, i)
		}
	}
	for _, s := range sums {
		rows = append(rows, s.row())
	}
	return rows
}

func (s *faultSum) add(f Fault, run int) {
	if run != s.last {
		s.last = run
		s.runs++
		if f.Off {
			s.off++
		}
	}
	s.fired += f.Fired
	s.tookEffect += f.TookEffect
	s.touchedHolder += f.TouchedHolder
}

func (s *faultSum) row() []string {
	runs := strconv.Itoa(s.runs)
	if s.off > 0 {
		runs += ", off in " + strconv.Itoa(s.off)
	}
	return []string{s.label, runs, strconv.Itoa(s.fired), strconv.Itoa(s.tookEffect), strconv.Itoa(s.touchedHolder)}
}

// ledger writes what became of the faults, if there were any.
func (p *printer) ledger(runs []Run) {
	if rows := ledgerRows(runs); len(rows) > 0 {
		p.printf("\n")
		p.table(ledgerHead, rows)
	}
}

// total sums the ledger of one run.
func (r *Run) total() (sum faultSum) {
	for _, f := range r.Faults {
		sum.add(f, 0)
	}
	return sum
}
