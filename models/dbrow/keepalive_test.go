package dbrow

import (
	"testing"
	"time"

	"fencepost/models"
	"fencepost/sim/history"
	"fencepost/sim/host"
)

// newKept is ShedLock with a keep-alive and a TTL of 30 s, the least that it accepts.
func newKept(t *testing.T, clients int, params set) *rig {
	all := set{"keep-alive": "on", "ttl": "30s"}
	for name, v := range params {
		all[name] = v
	}
	return newShed(t, clients, all)
}

// The thread begins when the lock is got, at 4 ms, and extends every 15 s. A task that is
// much longer than the TTL keeps the lock.
func TestKeepAlive(t *testing.T) {
	r := newKept(t, 2, nil)
	u := r.run(0, 0, 70*second)
	var skipped []*task
	for i := range 6 {
		skipped = append(skipped, r.run(1, time.Duration(i+1)*11*second, 0))
	}
	next := r.run(1, 71*second, 0)
	r.Run(80 * second)
	for i, p := range r.Records(u.Hold, history.Promise) {
		due := time.Duration(i+1)*15*second + 4*ms
		equal(t, "extended", p.At, at(due+3*ms))
		equal(t, "promised until", p.Until, at(due+ms+30*second-µs))
	}
	equal(t, "extensions", len(r.Records(u.Hold, history.Promise)), 4)
	for _, s := range skipped {
		equal(t, "skipped", s.Skipped != 0, true)
	}
	equal(t, "the release", u.Err, nil)
	equal(t, "the next one is let in", next.Acquired != 0, true)
	r.sound()
}

// The program cannot extend such a lock itself.
func TestKeepAliveIsNoRenewer(t *testing.T) {
	r := newKept(t, 1, nil)
	if _, ok := r.Lockers[0].(models.Renewer); ok {
		t.Error("KeepAliveLock.doExtend is not supported")
	}
}

// A process that stood still past its own estimate does not try to extend, and its task is
// not told: it works on beside the next.
func TestKeepAliveAfterALongPause(t *testing.T) {
	r := newKept(t, 2, nil)
	r.At(second, func() { r.pause(0, 32*second) })
	u, other := r.run(0, 0, 40*second), r.run(1, 31*second, 0)
	r.Run(38 * second)
	equal(t, "the other is let in", other.Acquired != 0, true)
	equal(t, "extensions", len(r.Records(u.Hold, history.Promise)), 0)
	equal(t, "noted", r.notes(u.Hold)[0], "keep-alive stopped: over before it was extended")
	equal(t, "the task's validity", r.Lockers[0].Valid(nil), true)
	r.judged("exclusion")
	r.Run(50 * second)
	equal(t, "the release", u.Err, nil)
	r.wantKinds(other.Hold, history.Grant, history.BeliefBegin, history.Promise)
}

// What was due in a pause is made up for, at a fixed rate: the extension of 15.004 s is sent
// at 29 s, when the pause is over, and the next one at 30.004 s all the same.
func TestKeepAliveRunsAtAFixedRate(t *testing.T) {
	r := newKept(t, 1, nil)
	r.At(14*second, func() { r.pause(0, 29*second) })
	u := r.run(0, 0, 0)
	r.Run(31 * second)
	p := r.Records(u.Hold, history.Promise)
	if len(p) != 2 || p[0].At != at(29*second+3*ms) || p[1].At != at(30*second+7*ms) {
		t.Errorf("extended %+v", p)
	}
}

// The estimate is the wall clock's. One that was set forward has the thread give up a lease
// that runs; one that was set back has it ask for what is over. If the row is another's, it
// logs and stops, and the release sends nothing.
func TestKeepAliveTrustsTheWallClock(t *testing.T) {
	r := newKept(t, 1, nil)
	r.At(second, func() { r.Env.Clients[0].Clock.Step(40 * second) })
	u := r.run(0, 0, 0)
	r.Run(20 * second)
	equal(t, "set forward", r.notes(u.Hold)[0], "keep-alive stopped: over before it was extended")

	r = newKept(t, 2, nil)
	r.At(second, func() { r.pause(0, 32*second); r.Env.Clients[0].Clock.Step(-10 * second) })
	u, other := r.run(0, 0, 32*second), r.run(1, 31*second, 0)
	r.Run(40 * second)
	equal(t, "set back", r.notes(u.Hold)[0], "keep-alive stopped: could not be extended")
	equal(t, "the release", u.Err, models.ErrNotHeld)
	r.wantKinds(other.Hold, history.Grant, history.BeliefBegin)
}

