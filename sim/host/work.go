package host

import "time"

// Work keeps the processor busy for d of true time: a processor is no slower for a clock
// that is wrong. Time during which the host stands still does not count: a pause makes the
// work end later by its length, where it would only swallow a part of a [Process.Sleep].
func (p *Process) Work(d time.Duration) {
	w := p.host.fleet.World
	start, halted := w.Now(), p.host.halt.total
	for left := d; left > 0; {
		p.alive("Work")
		p.host.compute(1)
		p.occupy(left)
		p.host.compute(-1)
		left = d - (w.Now().Sub(start) - (p.host.halt.total - halted))
	}
}

// spend takes the CPU time of a step. It is work where somebody keeps accounts of the
// processor. Elsewhere a halt that falls into it swallows what is left of it.
func (p *Process) spend(d time.Duration) {
	if p.host.quota.period == 0 || d <= 0 {
		p.occupy(d)
		return
	}
	p.Work(d)
}

// occupy waits until the machine has gone on for d.
func (p *Process) occupy(d time.Duration) {
	h := p.host
	p.wait(byMachine, h.machine.Mono(h.fleet.World.Now()).Add(max(d, 0)), forTimer)
	p.coroutine.Suspend()
}
