package scenarios

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"fencepost/checker"
	"fencepost/models"
	"fencepost/models/resource"
	"fencepost/sim"
	"fencepost/sim/fault"
	"fencepost/sim/history"
	"fencepost/sim/network"
)

// busy is a scenario in which two clients use the lock again and again, for the faults of
// tests; etcd's disks take a millisecond.
const busy = `name: busy
until: 2m
lock: {ttl: 10s}
disk: {fsync: 1ms}
clients:
  - {cycles: 30, before-read: 20ms, between: 50ms, after-write: 20ms, think: 30ms}
  - {cycles: 30, before-read: 20ms, between: 50ms, after-write: 20ms, think: 30ms, start: 10ms}
`

// planFor compiles a scenario for one lock without a guard.
func planFor(t testing.TB, content, lock string) *Plan {
	t.Helper()
	s, err := Parse("mine.yaml", []byte(content))
	if err != nil {
		t.Fatal(err)
	}
	r := registry(t)
	in, err := s.Instantiate(r, nil)
	if err != nil {
		t.Fatal(err)
	}
	l, ok := r.Find(lock)
	if !ok {
		t.Fatalf("no lock %q", lock)
	}
	plans, err := in.Plans([]models.Lock{l}, resource.Guards[:1])
	if err != nil {
		t.Fatal(err)
	}
	return plans[0]
}

// ledgerOf runs one seed and returns the ledger and the result.
func ledgerOf(t testing.TB, p *Plan, seed uint64) ([]fault.Entry, Result) {
	t.Helper()
	trial := NewTrial(p)
	defer trial.Close()
	r, err := trial.RunSafely(seed)
	if err != nil {
		t.Fatal(err)
	}
	return slices.Clone(trial.Ledger()), r
}

// TestEveryKindOfFault: each kind can be written in a file, fires, and makes a difference
// in a busy world.
func TestEveryKindOfFault(t *testing.T) {
	written := map[fault.Kind]string{
		fault.Pause:       "pause: {client: 1, for: 1s}",
		fault.Suspend:     "suspend: {server: 1, for: 1s}",
		fault.Throttle:    "throttle: {client: 1, quota: 10ms, for: 1s}",
		fault.Crash:       "crash: {client: 1, restart: 1s, lose: unsynced}",
		fault.ClockStep:   "clock-step: {server: 1, by: \"±loguniform(4ms, 4s)\"}",
		fault.ClockSlew:   "clock-slew: {client: 1, by: -100ms, for: 10s}",
		fault.ClockRate:   "clock-rate: {client: 2, rate: -200ppm, for: 1s}",
		fault.ClockFreeze: "clock-freeze: {server: 1, for: 1s, clock: wall}",
		fault.ClockJitter: "clock-jitter: {server: 1, by: exponential(1ms), for: 1s}",
		fault.Cut:         "cut: {client: 1, servers: [1], for: 1s, direction: in, resend: true}",
		fault.Isolate:     "isolate: {client: 1, for: 1s}",
		fault.Split:       "split: {client: 1, clients: [2], for: 1s}",
		fault.Hang:        "hang: {client: 1, servers: [1], for: 1s}",
		fault.Reset:       "reset: {client: 1}",
		fault.Loss:        "loss: {client: 1, share: 1/2, for: 1s, message: write}",
		fault.Duplicate:   "duplicate: {client: 1, share: 50%, later: 10ms, for: 1s}",
		fault.Slow:        "slow: {client: 1, delay: \"uniform(1ms, 5ms)\", for: 1s}",
		fault.Bandwidth:   "bandwidth: {client: 1, limit: 10kB/s, for: 1s}",
		fault.Hold:        "hold: {client: 1, message: write, for: 1s}",
		fault.SlowDisk:    "slow-disk: {server: leader, fsync: 20ms, for: 1s}",
		fault.DiskStall:   "disk-stall: {server: leader, for: 1s}",
		fault.Remove:      "remove: {}",
	}
	for _, k := range FaultKinds {
		t.Run(k.Name, func(t *testing.T) {
			text, ok := written[fault.Kind(k.Name)]
			if !ok {
				t.Fatal("the test has no fault of this kind")
			}
			lock := "redis"
			if strings.Contains(text, "leader") {
				lock = "etcd"
			}
			p := planFor(t, busy+"faults:\n  - "+text+"\n    at: 1s\n", lock)
			ledger, r := ledgerOf(t, p, 1)
			if len(ledger) != 1 || ledger[0].Fired != 1 || ledger[0].TookEffect != 1 {
				t.Errorf("%+v, ended at %v", ledger, r.End)
			}
			if r.Verdict.Bound != "" && k.Name != string(fault.Hang) {
				t.Errorf("the run ended at a bound: %s", r.Verdict.Bound)
			}
		})
	}
}