// F1.3 with a keep-alive: of two processes of one host's name the first, whose lease was over
// unnoticed, keeps the lock of the second alive, and both go on.
func TestKeepAliveOfAnotherRun(t *testing.T) {
	r := newKept(t, 2, set{"owner": "one-host"})
	r.At(second, func() { r.pause(0, 32*second); r.Env.Clients[0].Clock.Step(-10 * second) })
	u, other := r.run(0, 0, 0), r.run(1, 31*second, 0)
	r.Run(40 * second)
	equal(t, "the second's promises", len(r.Records(other.Hold, history.Promise)) > 0, true)
	equal(t, "noted", r.notes(u.Hold)[0], "extended the lock of hold 2, of the same owner")
	r.judged("exclusion")
}

// An extension that is not answered throws, and an executor does not run again what threw:
// the thread stops. Nobody is told, and the lock is over 30 s after the extension, if that
// was applied, which its commit was not: 30.001 s.
func TestKeepAliveWithoutAnAnswer(t *testing.T) {
	r := newKept(t, 2, set{"timeout": "1s"})
	r.At(10*second, func() { r.lose(r.db(), r.Env.Clients[0], 16*second) })
	u, other := r.run(0, 0, 0), r.run(1, 30*second+100*ms, 0)
	r.Run(32 * second)
	equal(t, "noted", r.notes(u.Hold)[0], "keep-alive stopped: "+host.ErrTimeout.Error())
	equal(t, "the other is let in", other.Acquired != 0, true)
	r.judged("exclusion")
}

// A release waits for an extension under way, and then releases what that has got.
func TestReleaseWaitsForTheExtension(t *testing.T) {
	r := newKept(t, 1, nil)
	r.At(15*second, func() { r.holdBack(r.Env.Clients[0], r.db(), OpExtend, 17*second) })
	u := r.run(0, 0, 16*second)
	r.Run(20 * second)
	equal(t, "extended", r.Want(u.Hold, history.Promise).At, at(17*second+2*ms))
	equal(t, "released", u.Released, at(17*second+3*ms+4*ms))
	equal(t, "the release", u.Err, nil)
	r.ended(u.Hold, 17*second+6*ms, "released")
}

// Each extension takes half a TTL off lock-at-least-for. By the client's time that counts
// from the extension, so the row is kept until 15.004 s + 15 s as it should be; by the
// database's it counts from locked_at, which no extension changes: the row is free when a
// task of 16 s is done, and not after 30 s.
func TestKeepAliveShortensLockAtLeastFor(t *testing.T) {
	for mode, until := range map[string]time.Duration{"client": 30*second + 4*ms, "database": 16*second + 5*ms} {
		r := newKept(t, 1, set{"time": mode, "lock-at-least-for": "30s"})
		r.run(0, 0, 16*second)
		r.Run(20 * second)
		equal(t, mode+": lock_until", r.row().until, until.Microseconds())
	}
}

// A release ends the extensions: of a row that lock-at-least-for keeps, too.
func TestKeepAliveEndsWithTheRelease(t *testing.T) {
	r := newKept(t, 1, set{"lock-at-least-for": "20s"})
	u := r.run(0, 0, second)
	r.Run(17 * second)
	equal(t, "notes", len(r.notes(u.Hold)), 0)
	equal(t, "lock_until", r.row().until, (ms + 20*second).Microseconds())
}

// A second task of one process is kept alive by the same thread.
func TestKeepAliveOfTheNextTask(t *testing.T) {
	r := newKept(t, 1, nil)
	r.run(0, 0, second) // the thread has nothing to do at 15.004 s
	u := r.run(0, 25*second, 40*second)
	r.Run(66 * second)
	p := r.Records(u.Hold, history.Promise)
	if len(p) != 2 || p[0].At != at(40*second+4*ms+3*ms) { // acquired by an update, at 25.004 s
		t.Errorf("extended %+v", p)
	}
	equal(t, "the release", u.Err, nil)
	r.sound()
}
