package dbrow

import (
	"errors"
	"testing"
	"time"

	"fencepost/models"
	"fencepost/sim/history"
	"fencepost/sim/host"
)

// A message takes 1 ms. The statement is the whole transaction: it is applied after one and
// answered after two, and the lease counts from the instant in between, in microseconds.
func TestAcquireRenewRelease(t *testing.T) {
	r := newRig(t, 1, set{"token": "column"})
	u := r.run(0, 5*ms, 4*second)
	renewal := r.Renew(0, 3*second)
	r.Run(5 * second)
	g := r.Want(u.Hold, history.Grant)
	equal(t, "granted", g.At, at(6*ms))
	equal(t, "promised until", g.Until, at(6*ms+10*second-µs))
	equal(t, "acquired", u.Acquired, at(7*ms))
	equal(t, "tokens", [2]int64{g.Token, u.Token}, [2]int64{1, 1})
	p := r.Want(u.Hold, history.Promise)
	equal(t, "renewed", p.At, at(3*second+ms))
	equal(t, "promised until", p.Until, at(13*second+ms-µs))
	equal(t, "the renewal", renewal.Err, nil)
	r.ended(u.Hold, 7*ms+4*second+ms, "released")
	equal(t, "lock_until after the release", r.row().until, (7*ms + 4*second + ms).Microseconds())
	equal(t, "the release", u.Err, nil)
	r.sound()
}

// lock_until <= now: a row written at 1 ms is free for a statement of 10.001 s, and not for
// one of a microsecond before.
func TestExpiry(t *testing.T) {
	for _, c := range []struct {
		early time.Duration
		gets  bool
	}{{µs, false}, {0, true}} {
		r := newRig(t, 2, set{"attempts": "1"})
		u, other := r.run(0, 0, 0), r.run(1, 10*second-c.early, 0)
		r.Run(11 * second)
		equal(t, "let in", other.Acquired != 0, c.gets)
		if c.gets {
			r.ended(u.Hold, 10*second+ms, "expired")
		} else if ends := r.Records(u.Hold, history.ServiceEnd); len(ends) != 0 {
			t.Errorf("nothing ends a row but its next owner: %+v", ends)
		}
		equal(t, "promises broken", r.Grants.Violated(), false)
	}
}

// Who does not get it asks again every 100 ms, after a round trip of 2 ms each time: at 10,
// 112, 214, 316 ms and so on. The release is applied at 303 ms, so the fourth attempt, whose
// statement is applied at 317 ms, gets in.
func TestContention(t *testing.T) {
	r := newRig(t, 2, nil)
	first, other := r.run(0, 0, 300*ms), r.run(1, 10*ms, 0)
	r.Run(second)
	r.ended(first.Hold, 303*ms, "released")
	equal(t, "granted", r.Want(other.Hold, history.Grant).At, at(317*ms))
	r.sound()
}

// A client gives up after so many attempts.
func TestAttempts(t *testing.T) {
	r := newRig(t, 2, set{"attempts": "3"})
	r.run(0, 0, 0)
	other := r.run(1, 10*ms, 0)
	r.Run(second)
	equal(t, "skipped", other.Skipped, at(10*ms+3*2*ms+2*100*ms))
}

// A crashed holder's row stays until its time is over.
func TestCrashOfTheHolder(t *testing.T) {
	r := newRig(t, 2, nil)
	u, other := r.run(0, 0, 0), r.run(1, 0, 0)
	r.At(second, func() { r.Env.Clients[0].Crash(host.LoseUnsynced) })
	r.Run(12 * second)
	if other.Acquired < at(10*second) || other.Acquired > at(10*second+110*ms) {
		t.Errorf("the other client is let in at %v", other.Acquired)
	}
	equal(t, "why", r.Want(u.Hold, history.ServiceEnd).Text, "expired")
	r.sound()
}

// What is over, or another's, is neither renewed nor released. A row that is over and that
// nobody has taken cannot be renewed, but it can be released: the release does not ask.
func TestLostLock(t *testing.T) {
	r := newRig(t, 2, nil)
	u, other := r.run(0, 0, 12*second), r.run(1, 9*second, 0)
	late := r.Renew(0, 11*second)
	r.Run(13 * second)
	equal(t, "the renewal", late.Err, models.ErrNotHeld)
	equal(t, "the release", u.Err, models.ErrNotHeld)
	equal(t, "the next holder's row", r.row().hold, other.Hold)
	r.wantKinds(other.Hold, history.Grant, history.BeliefBegin)

	r = newRig(t, 1, nil)
	u, late = r.run(0, 0, 12*second), r.Renew(0, 11*second)
	r.Run(13 * second)
	equal(t, "the renewal", late.Err, models.ErrNotHeld)
	equal(t, "the release", u.Err, nil)
	r.ended(u.Hold, 12*second+3*ms, "released")
}

