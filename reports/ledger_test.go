package reports

import (
	"reflect"
	"testing"
)

// TestLedgerRows: counts are summed by label over all runs, and runs are counted once,
// however many faults of a run have one label.
func TestLedgerRows(t *testing.T) {
	runs := []Run{
		{Faults: []Fault{{Fault: "pause client 1", Fired: 2, TookEffect: 1, TouchedHolder: 1}, {Fault: "reset client 2", Random: true, Off: true}}},
		{},
		{Faults: []Fault{{Fault: "pause client 1", Fired: 3, TookEffect: 3}, {Fault: "pause client 1", Fired: 1}, {Fault: "reset client 2", Random: true, Fired: 5}}},
	}
	want := [][]string{
		{"pause client 1", "2", "6", "4", "1"},
		{"reset client 2 (random)", "2, off in 1", "5", "0", "0"},
	}
	if got := ledgerRows(runs); !reflect.DeepEqual(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := ledgerRows(runs[1:2]); got != nil {
		t.Errorf("without faults: %q", got)
	}
}
