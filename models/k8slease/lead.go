package k8slease

import (
	"time"

	"fencepost/models"
	"fencepost/sim/history"
	"fencepost/sim/host"
)

// term is one run of LeaderElector.Run, from when it leads.
type term struct {
	hold      history.HoldID
	cancelled bool          // the context that the program gave to Run
	over      bool          // the context that OnStartedLeading was given is cancelled
	releasing bool          // Run stops by itself, and gives the lease back first
	waits     *host.Process // for the end of that
}

// stepLost is where a leader has given up, and its program does not know.
const stepLost = "renew.lost"

// lead is the rest of Run. The program learns of the end last.
func (e *elector) lead(p *host.Process, t *term) {
	e.renew(p, t)
	if t.cancelled {
		return // Release goes on
	}
	p.Step(stepLost)
	if e.config.release {
		t.releasing = true
		_ = e.release(p, t)
	}
	t.over = true
	e.env.Recorder.Add(history.Record{Kind: history.Note, Hold: t.hold, Local: time.Duration(p.Now()), Text: "stopped leading"})
	if t.waits != nil {
		t.waits.Signal()
	}
}

// renew renews every retry period (wait.UntilWithContext), until that has failed for the
// renew deadline or the program has cancelled. That is noticed when the sleep is over, and
// nothing is done in between.
func (e *elector) renew(p *host.Process, t *term) {
	for e.poll(p, t) {
		p.Sleep(e.config.retry)
	}
}

// poll tries to renew at every tick of the retry period, the first time at once, until it
// succeeds or the deadline passes (wait.PollUntilContextTimeout). A ticker keeps one tick
// for whoever is late. What it reads in the record does not make it stop.
func (e *elector) poll(p *host.Process, t *term) bool {
	start := p.Now()
	a := attempt{hold: t.hold, term: t, deadline: start.Add(e.config.renew), send: "renew.send", update: "renew.update", reply: "renew.reply"}
	for !a.over(p.Now()) {
		ticks := p.Now().Sub(start) / e.config.retry
		if e.tryAcquireOrRenew(p, &a) {
			return true
		}
		next := start.Add((ticks + 1) * e.config.retry)
		p.Sleep(min(next, a.deadline).Sub(p.Now()))
	}
	return false
}

// release is release and tryRelease: it looks whose the record is, and tries again if that
// has changed meanwhile, for a renew deadline at most.
func (e *elector) release(p *host.Process, t *term) error {
	a := attempt{hold: t.hold, deadline: p.Now().Add(e.config.renew)}
	for {
		old, found, err := e.get(p, &a)
		if err != nil {
			return err
		}
		if !found || old.holder != e.identity {
			return models.ErrNotHeld
		}
		if t.releasing {
			e.env.Recorder.Add(history.Record{Kind: history.ReleaseBegin, Hold: t.hold, Text: "could not renew"})
		}
		nobody := record{duration: time.Second, renewed: seconds(p.Wall()), transitions: old.transitions}
		if err = e.write(p, &a, OpUpdate, nobody); err != errConflict {
			return err
		}
	}
}

// Release implements [models.Locker]: the program cancels the context that it gave to Run,
// and waits for Run to return. A request that is on its way is cancelled with it, and
// may be applied none the less.
func (e *elector) Release(p *host.Process) error {
	if e.term == nil {
		return models.ErrNotHeld // it has never led
	}
	p.Step("release.send")
	err := e.stop(p, e.term)
	p.Step("release.reply")
	return err
}

func (e *elector) stop(p *host.Process, t *term) error {
	for t.releasing && !t.over {
		t.waits = p
		p.SleepUnlessSignalled(host.Forever)
	}
	if t.over {
		return models.ErrNotHeld
	}
	t.cancelled = true
	var err error
	if e.config.release {
		err = e.release(p, t)
	}
	t.over = true
	return err
}