// F1.4: the task outlives its lease, and nobody tells it. The service keeps its promise.
func TestOverrun(t *testing.T) {
	for _, client := range []string{"generic", "shedlock"} {
		r := newRig(t, 2, set{"client": client})
		r.run(0, 0, 15*second)
		other := r.run(1, 10*second+50*ms, 0)
		r.Run(14 * second)
		equal(t, "the other client is let in", other.Acquired != 0, true)
		equal(t, "the first one's validity", r.Lockers[0].Valid(nil), true)
		r.judged("exclusion")
	}
}

// The reply to the statement that got the row is lost. After the timeout of 3 s the client
// tries again, finds the row taken, by itself, and waits until that is over at 10.001 s.
// The row was granted twice, to one hold, with two tokens.
func TestLostReply(t *testing.T) {
	r := newRig(t, 1, set{"timeout": "3s", "token": "column"})
	r.lose(r.db(), r.Env.Clients[0], 100*ms)
	u := r.run(0, 0, 0)
	r.Run(12 * second)
	r.wantKinds(u.Hold, history.Grant, history.ServiceEnd, history.Grant, history.BeliefBegin)
	if u.Acquired < at(10*second+ms) || u.Acquired > at(10*second+110*ms) || u.Token != 2 {
		t.Errorf("acquired at %v with token %d", u.Acquired, u.Token)
	}
	r.sound()
}

// A client that gave up after a lost reply leaves a row that is locked for nobody.
func TestLostReplyAndGivenUp(t *testing.T) {
	r := newRig(t, 2, set{"timeout": "3s", "attempts": "1"})
	r.lose(r.db(), r.Env.Clients[0], 100*ms)
	u, early, late := r.run(0, 0, 0), r.run(1, 5*second, 0), r.run(1, 11*second, 0)
	r.Run(12 * second)
	r.wantKinds(u.Hold, history.Grant, history.GiveUp, history.ServiceEnd)
	equal(t, "skipped at", early.Skipped, at(5*second+2*ms))
	equal(t, "let in at", late.Acquired, at(11*second+2*ms))
	r.sound()
}

// A statement that its client no longer waits for is applied all the same, if it is a
// transaction of its own: it came late, and not in vain.
func TestLateStatement(t *testing.T) {
	r := newRig(t, 2, set{"timeout": "3s", "attempts": "1"})
	r.holdBack(r.Env.Clients[0], r.db(), OpUpsert, 5*second)
	u := r.run(0, 0, 0)
	r.Run(6 * second)
	equal(t, "given up", u.Skipped, at(3*second))
	r.wantKinds(u.Hold, history.GiveUp, history.Grant)
	equal(t, "the row is its", r.row().hold, u.Hold)
}

// A release or a renewal without an answer tells of that, and not that the lock is lost.
func TestNoAnswer(t *testing.T) {
	r := newRig(t, 1, set{"timeout": "1s"})
	u := r.run(0, 0, 3*second)
	r.At(second, func() { r.Cut(r.db(), r.Env.Clients[0]) })
	renewal := r.Renew(0, 1500*ms)
	r.Run(9 * second)
	if !errors.Is(renewal.Err, host.ErrTimeout) {
		t.Errorf("renewed with %v", renewal.Err)
	}
	equal(t, "it came back", renewal.Done, at(2500*ms))
	if !errors.Is(u.Err, host.ErrTimeout) || u.Released != at(4*second+2*ms) {
		t.Errorf("released at %v with %v", u.Released, u.Err)
	}
}

// Without a timeout, as pgjdbc has none, a client waits for ever for a reply that is lost.
func TestNoTimeout(t *testing.T) {
	r := newRig(t, 1, set{"timeout": "0s"})
	r.lose(r.db(), r.Env.Clients[0], 100*ms)
	u := r.run(0, 0, 0)
	r.Run(24 * 3600 * second)
	equal(t, "acquired", u.Acquired, 0)
	equal(t, "skipped", u.Skipped, 0)
}

// The token rises with every takeover and with nothing else: not with a refusal, not with a
// renewal, not with a release.
func TestToken(t *testing.T) {
	r := newRig(t, 2, set{"token": "column", "attempts": "1"})
	var holders []*task
	for i := range 4 {
		start := time.Duration(i) * second
		holders = append(holders, r.run(i%2, start, 500*ms))
		r.run(1-i%2, start+100*ms, 0)
		r.Renew(i%2, start+200*ms)
	}
	r.Run(5 * second)
	for i, u := range holders {
		equal(t, "token", u.Token, int64(i+1))
	}
	r = newRig(t, 1, nil)
	u := r.run(0, 0, 0)
	r.Run(second)
	equal(t, "without the column", u.Token, 0)
	equal(t, "and in the record", r.Want(u.Hold, history.Grant).Token, 0)
}
