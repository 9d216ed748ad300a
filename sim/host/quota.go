package host

import (
	"time"

	"fencepost/sim"
)

// quota is a limit on the host's CPU time, as Linux's CFS bandwidth control sets one for a
// container: a budget that is full at the start of every period (kernel documentation,
// scheduler/sched-bwc, https://docs.kernel.org/scheduler/sched-bwc.html). Accounts are
// kept in true time, to the nanosecond: what the kernel hands out to each processor in
// slices of 5 ms, and its bursts, are left out.
type quota struct {
	budget, period time.Duration // no limit without a period
	origin         sim.Time      // a period began then
	used           time.Duration // of the budget of the current period
	since          sim.Time      // up to then
	busy           int           // processes that compute
	gen            uint32
	throttles      uint64
}

// SetQuota limits the CPU time of the host's processes, in Step and Work, to a budget in
// each period. Processes that compute at the same time spend it at the same time, each on
// a processor of its own: with n of them the host stops after budget/n, until the next
// period begins, which is a stop of period − budget/n out of every period. What becomes
// due meanwhile is handled late, as in a pause.
//
// The first period begins now; who wants another phase calls it at another instant.
// Without a budget and a period above zero there is no limit, and a host that is
// throttled goes on.
func (h *Host) SetQuota(budget, period time.Duration) {
	q, now := &h.quota, h.fleet.World.Now()
	if budget <= 0 || period <= 0 {
		budget, period = 0, 0
	}
	q.budget, q.period, q.origin, q.used, q.since = budget, period, now, 0, now
	if s := &h.halt; s.force[byQuota] {
		s.until[byQuota] = now
		h.wakeAt(now)
	}
	h.planThrottle()
}

// Throttled counts how often the quota has stopped the host while a process of it wanted
// the processor.
func (h *Host) Throttled() uint64 { return h.quota.throttles }

// compute takes a process in or out of those that keep the processor busy.
func (h *Host) compute(by int) {
	q := &h.quota
	if q.period > 0 {
		q.charge(h.fleet.World.Now(), h.state == Running)
	}
	q.busy += by
	h.planThrottle()
}

// charge brings the account to an instant. A budget that was not used up is forgotten at
// the end of its period.
func (q *quota) charge(now sim.Time, running bool) {
	if q.period == 0 {
		return
	}
	if start := q.start(now); q.since < start {
		q.since, q.used = start, 0
	}
	if running {
		q.used += time.Duration(q.busy) * now.Sub(q.since)
	}
	q.since = now
}

// start is when the period of an instant began.
func (q *quota) start(now sim.Time) sim.Time {
	return now - sim.Time(now.Sub(q.origin)%q.period)
}

// idle ends the account of processes that are gone.
func (q *quota) idle() {
	q.busy = 0
	q.gen++
}

// planThrottle schedules the instant at which the budget will be used up if nobody begins
// or stops to compute before. Whoever is done in that instant, or wakes in it, is so
// before the host stops; that is why it comes last in the instant.
func (h *Host) planThrottle() {
	q, now := &h.quota, h.fleet.World.Now()
	q.gen++
	if q.period == 0 || q.busy == 0 || h.state != Running {
		return
	}
	q.charge(now, true)
	at, end := now.Add(q.lasts(q.budget-q.used)), q.start(now).Add(q.period)
	if at >= end {
		if at = end.Add(q.lasts(q.budget)); at >= end.Add(q.period) {
			return // it lasts for whole periods
		}
	}
	h.fleet.World.Schedule(sim.ClassDelivery, sim.Event{At: at, Target: h.target, Gen: q.gen, Kind: kindThrottle})
}

// lasts is how long the busy processes take to use up a part of the budget.
func (q *quota) lasts(left time.Duration) time.Duration {
	n := time.Duration(q.busy)
	return max(0, (left+n-1)/n)
}

// throttle stops the host until the next period.
func (h *Host) throttle() {
	q := &h.quota
	q.throttles++
	h.stand(byQuota, q.start(h.fleet.World.Now()).Add(q.period))
}
