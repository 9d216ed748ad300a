package scenarios

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"fencepost/checker"
	"fencepost/models"
	"fencepost/models/resource"
	"fencepost/sim"
	"fencepost/sim/history"
)

// removed is a scenario in which the record of client 1's lock is removed in the middle of its
// section, at 3 s.
func removed(lock, fault string) string {
	return fmt.Sprintf(`name: removed
until: 2m
lock: {ttl: 20s%s}
clients:
  - {between: 15s, check: never}
  - {between: 1s, start: 1s, check: never}
faults:
  - remove: %s
    at: 3s
`, lock, fault)
}

// planBesideEtcd plans a scenario for a lock, beside another that can have every fault.
func planBesideEtcd(t *testing.T, content, lock string) (*Plan, error) {
	t.Helper()
	s, err := Parse("mine.yaml", []byte(content))
	if err != nil {
		t.Fatal(err)
	}
	in, err := s.Instantiate(registry(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	etcd, _ := registry(t).Find("etcd")
	l, _ := registry(t).Find(lock)
	plans, err := in.Plans([]models.Lock{etcd, l}, resource.Guards[:1])
	if err != nil {
		return nil, err
	}
	return plans[1], nil
}

// play runs a scenario under a lock and returns the trial, to be looked at, and the result.
func play(t *testing.T, scenario, lock string) (*Trial, Result) {
	t.Helper()
	p := planFor(t, scenario, lock)
	if p.NotApplicable != "" {
		t.Fatal(lock, "n/a:", p.NotApplicable)
	}
	trial := NewTrial(p)
	t.Cleanup(trial.Close)
	r, err := trial.RunSafely(1)
	if err != nil {
		t.Fatal(err)
	}
	return trial, r
}

// first is the first record of a kind for a hold, or the zero record.
func first(t *Trial, kind history.Kind, hold history.HoldID) history.Record {
	for _, r := range t.Recorder.Records {
		if r.Kind == kind && r.Hold == hold {
			return r
		}
	}
	return history.Record{}
}

// Each lock whose record can be removed loses it within a few messages, the ledger and the cause
// say so, and the next client is let in unless a delay forbids it. The others are n/a.
func TestRemoval(t *testing.T) {
	for _, l := range registry(t).Locks() {
		d := l.Describe()
		for _, params := range map[string][]string{
			"dbrow": {", client: generic", ", client: shedlock"}, "hazelcast": {", kind: fenced", ", kind: imap"},
			"redis": {", client: bare", ", client: redisson", ", persistence: always"}, "zookeeper": {", recipe: plain", ", recipe: leader-latch"},
		}[d.Name] {
			testRemoval(t, d, params)
		}
		testRemoval(t, d, "")
	}
}

func testRemoval(t *testing.T, d models.Description, params string) {
	t.Run(d.Name+params, func(t *testing.T) {
		if d.Removal == "" {
			p, err := planBesideEtcd(t, removed("", "{}"), d.Name)
			if err != nil || p.NotApplicable != d.NoRemoval {
				t.Errorf("%v, %+v", err, p)
			}
			return
		}
		trial, _ := play(t, removed(params, "{}"), d.Name)
		removal, end := first(trial, history.Removal, 1), first(trial, history.ServiceEnd, 1)
		if removal.At < sim.Time(3*time.Second) || removal.At > sim.Time(3100*time.Millisecond) || end.Text != history.Removed {
			t.Errorf("removed at %v, ended at %v because of %q", removal.At, end.At, end.Text)
		}
		if e := trial.Ledger()[0]; e.Fired != 1 || e.TookEffect != 1 || e.TouchedHolder != 1 {
			t.Errorf("%+v", e)
		}
		if cause := trial.Checker.Cause(trial.Recorder, checker.Setting{Guard: "none"}).Text; !strings.HasPrefix(cause, "An operator or an eviction") || !strings.Contains(cause, "remove the lock's record at 3.0") {
			t.Errorf("blamed: %s", cause)
		}
	})
}

// What a removal comes to where that is not simply the end of the hold. Each story is how many
// records were removed, when client 2 was let in and with which token, and whether it took effect.
func TestWhatARemovalLeaves(t *testing.T) {
	const ( // instants of client 2's grant, in whole seconds
		atOnce   = 3
		released = 15
	)
	for _, c := range []struct {
		name, lock, params, fault string
		removals, took            int
		second                    int
		tokens                    [2]int64
	}{
		{"one server of Redlock's", "redlock", "", "{server: 2}", 1, 1, released, [2]int64{}},
		{"all of them", "redlock", "", "{}", 5, 1, atOnce, [2]int64{}},
		{"the master of a pair", "redis-replica", "", "{server: leader}", 1, 1, atOnce, [2]int64{}},
		{"a replica refuses", "redis-replica", "", "{server: 2}", 0, 0, released, [2]int64{}},
		{"a member that does not lead passes it on", "etcd", "", "{server: 3}", 1, 1, atOnce, [2]int64{2, 3}},
		{"a follower of ZooKeeper's, too", "zookeeper", ", token: sequence", "{server: 3}", 1, 1, atOnce, [2]int64{1, 2}},
		{"Consul's lock-delay", "consul", ", lock-delay: 5s", "{}", 1, 1, atOnce + 5, [2]int64{1, 2}},
		{"Consul's LockIndex goes with the key", "consul", ", lock-delay: 0s, behavior: delete", "{}", 1, 1, atOnce, [2]int64{1, 1}},
		{"a Lease that is made anew", "k8s-lease", ", token: lease-transitions", "{}", 1, 1, atOnce, [2]int64{1, 1}},
		{"a row that is made anew", "dbrow", ", token: column", "{}", 1, 1, atOnce, [2]int64{1, 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			trial, _ := play(t, removed(c.params, c.fault), c.lock)
			removals := 0
			for _, r := range trial.Recorder.Records {
				if r.Kind == history.Removal && r.Hold == 1 {
					removals++
				}
			}
			if took := trial.Ledger()[0].TookEffect; removals != c.removals || took != c.took {
				t.Errorf("%d records were removed, and it took effect %d times", removals, took)
			}
			one, two := first(trial, history.Grant, 1), first(trial, history.Grant, 2)
			if at := int(two.At / sim.Time(time.Second)); at != c.second {
				t.Errorf("client 2 was let in at %v", two.At)
			}
			if got := [2]int64{one.Token, two.Token}; got != c.tokens {
				t.Errorf("tokens %v, want %v", got, c.tokens)
			}
		})
	}
}

// A server that stands still carries it out when it goes on, one that is down never, and where
// there is no record it takes no effect.
func TestWhenARemovalComesAbout(t *testing.T) {
	for _, c := range []struct {
		name, lock, faults string
		at                 time.Duration // 0 is never
		took               string
	}{
		{"paused", "redis", "  - pause: {server: 1, for: 2s}\n    at: 2s\n", 4 * time.Second, "[1 1]"},
		{"down", "redis", "  - crash: {server: 1, restart: 2s}\n    at: 2s\n", 0, "[0 1]"},
		{"passed on to a leader that is down", "etcd", "  - crash: {server: leader}\n    at: 2900ms\n", 0, "[0 1]"},
		{"where there is none", "dynamodb", "  - remove: {}\n    when: {client: 1, step: start}\n", 3 * time.Second, "[1 0]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			trial, _ := play(t, removed("", "{}")+c.faults, c.lock)
			if at := time.Duration(first(trial, history.Removal, 1).At).Truncate(time.Second); at != c.at {
				t.Errorf("removed at %v, want %v", at, c.at)
			}
			var took []int
			for _, e := range trial.Ledger() {
				took = append(took, e.TookEffect)
			}
			if fmt.Sprint(took) != c.took {
				t.Errorf("took effect %v, want %s", took, c.took)
			}
		})
	}
}

// etcd's lease lives on when the key is deleted: the session, which is all that its owner looks
// at, says that the lock is held.
func TestRemovalLeavesTheLease(t *testing.T) {
	trial, _ := play(t, strings.ReplaceAll(removed("", "{}"), "check: never", "check: every"), "etcd")
	for _, r := range trial.Recorder.Records {
		if r.Kind == history.Check && r.Text != "passed" {
			t.Errorf("at %v the check of hold %d %s", r.At, r.Hold, r.Text)
		}
	}
}

// A removal has no other target than a server.
func TestTargetsOfARemoval(t *testing.T) {
	for _, fault := range []string{"{client: 1}", "{host: resource}", "{host: random}"} {
		if _, err := planBesideEtcd(t, removed("", fault), "redis"); err == nil || !strings.Contains(err.Error(), "remove is for the service") {
			t.Errorf("%s: %v", fault, err)
		}
	}
	if p, err := planBesideEtcd(t, removed("", "{server: 2}"), "redis"); err != nil || p.NotApplicable != "redis has no server 2" {
		t.Errorf("%v, %+v", err, p)
	}
}
