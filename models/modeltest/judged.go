package modeltest

import (
	"testing"

	"fencepost/checker/monitor"
	"fencepost/models"
)

// Judged is a rig with the monitors that a trial has.
type Judged struct {
	*Rig
	Grants    monitor.Grants
	Exclusion monitor.Exclusion
	Progress  monitor.Progress
}

// NewJudged builds a lock system as [New] does, with parameters that it accepts together.
func NewJudged(t testing.TB, lock models.Lock, clients int, params map[string]int64) *Judged {
	t.Helper()
	r := &Judged{Rig: New(t, lock, clients, params)}
	d := lock.Describe()
	if d.Validate != nil {
		if err := d.Validate(r.Env.Params); err != nil {
			t.Fatal(err)
		}
	}
	r.Progress.Takeover = d.Takeover(r.Env.Params)
	r.Recorder.Observers = append(r.Recorder.Observers, &r.Grants, &r.Exclusion, &r.Progress)
	return r
}

// Sound checks that until now nobody has broken a promise, and that the lock moves on.
func (r *Judged) Sound() {
	r.t.Helper()
	r.Progress.Finish(r.World.Now())
	for _, f := range [][]monitor.Finding{r.Grants.Findings(), r.Exclusion.Findings(), r.Progress.Findings()} {
		if len(f) > 0 {
			r.t.Errorf("found %+v in %+v", f, r.Recorder.Records)
		}
	}
}
