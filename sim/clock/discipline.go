package clock

import (
	"time"

	"fencepost/sim"
	"fencepost/sim/rng"
)

// Discipline is what a time daemon does to the clock of its host. It measures the
// offset now and then and slews it away, or steps the clock. What it asks for the time
// is not simulated: a measurement takes no time, and its error is drawn. Without a Poll
// above zero there is no daemon.
type Discipline struct {
	// Poll is the time from one measurement to the next.
	Poll rng.Dist
	// Noise is how far a measured offset is from the real one.
	Noise Spread
	// Residual is the rate that is left once the daemon has corrected it, drawn anew with
	// each measurement, in nanoseconds a second. Without a size the rate stays.
	Residual Spread
	// SlewPPB is the fastest slew, SlewOver the least time that it is spread over. A
	// daemon without a SlewPPB steps whatever it measures.
	SlewPPB  int64
	SlewOver time.Duration
	// StepFrom is the offset from which on it steps instead, 0 for never; StepUpdates how
	// many measurements after its start may end in a step, 0 for all; StepOut how long
	// every measured offset has to be so large before it steps. Until then it touches
	// neither offset nor rate, and a slew under way goes on.
	//
	// ntpd waits for StepOut once it is synchronised, so that a spike does no harm; what it
	// measures first after its start is stepped at once (local_clock in
	// ntpd/ntp_loopfilter.c of the NTP distribution: SYNC and SPIK return without an update,
	// NSET and FSET step). It is taken to have its drift file: without one (NSET) it would
	// measure the frequency for StepOut then. timesyncd makes no difference between its
	// start and later (manager_adjust_clock), and chronyd none but StepUpdates (makestep in
	// chrony.conf(5)).
	StepFrom    time.Duration
	StepUpdates uint64
	StepOut     time.Duration
	// Panic is the offset above which the daemon exits, 0 for none; also at its start, as
	// ntpd does without -g.
	Panic time.Duration
}

// daemon is a running daemon's memory.
type daemon struct {
	updates uint64   // measurements since its start
	synced  bool     // it has corrected the clock since then
	large   bool     // the last measured offset was one to step
	since   sim.Time // and so were all from then on
	quit    bool
}

// remedy is what a daemon does about a measured offset.
type remedy uint8

const (
	wait remedy = iota
	step
	slewAway
	exit
)

// decide is the daemon's answer to an offset that it measures at true time t.
func (m *daemon) decide(d *Discipline, offset time.Duration, t sim.Time) remedy {
	m.updates++
	size := time.Duration(abs(int64(offset)))
	if d.Panic > 0 && size > d.Panic {
		return exit
	}
	if d.SlewPPB == 0 {
		return step
	}
	if d.StepFrom == 0 || size < d.StepFrom || d.StepUpdates > 0 && m.updates > d.StepUpdates {
		m.large, m.synced = false, true
		return slewAway
	}
	if !m.large {
		m.large, m.since = true, t
	}
	if m.synced && t.Sub(m.since) < d.StepOut {
		return wait
	}
	m.large, m.synced = false, true
	return step
}

// slewTime is how long it takes to slew an offset away.
func (d *Discipline) slewTime(offset time.Duration) time.Duration {
	return max(d.SlewOver, time.Duration(mulDivUp(abs(int64(offset)), 1e9, d.SlewPPB)))
}
