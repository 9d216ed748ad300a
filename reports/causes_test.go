package reports

import (
	"strings"
	"testing"

	"fencepost/checker"
	"fencepost/models"
	"fencepost/models/all"
	"fencepost/models/resource"
	"fencepost/scenarios"
)

// runOf runs one lock without a guard under seed 1.
func runOf(t *testing.T, s *scenarios.Scenario, lock string) Run {
	t.Helper()
	registry, err := models.NewRegistry(all.Locks()...)
	if err != nil {
		t.Fatal(err)
	}
	in, err := s.Instantiate(registry, nil)
	if err != nil {
		t.Fatal(err)
	}
	l, ok := registry.Find(lock)
	if !ok {
		t.Fatalf("no lock %s", lock)
	}
	plans, err := in.Plans([]models.Lock{l}, resource.Guards[:1])
	if err != nil {
		t.Fatal(err)
	}
	trial := scenarios.NewTrial(plans[0])
	defer trial.Close()
	result, err := trial.Run(1)
	if err != nil {
		t.Fatal(err)
	}
	return NewRun(trial, result)
}

// TestCausesOfTheLibrary: what the models note, and how they end a hold, names the cause of runs
// whose story is known.
func TestCausesOfTheLibrary(t *testing.T) {
	for _, c := range []struct {
		scenario, lock string
		kind           checker.CauseKind
		names          string
	}{
		{"kleppmann", "redis", checker.PauseOutlived, "pause client 1"},
		{"kleppmann-clock-jump", "redis", checker.ServerClockStepped, "clock-step redis/1"},
		{"kleppmann-delayed-write", "redis", checker.LateRequest, "hold client 1 write"},
		{"antirez-pause-before-check", "redis", checker.ReplyLate, "pause client 1"},
		{"server-crash", "redis", checker.PromiseForgotten, "crash redis/1"},
		{"failover-loses-the-lock", "redis-replica", checker.FailoverLost, "crash the leader (redis/1)"},
		{"failover-loses-the-lock", "advisory", checker.FailoverLost, "crash db/1"},
		{"revoked-by-a-deposed-leader", "etcd", checker.StaleLeader, "etcd/1 revokes the lease, though another leads, after disk-stall"},
		{"stalled-leader/before-3.5.13", "etcd", checker.StaleLeader, "etcd/1 renews the lease, though another leads, after disk-stall"},
		{"cut-off-from-the-lock-alone", "consul", checker.HealthCheck, "after cut client 1"},
		{"cut-off-from-the-lock-alone", "redis", checker.CutOff, "cut client 1"},
		{"silent-partition", "dbrow", checker.CutOff, "isolate client 1"},
		{"renewal-hangs/deadline-not-kept", "k8s-lease", checker.CutOff, "cut client 1"},
		{"slow-heartbeat", "dbrow", checker.CutOff, "hold client 1 db.extend"},
		{"laptop-sleeps", "redis", checker.MachineAsleep, "suspend client 1"},
		{"leads-by-its-dying-node", "zookeeper", checker.ServiceSilent, "crash zookeeper/"},
		{"renewal-stops", "redis", checker.RenewalLate, "not renewed in time"},
		{"recurring-job-overlaps-itself", "dbrow", checker.Overran, "nobody renews"},
		{"ninety-second-freeze", "redis", checker.WaitedForData, "isolate client 1"},
		{"queued-lease-expires/before-3.5", "etcd", checker.NeverLetIn, "client 2"},
		{"unowned-release/plain-del", "redis", checker.ForeignUnlock, "client 2"},
		{"evicted-under-memory-pressure", "redis", checker.ThirdParty, "remove"},
		{"minutes-apart", "dbrow", checker.TakenOverEarly, "clock-step client/2"},
		{"candidate-with-a-shorter-lease", "k8s-lease", checker.TakenOverEarly, "by its own clock"},
		{"stale-when-it-takes-effect", "redis", checker.SlowResource, "being applied"},
		{"write-applied-twice", "redis", checker.RequestTwice, "duplicate client 1 write"},
		{"job-done-twice/dies-in-between", "redis", checker.EffectUnnoted, "job 1"},
	} {
		s, err := scenarios.Load(c.scenario)
		if err != nil {
			t.Fatal(err)
		}
		if run := runOf(t, s, c.lock); run.CauseKind != c.kind || !strings.Contains(run.Cause, c.names) {
			t.Errorf("%s, %s: %s: %s\nwant %s, naming %q", c.scenario, c.lock, run.CauseKind, run.Cause, c.kind, c.names)
		}
	}
}

// TestFaultsElsewhereAreNoCause: a fault of what the lock protects ends no promise, and one of another
// message makes no request late.
func TestFaultsElsewhereAreNoCause(t *testing.T) {
	const clients = `
until: 5m
lock: {ttl: 30s}
clients:
  - {before-read: 10ms, between: 20s, check: never}
  - {start: 5s, before-read: 10ms, between: 1s, check: never}
faults:
`
	const applied = `
until: 5m
lock: {ttl: 30s}
resource: {apply: 40s}
clients:
  - {before-read: 10ms, between: 5s, check: never, request-timeout: 1s}
  - {start: 5s, before-read: 10ms, between: 60s, check: never, request-timeout: 1m}
faults:
`
	for _, c := range []struct {
		text  string
		kind  checker.CauseKind
		names string
	}{
		{clients + "  - {clock-step: {server: 1, by: 24h}, at: 3s}\n  - {crash: {host: resource, restart: 100ms}, at: 4s}\n", checker.ServerClockStepped, "clock-step redis/1 by 24h0m0s at 3.000 s"},
		{clients + "  - {crash: {server: 1, restart: 100ms, lose: memory}, at: 3s}\n  - {clock-step: {host: resource, by: 24h}, at: 4s}\n", checker.PromiseForgotten, "crash redis/1, back after 100ms at 3.000 s"},
		{applied + "  - {hold: {client: 1, message: read, for: 200ms}, at: 0s}\n", checker.SlowResource, "being applied for 40.000 s"},
	} {
		s, err := scenarios.Parse("probe.yaml", []byte("name: probe\ntitle: a probe\nabout: a probe\nsource: none"+c.text))
		if err != nil {
			t.Fatal(err)
		}
		if run := runOf(t, s, "redis"); run.CauseKind != c.kind || !strings.Contains(run.Cause, c.names) {
			t.Errorf("%s: %s\nwant %s, naming %q", run.CauseKind, run.Cause, c.kind, c.names)
		}
	}
}
