package sim

import (
	"fmt"
	"iter"
)

// killed is the one sentinel with which a process is unwound. It is private: user
// code cannot tell it from any other panic, and must not swallow it.
type killed struct{}

// maxCallsAfterDeath is how often a dead process may call its API again (from
// deferred functions, say) before it is reported as broken.
const maxCallsAfterDeath = 1000

// Coroutine runs sequential code that the event loop resumes and that suspends
// itself. It is a goroutine of the iter.Pull kind: control passes directly, about
// 60 ns a switch, and never runs beside the event loop.
type Coroutine struct {
	next   func() (struct{}, bool)
	stop   func()
	yield  func(struct{}) bool
	job    func()
	busy   bool // has a job that has not ended
	active bool // control is inside it now
	dead   bool
	echoes int // API calls since death
	broken error
}

// Pool keeps idle coroutines for reuse, so that a trial creates none.
type Pool struct {
	idle []*Coroutine
	all  []*Coroutine
}

// Get returns a coroutine that will run job when it is first resumed.
func (p *Pool) Get(job func()) *Coroutine {
	var c *Coroutine
	if n := len(p.idle); n > 0 {
		c, p.idle = p.idle[n-1], p.idle[:n-1]
	} else {
		c = newCoroutine()
		p.all = append(p.all, c)
	}
	c.job, c.busy, c.dead, c.echoes = job, true, false, 0
	return c
}

// Put takes back a coroutine whose job has ended.
func (p *Pool) Put(c *Coroutine) {
	if c.busy {
		panic("sim: a running coroutine was returned to the pool")
	}
	p.idle = append(p.idle, c)
}

// Close ends every coroutine of the pool, running ones too.
func (p *Pool) Close() {
	for _, c := range p.all {
		if c.broken == nil {
			c.Kill()
			c.stop()
		}
	}
	p.all, p.idle = nil, nil
}

func newCoroutine() *Coroutine {
	c := &Coroutine{}
	c.next, c.stop = iter.Pull(func(yield func(struct{}) bool) {
		c.yield = yield
		for yield(struct{}{}) {
			c.run()
		}
	})
	c.next() // run up to the first yield, where it waits for a job
	return c
}

// run runs one job. A kill unwinds to here and no further, so the coroutine
// survives its process and can be used again.
func (c *Coroutine) run() {
	defer func() {
		c.busy, c.job = false, nil
		if r := recover(); r != nil {
			if _, ok := r.(killed); !ok {
				panic(r)
			}
		}
	}()
	if !c.dead { // killed before its first instruction
		c.job()
	}
}

// Resume runs the job until it suspends or ends, and reports whether it ended.
func (c *Coroutine) Resume() (ended bool) {
	c.active = true
	c.next()
	c.active = false
	if c.broken != nil {
		panic(c.broken)
	}
	return !c.busy
}

// Suspend gives control back to the event loop until the next Resume. It does not
// return if the process has been killed meanwhile.
func (c *Coroutine) Suspend() {
	c.CheckAlive("suspend")
	c.yield(struct{}{})
	if c.dead {
		panic(killed{})
	}
}

// Dead reports whether the job was killed.
func (c *Coroutine) Dead() bool { return c.dead }

// Busy reports whether the coroutine has a job that has not ended.
func (c *Coroutine) Busy() bool { return c.busy }

// CheckAlive unwinds the caller if its process is dead: after a crash, calls have
// no effect. Code that catches the unwinding and goes on calling is reported as an
// internal error that names what it calls.
func (c *Coroutine) CheckAlive(who string) {
	if !c.dead {
		return
	}
	if c.echoes++; c.echoes > maxCallsAfterDeath {
		c.broken = fmt.Errorf("sim: %s is called on and on after its crash (%d times): the code recovers from a panic that is not its own", who, c.echoes)
		for {
			c.yield(struct{}{}) // parked; the run ends with the error above
		}
	}
	panic(killed{})
}

// Kill unwinds the job, running its deferred functions inertly. A job that kills
// itself (a crash placed on its own step) unwinds at its next API call instead.
func (c *Coroutine) Kill() {
	c.dead = true
	for c.busy && !c.active && c.broken == nil {
		c.Resume()
	}
}