// TestTriggersAndTargetsOfAFile: a fault fires as often as its trigger and targets say.
func TestTriggersAndTargetsOfAFile(t *testing.T) {
	for _, c := range []struct {
		name, faults, lock string
		fired              string // of each line of the ledger
	}{
		{"every, bounded", "  - pause: {client: 1, for: 1ms}\n    every: 100ms\n    from: 1s\n    until: 1500ms\n", "redis", "[4]"},
		{"every, so many times", "  - pause: {client: 1, for: 1ms}\n    every: 100ms\n    times: 3\n", "redis", "[3]"},
		{"every time a step is reached", "  - pause: {client: 1, for: 1ms}\n    when: {client: 1, step: acquired, nth: every}\n", "redis", "[30]"},
		{"anybody's step", "  - pause: {client: 1, for: 1ms}\n    when: {client: any, step: acquired, nth: every}\n", "redis", "[60]"},
		{"later", "  - pause: {client: 1, for: 1ms}\n    when: {client: 1, step: acquired, after: 5ms}\n", "redis", "[1]"},
		{"the holder, when one holds", "  - pause: {client: holder, for: 1ms}\n    when: {client: 1, step: read.send}\n", "redis", "[1]"},
		{"the holder, when nobody does", "  - pause: {client: holder, for: 1ms}\n    at: 0s\n", "redis", "[0]"},
		{"a joint fault", "  - joint:\n      - pause: {client: random}\n      - clock-step: {client: random, by: for}\n      - disk-stall: {server: random}\n    for: 10ms\n    at: 1s\n", "etcd", "[1 1 1]"},
		{"hosts by name", "  - pause: {host: resource, for: 1ms}\n    at: 1s\n  - pause: {host: redis/1, for: 1ms}\n    at: 1s\n  - pause: {host: client/2, for: 1ms}\n    at: 1s\n  - pause: {host: random, for: 1ms}\n    at: 1s\n", "redis", "[1 1 1 1]"},
		{"servers by role", "  - pause: {server: leader, for: 1ms}\n    at: 1s\n  - pause: {server: random, for: 1ms}\n    at: 1s\n", "etcd", "[1 1]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			ledger, _ := ledgerOf(t, planFor(t, busy+"faults:\n"+c.faults, c.lock), 1)
			var fired []int
			for _, e := range ledger {
				fired = append(fired, e.Fired)
			}
			if fmt.Sprint(fired) != c.fired {
				t.Errorf("fired %v, want %s: %+v", fired, c.fired, ledger)
			}
		})
	}
}

// struck runs one seed and returns where its faults struck, and when.
func struck(t *testing.T, faults, lock string) (hosts []string, at []sim.Time) {
	t.Helper()
	trial := NewTrial(planFor(t, busy+"faults:\n"+faults, lock))
	defer trial.Close()
	if _, err := trial.RunSafely(1); err != nil {
		t.Fatal(err)
	}
	for _, r := range trial.Recorder.Records {
		if r.Kind == history.Fault {
			hosts, at = append(hosts, r.Host), append(at, r.At)
		}
	}
	return hosts, at
}

