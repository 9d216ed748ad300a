package scenarios

import (
	"reflect"
	"slices"
	"testing"

	"fencepost/models/modeltest"
	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/network"
)

// nobody is a tap that keeps nothing.
type nobody struct{}

func (nobody) Sent(network.Message, sim.Time, sim.Time, bool) int { return 0 }
func (nobody) Lost(int)                                           {}

// A run in which idle heartbeats are left out is the run in which they are sent: the same
// verdict, record, ledger and value of the resource, to the nanosecond. A guard is the resource's, and
// no heartbeat's, so that one of them is enough.
func TestElisionChangesNoVerdict(t *testing.T) {
	modeltest.ManyTrials(t)
	const seeds = 2
	saved, total := uint64(0), uint64(0)
	for _, name := range LibraryNames() {
		for _, p := range plansOf(t, name, nil) {
			if p.Describe.Name != "etcd" || p.Guard.Name != "none" {
				continue
			}
			trial := NewTrial(p)
			for seed := uint64(1); seed <= seeds; seed++ {
				trial.Tap(nobody{})
				want, err := trial.Run(seed)
				records, ledger, value := slices.Clone(trial.Recorder.Records), slices.Clone(trial.Ledger()), slices.Clone(trial.audit)
				trial.Tap(nil)
				got, err2 := trial.Run(seed)
				if err != nil || err2 != nil {
					t.Fatal(err, err2)
				}
				saved, total = saved+want.Events-got.Events, total+want.Events
				want.Digest, want.Events = got.Digest, got.Events
				if !slices.EqualFunc(records, trial.Recorder.Records, func(a, b history.Record) bool { return a == b }) ||
					!reflect.DeepEqual(ledger, trial.Ledger()) || !reflect.DeepEqual(got, want) || !slices.Equal(trial.audit, value) {
					t.Errorf("%s, guard %s, seed %d: another run:\n%+v\nwant\n%+v", name, p.Guard.Name, seed, got, want)
				}
			}
			trial.Close()
		}
	}
	t.Logf("%d of %d events were saved", saved, total)
	if saved < total/5 { // where links lose messages by themselves nothing is elided
		t.Error("too little was elided for the test to mean anything")
	}
}
