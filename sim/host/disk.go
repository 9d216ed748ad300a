package host

import (
	"time"

	"fencepost/sim"
	"fencepost/sim/clock"
	"fencepost/sim/rng"
)

// Disk is a host's stable storage, as far as it takes time: how long an fsync takes, and
// what makes it take longer. What is on it is the model's; see [Stable].
type Disk struct {
	host    *Host
	fsync   rng.Dist
	seed    uint64
	name    uint64
	id      uint64
	syncs   uint64     // so far, which key their noise
	stalled sim.Time   // until then
	since   clock.Mono // when that was said
	delayed uint64
	slow    []*Slowdown
}

// Slowdown makes a disk slow while it is in force. It is owned by whoever put it there, so
// that no two of them undo each other.
type Slowdown struct {
	// Instead, if Replace is set, is how long an fsync takes; of several the last counts.
	Replace bool
	Instead rng.Dist
	// Num over Den is what times are multiplied by; those of several multiply. Without a
	// Den they stay.
	Num, Den int64
	// Touched counts the fsyncs that were slower for it, or might have been.
	Touched int
}

// Configure says how long an fsync takes and what keys its noise: the trial's seed, a name
// and a number, and a counter. It is called after each reset of the fleet.
func (d *Disk) Configure(fsync rng.Dist, seed uint64, name string, id uint64) {
	d.fsync, d.seed, d.name, d.id = fsync, seed, rng.HashString(name), id
}

func (d *Disk) reset() { *d = Disk{host: d.host, slow: d.slow[:0]} }

// Sync begins an fsync. It reports true if that takes no time; otherwise the server's
// Timer is called with the tag when it is done. It is forgotten in a crash.
func (d *Disk) Sync(tag int) (done bool) {
	h := d.host
	now, takes := h.Mono(), d.draw()
	due := now.Add(takes)
	if d.stalls() && due < d.stallEnd() {
		d.delayed++
		due = d.stallEnd()
	}
	if due <= now {
		return true
	}
	slot := h.newTimer()
	h.timers[slot].tag, h.timers[slot].sync = tag, true
	h.arm(slot, due)
	return false
}

// draw is how long the next fsync takes on a disk that does not stall.
func (d *Disk) draw() time.Duration {
	d.syncs++
	fsync := d.fsync
	for _, s := range d.slow {
		s.Touched++
		if s.Replace {
			fsync = s.Instead
		}
	}
	takes, ok := fsync.IsConstant()
	if !ok {
		s := rng.New(rng.Hash(d.seed, d.name, d.id, d.syncs), d.host.fleet.World.Digest())
		takes = fsync.Sample(&s)
	}
	for _, s := range d.slow {
		if s.Den > 0 {
			takes = takes/time.Duration(s.Den)*time.Duration(s.Num) + takes%time.Duration(s.Den)*time.Duration(s.Num)/time.Duration(s.Den)
		}
	}
	return takes
}

// Slow puts a slowdown in force, for the fsyncs that begin from now on.
func (d *Disk) Slow(s *Slowdown) { d.slow = append(d.slow, s) }

// Restore ends a slowdown. One that is not in force is none of its business.
func (d *Disk) Restore(s *Slowdown) {
	for i := range d.slow {
		if d.slow[i] == s {
			d.slow = append(d.slow[:i], d.slow[i+1:]...)
			return
		}
	}
}

// Stall makes every fsync that is under way, or begins before an instant of true time, end
// no earlier than then.
func (d *Disk) Stall(until sim.Time) {
	if until <= d.stalled {
		return
	}
	h := d.host
	d.stalled, d.since = until, h.Mono()
	end := d.stallEnd()
	for slot := range h.timers {
		if t := &h.timers[slot]; t.armed && d.holds(t) && t.due < end {
			d.delayed++
			h.arm(int32(slot), end)
		}
	}
}

// stallEnd is when the stall will be over on the host's clock, as that runs now.
func (d *Disk) stallEnd() clock.Mono {
	return max(d.host.Clock.Mono(d.stalled), d.host.Mono()+1)
}

func (d *Disk) stalls() bool { return d.host.fleet.World.Now() < d.stalled }

// holds reports whether a timer is that of an fsync that the disk holds up. It is asked
// again when the timer is due, which a clock that has become faster brings early. An fsync
// that was done before the stall, but not noticed in a pause, is done.
func (d *Disk) holds(t *timer) bool { return t.sync && d.stalls() && t.due >= d.since }

// Delayed counts the fsyncs that stalls have made late so far.
func (d *Disk) Delayed() uint64 { return d.delayed }