// TestTargetsOfAFile: hosts that are named are struck, and the parts of a joint fault that
// are aimed at random strike one and the same host of their role.
func TestTargetsOfAFile(t *testing.T) {
	named, _ := struck(t, "  - pause: {host: resource, for: 1ms}\n    at: 1s\n  - pause: {host: redis/1, for: 1ms}\n    at: 1s\n  - pause: {server: 1, for: 1ms}\n    at: 2s\n  - pause: {client: 2, for: 1ms}\n    at: 3s\n", "redis")
	if want := []string{"resource", "redis/1", "redis/1", "client/2"}; !slices.Equal(named, want) {
		t.Errorf("named: %q, want %q", named, want)
	}
	joint, _ := struck(t, "  - joint:\n      - pause: {client: random}\n      - clock-step: {client: random, by: for}\n    for: 10ms\n    at: 1s\n", "redis")
	if len(joint) != 2 || joint[0] != joint[1] {
		t.Errorf("joint: %q", joint)
	}
}

// TestAfterAStep: a fault strikes as long after its step as `after` says.
func TestAfterAStep(t *testing.T) {
	const fault = "  - pause: {client: 1, for: 1ms}\n    when: {client: 1, step: acquired, "
	_, atOnce := struck(t, fault+"nth: 1}\n", "redis")
	_, later := struck(t, fault+"nth: 1, after: 5ms}\n", "redis")
	if len(atOnce) != 1 || len(later) != 1 || later[0] != atOnce[0].Add(5*time.Millisecond) {
		t.Errorf("struck at %v, 5 ms later at %v", atOnce, later)
	}
}

// TestARestartedClientGoesOn: it begins the cycle again in which it crashed, does the rest,
// and is another executor in the record.
func TestARestartedClientGoesOn(t *testing.T) {
	for _, lock := range []string{"local", "redis", "redlock", "etcd"} {
		p := planFor(t, busy+"faults:\n  - crash: {client: 1, restart: 100ms}\n    when: {client: 1, step: write.send, nth: 3}\n", lock)
		trial := NewTrial(p)
		r, err := trial.RunSafely(1)
		if err != nil {
			t.Fatal(err)
		}
		if r.Verdict.Bound != "" {
			t.Errorf("%s: the run ended at %s", lock, r.Verdict.Bound)
		}
		holds, lives := map[int]int{}, map[int]map[int]bool{}
		for _, h := range trial.Recorder.Holds {
			holds[h.Client]++
			if lives[h.Client] == nil {
				lives[h.Client] = map[int]bool{}
			}
			lives[h.Client][int(h.Executor)] = true
			if h.Executor.Client() != h.Client {
				t.Errorf("%s: executor %d is of client %d, not %d", lock, h.Executor, h.Executor.Client(), h.Client)
			}
		}
		if holds[0] < 31 || len(lives[0]) != 2 {
			t.Errorf("%s: client 1 tried %d times in %d lives, want 30 and the one that crashed, in 2", lock, holds[0], len(lives[0]))
		}
		trial.Close()
	}
}

// TestARandomFaultNeedNotTakeEffect, where a scripted one has to.
func TestARandomFaultNeedNotTakeEffect(t *testing.T) {
	const late = "    - pause: {client: 1, for: 1s}\n      at: 1m50s\n"
	const expect = "expect:\n  - exclusion: ok\n"
	_, scripted := ledgerOf(t, planFor(t, busy+"faults:\n"+late+expect, "redis"), 1)
	if !strings.Contains(scripted.Differs, "never took effect") {
		t.Errorf("scripted: %q", scripted.Differs)
	}
	ledger, random := ledgerOf(t, planFor(t, busy+"random:\n  faults:\n"+late+expect, "redis"), 1)
	if random.Differs != "" || ledger[0].Layer != fault.Random {
		t.Errorf("random: %q, %+v", random.Differs, ledger)
	}
}

// TestAllLocksMeetTheSameRandomFaults: which others a lock lacks, or has besides, changes
// nothing about when a fault strikes, and for how long.
func TestAllLocksMeetTheSameRandomFaults(t *testing.T) {
	content := busy + `random:
  faults:
    - crash: {server: leader, restart: 1ms}
      every: exponential(1s)
    - pause: {client: 1, for: exponential(100ms)}
      every: exponential(500ms)
faults:
  - clock-step: {client: 2, by: 1ms}
    at: 1s
for:
  redis:
    faults:
      - pause: {server: 1, for: exponential(1ms)}
        every: exponential(2s)
`
	var want []history.Record
	for _, lock := range []string{"local", "redis", "redlock", "etcd"} {
		trial := NewTrial(planFor(t, content, lock))
		if _, err := trial.RunSafely(1); err != nil {
			t.Fatal(err)
		}
		var got []history.Record
		for _, r := range trial.Recorder.Records {
			if r.Kind == history.Fault && r.Fault == "pause" && r.Host == "client/1" && len(got) < 5 {
				got = append(got, history.Record{At: r.At, Until: r.Until})
			}
		}
		trial.Close()
		if want == nil {
			want = got
		}
		if len(got) < 5 || !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", lock, got, want)
		}
	}
}

