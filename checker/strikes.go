package checker

import (
	"time"

	"fencepost/sim"
	"fencepost/sim/history"
)

// Which faults can have to do with what. A fault counts if it struck who is to blame and was in
// force at some time of the window in which it could matter; that it is in the record is not enough.

// meets reports whether a fault was in force at some time of a window.
func meets(rec *history.Record, from, to sim.Time) bool { return rec.At <= to && rec.Until >= from }

// covers reports whether a fault was in force at an instant.
func covers(rec *history.Record, at sim.Time) bool { return meets(rec, at, at) }

// within is for how long a fault was in force in a window.
func within(rec *history.Record, from, to sim.Time) time.Duration {
	return max(0, min(rec.Until, to).Sub(max(rec.At, from)))
}

// onService reports whether a fault struck one of the lock's servers.
func onService(rec *history.Record) bool { return rec.Parties&history.Service != 0 }

// onHost reports whether a fault struck the host of a client, and not its links.
func onHost(rec *history.Record, client int) bool {
	return rec.Struck.Has(client) && !onLinks(rec)
}

// onLinks reports whether a fault disturbs links, and not a host.
func onLinks(rec *history.Record) bool {
	switch rec.Fault {
	case "cut", "isolate", "split", "hang", "reset", "loss", "duplicate", "slow", "bandwidth", "hold":
		return true
	}
	return false
}

// gained is by how much a fault let a clock run ahead in a window, or fall back if it is negative.
// By how much jitter does, nobody knows.
func gained(rec *history.Record, from, to sim.Time) time.Duration {
	switch rec.Fault {
	case "clock-step", "clock-slew":
		return time.Duration(rec.Base)
	case "clock-rate":
		return time.Duration(float64(within(rec, from, to)) * float64(rec.Base) / 1e9)
	case "clock-freeze":
		return -within(rec, from, to)
	}
	return 0
}

// clientOf is the index of a hold's client.
func (f *facts) clientOf(id history.HoldID) int { return f.recorder.Hold(id).Client }

// promisedSince is when the promise to a hold was made that ran at an instant, and the one before
// it, which is the attempt if there was none: between them a quorum may have begun to make it.
func (f *facts) promisedSince(id history.HoldID, at sim.Time) (last, before sim.Time) {
	last, before = f.attempted[id], f.attempted[id]
	for i := range f.recorder.Records {
		rec := &f.recorder.Records[i]
		if rec.Hold == id && rec.At <= at && (rec.Kind == history.Grant || rec.Kind == history.Promise) {
			last, before = rec.At, last
		}
	}
	return last, before
}

// endOf returns how the service ended a hold by an instant, if it did and has not let it in again.
func (f *facts) endOf(id history.HoldID, by sim.Time) (end history.Record, ended bool) {
	for i := range f.recorder.Records {
		switch rec := &f.recorder.Records[i]; {
		case rec.Hold != id || rec.At > by:
		case rec.Kind == history.ServiceEnd:
			end, ended = *rec, true
		case rec.Kind == history.Grant:
			ended = false
		}
	}
	return end, ended
}
