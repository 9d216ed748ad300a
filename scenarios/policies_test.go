package scenarios

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"fencepost/models"
	"fencepost/models/modeltest"
	"fencepost/sim"
	"fencepost/sim/history"
)

// What a client does about renewals, losses and its release is said in a scenario and is the
// same for every lock. These tests run each of those policies under each lock: what they
// expect follows from what the policy means, and from the documented answers of the libraries.

// everyLock runs a scenario under every lock, and what is asked about each.
func everyLock(t *testing.T, content string, ask func(t *testing.T, lock string, w *watch)) {
	t.Helper()
	modeltest.ManyTrials(t)
	for lock, w := range watchAll(t, content) {
		t.Run(lock, func(t *testing.T) { ask(t, lock, w) })
	}
}

// one is a client that does something under a lock of some length, in a run of hours.
func one(ttl, client, rest string) string {
	return fmt.Sprintf("name: policies\nuntil: 5h\nlock: {ttl: %s}\nclients:\n  - {%s}\n%s", ttl, client, rest)
}

// renewers are the libraries that renew when the program asks them to.
var renewers = []string{"advisory", "dbrow", "redis", "redis-replica", "redlock"}

// The release begins so long after the section has ended, to the nanosecond.
func TestReleaseDelay(t *testing.T) {
	for _, c := range []struct {
		policy string
		delay  time.Duration
	}{{"", 0}, {", release-delay: 3s", 3 * time.Second}} {
		everyLock(t, one("10s", "between: 20ms"+c.policy, ""), func(t *testing.T, _ string, w *watch) {
			ended, began := w.of(history.BeliefEnd), w.of(history.ReleaseBegin)
			if len(ended) != 1 || len(began) != 1 || len(w.releases) != 1 {
				t.Fatalf("ended %v, began to release %v, released %v", ended, began, w.releases)
			}
			if got := began[0].At.Sub(ended[0].At); got != c.delay || w.releases[0].at != began[0].At {
				t.Errorf("began to release after %v, want %v", got, c.delay)
			}
		})
	}
}

// Each renewal comes so much later than it is due, and that is counted from the one before.
func TestRenewLate(t *testing.T) {
	for _, c := range []struct {
		policy string
		period time.Duration
	}{{"", 3 * time.Second}, {", renew-late: 1s", 4 * time.Second}} {
		everyLock(t, one("10s", "between: 21s, renew: 3s"+c.policy, ""), func(t *testing.T, lock string, w *watch) {
			if !slices.Contains(renewers, lock) {
				if len(w.renewals) > 0 {
					t.Error("a library that renews by itself was asked to")
				}
				return
			}
			last := w.of(history.BeliefBegin)[0].At
			for _, r := range w.renewals {
				if got := r.at.Sub(last); got != c.period || r.err != nil {
					t.Errorf("renewed %v after the one before, want %v: %v", got, c.period, r.err)
				}
				last = r.back
			}
			if want := int(21 * time.Second / c.period); len(w.renewals) < want-1 || len(w.renewals) > want {
				t.Errorf("%d renewals", len(w.renewals))
			}
		})
	}
}

// The servers are silent from 5 s to 2 min, in which each library that is asked to renew gives
// up at some time. The lease is longer than that: nothing is lost.
func TestRenewOnError(t *testing.T) {
	for _, quit := range []bool{false, true} {
		policy := "go-on"
		if quit {
			policy = "quit"
		}
		content := one("10m", "between: 5m, renew: 3s, renew-on-error: "+policy, silentServers("at: 5s, for: 115s"))
		everyLock(t, content, func(t *testing.T, lock string, w *watch) {
			if !slices.Contains(renewers, lock) {
				return
			}
			failed := slices.IndexFunc(w.renewals, func(c called) bool { return c.err != nil })
			if failed < 1 || errors.Is(w.renewals[failed].err, models.ErrNotHeld) {
				t.Fatalf("the first renewal is answered, then one is not: %v", w.renewals)
			}
			if last := failed == len(w.renewals)-1; last != quit {
				t.Errorf("renewed %d times, and renewal %d was not answered", len(w.renewals), failed+1)
			}
		})
	}
}

// Client 1's record is removed at 10 s, and client 2 is in from then to 13 s, so that the renewal at
// 12 s meets its key. A loop that goes on all the same finds none at 15 s; where a renewal sets a
// key that is gone, client 1 is let in again, and renews that to the end.
func TestRenewOnLoss(t *testing.T) {
	for _, c := range []struct {
		policy, extend   string
		grants, promises int
	}{{"quit", "set", 1, 3}, {"go-on", "compare", 1, 3}, {"go-on", "set", 2, 7}} {
		trial, _ := play(t, one("1m", "between: 29s, renew: 3s, renew-on-loss: "+c.policy,
			"  - {between: 3s, start: 5s}\nfor: {redis: {lock: {extend: "+c.extend+"}}}\nfaults: [{remove: {}, at: 10s}]\n"), "redis")
		grants, promises := 0, 0
		for _, r := range trial.Recorder.Records {
			switch {
			case r.Hold != 1:
			case r.Kind == history.Grant:
				grants++
			case r.Kind == history.Promise:
				promises++
			}
		}
		if grants != c.grants || promises != c.promises {
			t.Errorf("%+v: let in %d times, and promised %d times more", c, grants, promises)
		}
	}
}