// TestRandomFaultsThatALockLacksAreLeftOut: they do not make it n/a.
func TestRandomFaultsThatALockLacksAreLeftOut(t *testing.T) {
	content := busy + "random:\n  swarm: true\n  faults:\n    - pause: {server: leader, for: 1s}\n      every: 1s\n    - pause: {client: 1, for: 1ms}\n      every: 1s\n"
	for lock, want := range map[string]int{"redis": 1, "etcd": 2} {
		p := planFor(t, content, lock)
		if p.NotApplicable != "" || len(p.faults) != want || !p.swarm {
			t.Errorf("%s: n/a %q, %d faults, want %d", lock, p.NotApplicable, len(p.faults), want)
		}
	}
}

// TestTheClocksOfAScenario: presets give clocks their offsets and what becomes of them, and
// a cause can name a step that no fault of the scenario made.
func TestTheClocksOfAScenario(t *testing.T) {
	p := planFor(t, busy+"clocks: {servers: clock/jepsen-bump, clients: clock/crystal}\n", "redis")
	trial := NewTrial(p)
	defer trial.Close()
	steps, broken := 0, 0
	for seed := range uint64(40) {
		if _, err := trial.RunSafely(seed + 1); err != nil {
			t.Fatal(err)
		}
		for _, r := range trial.Recorder.Records {
			if r.Kind == history.Fault {
				steps++
				if r.Value != history.NoLine || r.Host != "redis/1" || r.Fault != "clock-step" {
					t.Fatalf("%+v", r)
				}
			}
		}
		if trial.Checker.Grants.Violated() {
			broken++
			cause := trial.Checker.Cause(trial.Recorder, checker.Setting{Guard: "none", ServiceClock: "wall"}).Text
			if !strings.HasPrefix(cause, "The service's clock: clock-step redis/1 by ") || !strings.Contains(cause, "(its own)") {
				t.Errorf("seed %d: %s", seed+1, cause)
			}
		}
		if rate := trial.ClientHosts()[0].Clock.Rate(); rate == 0 {
			t.Errorf("seed %d: a crystal without an error", seed+1)
		}
	}
	if steps == 0 || broken == 0 {
		t.Errorf("%d steps, %d runs with a broken promise: the test shows nothing", steps, broken)
	}
}

// TestTheLinksOfAScenario: a later line overrules an earlier one, both ways, and only
// between its ends.
func TestTheLinksOfAScenario(t *testing.T) {
	p := planFor(t, busy+`network:
  delay: 1ms
  links:
    - {between: [client/2, servers], delay: 5ms}
    - {between: [resource, all], delay: 7ms}
    - {between: [server/2, client/1], delay: 9ms}
`, "redlock")
	trial := NewTrial(p)
	defer trial.Close()
	host := func(name string) network.NodeID { return trial.fleet.Find(name).ID }
	for _, c := range []struct {
		one, other string
		ms         time.Duration
	}{
		{"client/1", "redis/1", 1}, {"client/2", "redis/1", 5}, {"client/2", "redis/5", 5}, {"client/1", "client/2", 1},
		{"client/1", "resource", 7}, {"redis/3", "resource", 7}, {"client/1", "redis/2", 9}, {"client/2", "redis/2", 5},
	} {
		for _, link := range [][2]string{{c.one, c.other}, {c.other, c.one}} {
			if got := trial.net.PeekDelay(host(link[0]), host(link[1]), resource.OpRead, 1); got != c.ms*time.Millisecond {
				t.Errorf("%s to %s: %v, want %d ms", link[0], link[1], got, c.ms)
			}
		}
	}
}
