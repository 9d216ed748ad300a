package k8slease

import (
	"errors"
	"time"

	"fencepost/models"
	"fencepost/sim"
	"fencepost/sim/clock"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
	"fencepost/sim/rng"
)

// elector is a LeaderElector with its LeaseLock.
type elector struct {
	env      *models.Env
	server   *host.Host
	config   config
	identity int64
	random   *rng.Stream

	// LeaseLock's copy of the Lease.
	version int64

	observed     record // observedRecord
	read         record // observedRawRecord: the last one that was read and not written
	observedTime clock.Mono

	term *term // of the last acquire that succeeded
}

var (
	errCancelled = errors.New("context cancelled")
	errConflict  = errors.New("the object has been modified")
)

// attempt is what one call of tryAcquireOrRenew is made for.
type attempt struct {
	hold     history.HoldID
	term     *term      // that it renews; nil acquires or releases
	deadline clock.Mono // of its context

	send, update, reply string // steps
}

// never is the deadline of a context that has none.
const never = clock.Mono(sim.Forever)

// over reports whether the context is cancelled.
func (a *attempt) over(now clock.Mono) bool { return a.stopped() || now >= a.deadline }

// stopped reports whether the program has cancelled it.
func (a *attempt) stopped() bool { return a.term != nil && a.term.cancelled }

// call sends a request. That the program cancels it ends the wait for the reply, which here
// is noticed when that ends: nobody acts on it before. After a pause it is the host's wake
// order that decides between a reply and a deadline that have both come, as it is chance
// in Go's select.
func (e *elector) call(p *host.Process, a *attempt, b network.Body) (network.Message, error) {
	if a.over(p.Now()) {
		return network.Message{}, errCancelled
	}
	b.Hold = a.hold
	m, err := p.Call(e.server.Addr(), b, min(e.config.timeout, a.deadline.Sub(p.Now())))
	if err == nil && a.stopped() {
		err = errCancelled
	}
	return m, err
}

// get is LeaseLock.Get.
func (e *elector) get(p *host.Process, a *attempt) (r record, found bool, err error) {
	m, err := e.call(p, a, network.Body{Op: OpGet})
	if err == nil && m.OK {
		e.version = m.Revision
	}
	return recordIn(&m.Body), m.OK, err
}

// write is LeaseLock.Create or Update, and what tryAcquireOrRenew makes of its success: the
// time of observation is when the reply has come.
func (e *elector) write(p *host.Process, a *attempt, op *network.Op, r record) error {
	b := r.body(op)
	b.Revision = e.version
	m, err := e.call(p, a, b)
	if a.reply != "" {
		p.Step(a.reply)
	}
	if err != nil {
		return err
	}
	if !m.OK {
		return errConflict
	}
	e.version = m.Revision
	e.observe(p, r)
	return nil
}

// observe is setObservedRecord.
func (e *elector) observe(p *host.Process, r record) { e.observed, e.observedTime = r, p.Now() }

// tryAcquireOrRenew is the method of that name.
func (e *elector) tryAcquireOrRenew(p *host.Process, a *attempt) bool {
	p.Step(a.send)
	now, mine := p.Now(), record{holder: e.identity, duration: wholeSeconds(e.config.lease), renewed: seconds(p.Wall())}
	if e.isLeader() && e.leaseValid(now) {
		mine.transitions = e.observed.transitions
		if e.write(p, a, OpUpdate, mine) == nil {
			return true
		}
	}
	old, found, err := e.get(p, a)
	if err != nil {
		return false
	}
	if !found {
		mine.transitions = 0
		return e.write(p, a, OpCreate, mine) == nil
	}
	if old != e.read {
		e.observe(p, old)
		e.read = old
	}
	if old.holder != 0 && e.leaseValid(now) && !e.isLeader() {
		return false
	}
	mine.transitions = old.transitions
	if !e.isLeader() {
		mine.transitions++
	}
	p.Step(a.update)
	return e.write(p, a, OpUpdate, mine) == nil
}

func (e *elector) isLeader() bool { return e.observed.holder == e.identity }

// leaseValid is isLeaseValid.
func (e *elector) leaseValid(now clock.Mono) bool {
	lease := e.observed.duration
	if e.config.own {
		lease = e.config.lease
	}
	return e.observedTime.Add(lease) > now
}

// seconds is a time as JSON has it.
func seconds(w clock.Wall) int64 {
	ms := w.Milli()
	s := ms / 1000
	if ms%1000 < 0 {
		s--
	}
	return s
}

func wholeSeconds(d time.Duration) time.Duration { return d / time.Second * time.Second }

// Acquire implements [models.Locker]: acquire, and the start of renew.
func (e *elector) Acquire(p *host.Process, hold history.HoldID) (models.Grant, error) {
	a := attempt{hold: hold, deadline: never, send: "acquire.send", update: "acquire.update", reply: "acquire.reply"}
	for !e.tryAcquireOrRenew(p, &a) {
		p.Sleep(e.random.Between(e.config.retry, e.config.longestSleep()))
	}
	token := tokenOf(e.config.token, e.observed, e.version)
	t := &term{hold: hold}
	p.Go("elector", func(q *host.Process) { e.lead(q, t) })
	e.term = t
	return models.Grant{Token: token}, nil
}

// Valid implements [models.Locker]: what the program asks.
func (e *elector) Valid(*host.Process) bool {
	switch e.config.ask {
	case askIsLeader:
		return e.isLeader()
	case askBoth:
		return !e.term.over && e.isLeader()
	}
	return !e.term.over
}
