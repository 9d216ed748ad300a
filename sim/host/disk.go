package host

import (
	"slices"
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
	// Instead, if Replace is set, is how long an fsync takes at least: the disk itself may
	// be slower, and so may another slowdown. Key is a hash of what the slowdown is, the
	// trial's seed included; it and the number of the fsync key the noise.
	Replace bool
	Instead rng.Dist
	Key     uint64
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

// Syncs returns how many fsyncs have begun in this run.
func (d *Disk) Syncs() uint64 { return d.syncs }

func (d *Disk) reset() { *d = Disk{host: d.host, slow: d.slow[:0]} }

// Sync begins an fsync. It reports true if that takes no time; otherwise the server's
// Timer is called with the tag when it is done. It is forgotten in a crash.
func (d *Disk) Sync(tag int) (done bool) {
	h := d.host
	now, takes := d.now(), d.draw()
	due := now.Add(takes)
	if d.stalls() && due < d.stallEnd() {
		d.delayed++
		due = d.stallEnd()
	}
	if due <= now {
		return true
	}
	slot := h.newTimer()
	t := &h.timers[slot]
	t.tag, t.by, t.sync = tag, byMachine, true
	h.arm(slot, due)
	return false
}

// draw is how long the next fsync takes on a disk that does not stall.
func (d *Disk) draw() time.Duration {
	d.syncs++
	takes := d.sample(d.fsync, rng.Hash(d.seed, d.name, d.id, d.syncs))
	for _, s := range d.slow {
		s.Touched++
		if s.Replace {
			takes = max(takes, d.sample(s.Instead, rng.Hash(s.Key, d.syncs)))
		}
	}
	for _, s := range d.slow {
		if s.Den > 0 {
			takes = takes/time.Duration(s.Den)*time.Duration(s.Num) + takes%time.Duration(s.Den)*time.Duration(s.Num)/time.Duration(s.Den)
		}
	}
	return takes
}

func (d *Disk) sample(fsync rng.Dist, key uint64) time.Duration {
	if takes, ok := fsync.IsConstant(); ok {
		return takes
	}
	s := rng.New(key, d.host.fleet.World.Digest())
	return fsync.Sample(&s)
}

// Slow puts a slowdown in force, for the fsyncs that begin from now on.
func (d *Disk) Slow(s *Slowdown) { d.slow = append(d.slow, s) }

// Restore ends a slowdown. One that is not in force is none of its business.
func (d *Disk) Restore(s *Slowdown) {
	if i := slices.Index(d.slow, s); i >= 0 {
		d.slow = slices.Delete(d.slow, i, i+1)
	}
}

// Stall makes every fsync that is under way, or begins before an instant of true time, end
// no earlier than then.
func (d *Disk) Stall(until sim.Time) {
	if until <= d.stalled {
		return
	}
	d.stalled, d.since = until, d.now()
	end := d.stallEnd()
	for slot := range d.host.timers {
		if t := &d.host.timers[slot]; t.armed && d.holds(t) && t.due < end {
			d.delay(int32(slot))
		}
	}
}

// Stalled is until when the disk stalls, or did.
func (d *Disk) Stalled() sim.Time { return d.stalled }

// delay has an fsync end with the stall.
func (d *Disk) delay(slot int32) {
	d.delayed++
	d.host.arm(slot, d.stallEnd())
}

// now is the time of what the machine does. It is no program's clock, and none that is
// wrong.
func (d *Disk) now() clock.Mono { return d.host.machine.Mono(d.host.fleet.World.Now()) }

// stallEnd is when the stall will be over if the machine is not suspended until then.
func (d *Disk) stallEnd() clock.Mono { return d.host.machine.Mono(d.stalled) }

func (d *Disk) stalls() bool { return d.host.fleet.World.Now() < d.stalled }

// holds reports whether a timer is that of an fsync that the disk holds up. It is asked
// again when the timer is due: a stall that begins while the machine is suspended does not
// know yet how far the machine will come in it. An fsync that was done before the stall,
// but not noticed in a pause, is done.
func (d *Disk) holds(t *timer) bool { return t.sync && d.stalls() && t.due >= d.since }

// Delayed counts the fsyncs that stalls have made late so far.
func (d *Disk) Delayed() uint64 { return d.delayed }
