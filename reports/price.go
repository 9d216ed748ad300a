package reports

import (
	"io"
	"strconv"
	"time"

	"fencepost/scenarios/sweeps"
)

// WritePrices writes for people what a sweep would take.
func WritePrices(w io.Writer, s *sweeps.Sweep, prices []sweeps.Price) error {
	var rows [][]string
	var total time.Duration
	var trials int64
	for _, p := range prices {
		rows = append(rows, []string{p.Lock, strconv.Itoa(p.Cells), strconv.FormatInt(p.Trials, 10), roughly(p.PerTrial), roughly(p.Total)})
		total += p.Total
		trials += p.Trials
	}
	p := &printer{w: w}
	p.printf("fencepost %s  sweep of %s  seeds %s  not run\n\n", Version, s.Scenario.Name, s.Seeds)
	p.table([]string{"lock", "cells", "trials", "a trial", "all, on one worker"}, rows)
	p.printf("\n%d trials in batches of %d; about %s on this machine with %d at once\n",
		trials, s.BatchTrials(), roughly(total/time.Duration(s.Workers)), s.Workers)
	return p.err
}

// roughly writes a length with two digits: an estimate has no more.
func roughly(d time.Duration) string {
	unit := time.Duration(1)
	for unit*100 <= d {
		unit *= 10
	}
	return d.Round(unit).String()
}