// silentServers is a fault: client 1 reaches no server of the lock.
func silentServers(when string) string {
	return "faults: [{cut: {client: 1, servers: [all], resend: false}, " + when + "}]\n" +
		"for: {local: {n/a: no server}, advisory: {lock: {timeout: 30s}}}\n"
}

// A release that is not answered is tried again, three times in all. How many calls there are
// before one is answered, or there is nothing left to release, is the library's: Curator
// deletes its node in the background, client-go lets its lease run out and FencedLock and
// Chubby's library ask for as long as it takes, so that these have an answer for the first;
// Consul's has forgotten the lock when it is asked a second time (api/lock.go, Unlock).
func TestReleaseAttempts(t *testing.T) {
	calls := map[string]int{"dbrow": 3, "redis": 3, "redis-replica": 3, "redlock": 3, "etcd": 3, "zookeeper": 1, "chubby": 1,
		"consul": 2, "hazelcast": 1, "k8s-lease": 1, "dynamodb": 3, "advisory": 3}
	for _, attempts := range []int{1, 3} {
		content := one("10s", fmt.Sprintf("between: 20ms, release-attempts: %d", attempts), silentServers("when: {client: 1, step: write.reply}, for: 1h"))
		everyLock(t, content, func(t *testing.T, lock string, w *watch) {
			if want := min(attempts, calls[lock]); len(w.releases) != want {
				t.Errorf("released %d times, want %d: %v", len(w.releases), want, w.releases)
			}
		})
	}
}

// Whoever is told that the lock is not his releases it once, however often he may try: client
// 1 has stood still until another had it.
func TestReleaseAttemptsAfterALoss(t *testing.T) {
	content := one("10s", "between: 20ms, release-attempts: 3", `  - {start: 1s, between: 1h, renew: 3s}
faults: [{pause: {client: 1, for: 150% of takeover}, when: {client: 1, step: write.reply}}]
for: {local: {n/a: no lease}, advisory: {n/a: no lease}}
`)
	everyLock(t, content, func(t *testing.T, _ string, w *watch) {
		if len(w.releases) != 1 {
			t.Errorf("released %d times: %v", len(w.releases), w.releases)
		}
	})
}

// told are the libraries that tell a holder who is cut off, and asks, that its lock is lost.
var told = []string{"advisory", "redlock", "etcd", "zookeeper", "chubby", "consul", "k8s-lease", "dynamodb"}

// cutOff is a client that is cut off from everybody, with 2 min of work before its write. It
// looks up all the time.
func cutOff(policy string) string {
	return one("10s", "between: 2m, check: timer, check-period: 10ms, renew: 3s"+policy, `faults: [{isolate: {client: 1, for: 5m, resend: false}, at: 2s}]
for: {local: {n/a: no link}, advisory: {lock: {timeout: 30s}}}
`)
}

// loss is when the library of a holder that was cut off told it of its loss; false if it did
// not.
func (w *watch) loss() (sim.Time, bool) {
	for _, c := range w.of(history.Check) {
		if c.Text == "failed" {
			return c.At, true
		}
	}
	return 0, false
}

// wrote reports whether client 1 sent its write.
func (w *watch) wrote() bool {
	return slices.ContainsFunc(w.of(history.Request), func(r history.Record) bool { return r.Effect == history.WriteEffect })
}

// Who stops for a loss does not send its write. Who ignores it does, as if nothing had happened.
func TestOnLoss(t *testing.T) {
	for _, policy := range []string{"stop", "ignore"} {
		everyLock(t, cutOff(", on-loss: "+policy), func(t *testing.T, lock string, w *watch) {
			_, lost := w.loss()
			if slices.Contains(told, lock) && !lost {
				t.Error("it was not told of its loss")
			}
			if want := !lost || policy == "ignore"; w.wrote() != want {
				t.Errorf("%s: told of a loss: %v, wrote: %v", policy, lost, w.wrote())
			}
		})
	}
}

// From the look that notices a loss until the section has stopped it takes what the policy
// says, to the nanosecond, and the client believes all that time. Who was blocked by its
// library when it was told, and stops at once, has not believed since.
func TestStopLatency(t *testing.T) {
	for _, c := range []struct {
		policy  string
		latency time.Duration
	}{{"", 0}, {", stop-latency: 3s", 3 * time.Second}} {
		everyLock(t, cutOff(c.policy), func(t *testing.T, lock string, w *watch) {
			at, lost := w.loss()
			if !slices.Contains(told, lock) {
				return
			}
			ends := w.of(history.BeliefEnd)
			if !lost || len(ends) == 0 {
				t.Fatalf("told of a loss: %v, stopped: %v", lost, ends)
			}
			end := ends[len(ends)-1]
			if blocked := end.Text == history.Suspended; blocked && c.latency == 0 {
				return
			}
			if got := end.At.Sub(at); got != c.latency {
				t.Errorf("stopped %v after it was told, want %v", got, c.latency)
			}
		})
	}
}
