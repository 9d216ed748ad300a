package scenarios

import (
	"reflect"
	"slices"
	"testing"

	"fencepost/models/modeltest"
	"fencepost/sim"
	"fencepost/sim/fault"
	"fencepost/sim/history"
	"fencepost/sim/network"
)

// nobody is a tap that keeps nothing.
type nobody struct{}

func (nobody) Sent(network.Message, sim.Time, sim.Time, bool) int { return 0 }
func (nobody) Lost(int)                                           {}

// elides are the locks of which some messages are left out, and how many of their events in four that
// must be for the test of them to mean anything. Where links lose messages by themselves nothing is left
// out.
var elides = map[string]uint64{"etcd": 1, "redis": 1, "redlock": 1}

// A run in which messages that make no difference are left out is the run in which they are sent: the
// same verdict, record, ledger, costs and value of the resource, to the nanosecond. A guard is the
// resource's, and no such message's, so that one of them is enough.
func TestElisionChangesNoVerdict(t *testing.T) {
	modeltest.ManyTrials(t)
	const seeds = 1
	saved, total := map[string]uint64{}, map[string]uint64{}
	for _, name := range LibraryNames() {
		for _, p := range plansOf(t, name, nil) {
			lock := p.Describe.Name
			if elides[lock] == 0 || p.Guard.Name != "none" {
				continue
			}
			p.Cover = true
			trial := NewTrial(p)
			for seed := uint64(1); seed <= seeds; seed++ {
				trial.Tap(nobody{})
				want := runOf(t, trial, seed)
				trial.Tap(nil)
				got := runOf(t, trial, seed)
				saved[lock], total[lock] = saved[lock]+want.result.Events-got.result.Events, total[lock]+want.result.Events
				want.result.Digest, want.result.Events = got.result.Digest, got.result.Events
				if !reflect.DeepEqual(got, want) {
					t.Errorf("%s, %s, seed %d: another run:\n%+v\nwant\n%+v", name, lock, seed, got, want)
				}
			}
			trial.Close()
		}
	}
	for lock, quarters := range elides {
		t.Logf("%s: %d of %d events were saved", lock, saved[lock], total[lock])
		if saved[lock] < quarters*total[lock]/4 {
			t.Errorf("%s: too little was elided for the test to mean anything", lock)
		}
	}
}

// whole is all that a run leaves behind.
type whole struct {
	result           Result
	records          []history.Record
	ledger           []fault.Entry
	audit            []int64
	messages, fsyncs uint64
	covered          *Coverage
}

func runOf(t *testing.T, trial *Trial, seed uint64) whole {
	t.Helper()
	result, err := trial.Run(seed)
	if err != nil {
		t.Fatal(err)
	}
	messages, fsyncs := trial.Cost()
	return whole{result, slices.Clone(trial.Recorder.Records), slices.Clone(trial.Ledger()), slices.Clone(trial.audit), messages, fsyncs, trial.Covered()}
}
