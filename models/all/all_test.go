package all

import (
	"testing"
	"time"

	"fencepost/models"
	"fencepost/models/modeltest"
	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/host"
)

// A program may give back what it never got: a release comes back, with an error or not, from
// every library of every system.
func TestReleaseOfNothing(t *testing.T) {
	modeltest.ManyTrials(t)
	for _, l := range Locks() {
		for _, params := range clients(l.Describe()) {
			r := modeltest.New(t, l, 1, params)
			done := false
			r.Env.Clients[0].Go("client 1", func(p *host.Process) {
				_ = r.Lockers[0].Release(p)
				done = true
			})
			r.Run(5 * time.Hour)
			if !done {
				t.Errorf("%s %v: the release has not come back", l.Describe().Name, params)
			}
		}
	}
}

// What one client holds, another does not give back that has never tried to acquire: whether it
// is told so is the library's matter.
func TestReleaseOfAnothersLock(t *testing.T) {
	modeltest.ManyTrials(t)
	for _, l := range Locks() {
		for _, params := range clients(l.Describe()) {
			r := modeltest.New(t, l, 2, params)
			hold := r.Recorder.NewHold(0, history.ExecutorOf(0, 0))
			held, done := sim.Forever, false
			r.Env.Clients[0].Go("client 1", func(p *host.Process) {
				if _, err := r.Lockers[0].Acquire(p, hold); err != nil {
					t.Fatalf("%s %v: %v", l.Describe().Name, params, err)
				}
				held = r.World.Now()
				r.Env.Clients[1].Go("client 2", func(p *host.Process) {
					_ = r.Lockers[1].Release(p)
					done = true
				})
			})
			r.Run(5 * time.Minute)
			if !done {
				t.Errorf("%s %v: held from %v on, and the release has not come back", l.Describe().Name, params, held)
			}
			for _, rec := range r.Recorder.Records {
				if rec.Kind == history.ServiceEnd && rec.At < held.Add(2*time.Second) {
					t.Errorf("%s %v: held from %v on, and ended at %v: %s", l.Describe().Name, params, held, rec.At, rec.Text)
				}
			}
		}
	}
}

// A system that says how it is asked about tokens can be asked, and no other.
func TestWhoIsAskedAboutTokens(t *testing.T) {
	for _, l := range Locks() {
		r := modeltest.New(t, l, 1, nil)
		if _, ok := r.System.(models.TokenChecker); ok != (l.Describe().Asked != "") {
			t.Errorf("%s is asked by %q, and is a token checker: %t", l.Describe().Name, l.Describe().Asked, ok)
		}
	}
}

// A system that says how its record is removed is a remover, and every other one says why not.
func TestWhoseRecordIsRemoved(t *testing.T) {
	for _, l := range Locks() {
		d := l.Describe()
		if (d.Removal == "") == (d.NoRemoval == "") {
			t.Errorf("%s says how its record is removed (%q), or why not (%q): one of the two", d.Name, d.Removal, d.NoRemoval)
		}
		for _, params := range clients(d) {
			r := modeltest.New(t, l, 1, params)
			if _, ok := r.System.(models.Remover); ok != (d.Removal != "") {
				t.Errorf("%s %v is removed by %q, and is a remover: %t", d.Name, params, d.Removal, ok)
			}
		}
	}
}

// clients are the parameters for each client that a system has.
func clients(d models.Description) []map[string]int64 {
	all := []map[string]int64{nil}
	for _, p := range d.Params {
		if p.Name != "client" && p.Name != "recipe" && p.Name != "using" && p.Name != "kind" {
			continue
		}
		for place := range p.Choices {
			params := map[string]int64{p.Name: int64(place)}
			given := models.Defaults(d.Params)
			given[p.Name] = int64(place)
			if d.Validate == nil || d.Validate(given) == nil {
				all = append(all, params)
			}
		}
	}
	return all
}

// TestWhoRenewsByItself: a library renews what a client holds, and does nothing with, if its
// description says so.
func TestWhoRenewsByItself(t *testing.T) {
	modeltest.ManyTrials(t)
	for _, l := range Locks() {
		d := l.Describe()
		for _, params := range clients(d) {
			r := modeltest.New(t, l, 1, params)
			hold := r.Recorder.NewHold(0, history.ExecutorOf(0, 0))
			r.Env.Clients[0].Go("client 1", func(p *host.Process) { _, _ = r.Lockers[0].Acquire(p, hold) })
			r.Run(5 * time.Minute)
			later := r.Records(hold, history.Promise)
			if renewed := len(later) > 1 && later[len(later)-1].At > sim.Time(time.Minute); renewed != d.Renews.With(r.Env.Params) {
				t.Errorf("%s %v: renewed: %v, %d times", d.Name, params, renewed, len(later))
			}
		}
	}
}
