package host

import "time"

// Work keeps the processor busy for d of the host's monotonic clock. Time during which
// the host stands still does not count: a pause makes the work end later by its length,
// where it would only swallow a part of a [Process.Sleep].
func (p *Process) Work(d time.Duration) {
	start, halted := p.Now(), p.host.halt.total
	for left := d; left > 0; {
		p.alive("Work")
		p.host.compute(1)
		p.sleep(left, forTimer)
		p.host.compute(-1)
		left = d - (p.Now().Sub(start) - (p.host.halt.total - halted))
	}
}

// spend takes the CPU time of a step. It is work where somebody keeps accounts of the
// processor. Elsewhere a halt that falls into it swallows what is left of it.
func (p *Process) spend(d time.Duration) {
	if p.host.quota.period == 0 || d <= 0 {
		p.sleep(d, forTimer)
		return
	}
	p.Work(d)
}
