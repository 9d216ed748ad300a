package dbrow

import (
	"fencepost/models"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
)

// generic is a program that waits for the row.
type generic struct{ *library }

// Acquire implements [models.Locker]. An attempt without an answer may have got the row,
// which then keeps its own client out until the lease is over: the condition knows no
// owner, and nothing is taken back.
func (g *generic) Acquire(p *host.Process, hold history.HoldID) (models.Grant, error) {
	g.begin(hold)
	retry := g.system.options.retry
	for attempt := 0; ; attempt++ {
		p.Step("acquire.send")
		reply, err := g.attempt(p)
		p.Step("acquire.reply")
		if err == nil && reply.OK {
			return models.Grant{Token: reply.Token}, nil
		}
		if retry.Over(attempt) {
			return models.Grant{}, models.ErrNotAcquired
		}
		p.Sleep(retry.Delay(attempt, &g.random))
	}
}

// attempt is the one statement that acquires.
func (g *generic) attempt(p *host.Process) (network.Message, error) {
	now := read(p)
	p.Step(stepDated)
	b := g.statement(OpUpsert, g.system.options.ttl, now, now)
	if age := g.system.options.age; age > 0 {
		return g.runAndCommit(p, b, age)
	}
	return g.run(p, b)
}

// Valid implements [models.Locker]: there is nothing that the program knows.
func (g *generic) Valid(*host.Process) bool { return true }

// Renew implements [models.Renewer]. A renewal whose reply does not come may have been
// applied, and the next one may be answered.
func (g *generic) Renew(p *host.Process) error {
	p.Step("renew.send")
	now := read(p)
	reply, err := g.run(p, g.statement(OpExtend, g.system.options.ttl, now, now))
	p.Step("renew.reply")
	if err == nil && !reply.OK {
		return models.ErrNotHeld
	}
	return err
}

// Release implements [models.Locker].
func (g *generic) Release(p *host.Process) error {
	p.Step("release.send")
	now := read(p)
	reply, err := g.run(p, g.statement(OpRelease, 0, now, now))
	p.Step("release.reply")
	if err == nil && !reply.OK {
		return models.ErrNotHeld
	}
	return err
}
