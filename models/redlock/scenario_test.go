package redlock_test

import (
	"fmt"
	"testing"

	"fencepost/models"
	"fencepost/models/redlock"
	"fencepost/models/resource"
	"fencepost/scenarios"
)

// asExpected runs a scenario with redlock under the guard of a name, and checks the
// scenario's own expectation.
func asExpected(t *testing.T, text, guard string) {
	t.Helper()
	s, err := scenarios.Parse("mine.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	registry, err := models.NewRegistry(redlock.New())
	if err != nil {
		t.Fatal(err)
	}
	in, err := s.Instantiate(registry, nil)
	if err != nil {
		t.Fatal(err)
	}
	g, ok := resource.FindGuard(guard)
	if !ok {
		t.Fatalf("no guard %s", guard)
	}
	plans, err := in.Plans(registry.Locks(), []resource.Guard{g})
	if err != nil || plans[0].NotApplicable != "" {
		t.Fatalf("%v %s", err, plans[0].NotApplicable)
	}
	trial := scenarios.NewTrial(plans[0])
	defer trial.Close()
	r, err := trial.Run(1)
	if err != nil || !r.AsExpected() {
		t.Errorf("%v %s: %+v", err, r.Differs, r.Verdict)
	}
}

// lateWrite: nobody pauses, and the write itself is late. Client 1 gives it up, releases
// and stops; then client 2 acquires, reads and writes, and then the late write arrives.
const lateWrite = `
name: mine
until: 60s
lock: {ttl: 10s, client: %s}
clients:
  - {before-read: 100ms, request-timeout: 5s}
  - {start: 5200ms, before-read: 10ms, between: 50ms}
faults:
  - hold: {client: 1, message: write, for: 15s}
    at: 0s
expect:
  - {grants: ok, exclusion: ok, progress: ok, resource: violated, kind: lost-update}
`

// A lock can do nothing about a request that is under way, whoever's client it is.
func TestLateWrite(t *testing.T) {
	for _, client := range []string{"spec", "antirez", "redsync", "node-v4", "node-v5", "redlock-rb", "redisson"} {
		t.Run(client, func(t *testing.T) { asExpected(t, fmt.Sprintf(lateWrite, client), "none") })
	}
}

// pausedWriter stops client 1 after all checks, with a number from the client's memory for a
// fencing token. Client 1 holds the lock so often; it is paused before its last write.
const pausedWriter = `
name: mine
until: 60s
lock: {ttl: 10s, token: client-counter}
clients:
  - {cycles: %[1]d, before-read: 10ms, between: 50ms}
  - {start: 1s, before-read: 10ms, between: 50ms}
faults:
  - pause: {client: 1, for: 15s}
    when: {client: 1, step: write.send, nth: %[1]d}
expect:
  - {grants: ok, exclusion: violated, resource: %[2]s}
`

// The number does not fence. The late write has 1 and so has the write of client 2: an equal
// token is let through. Or it has 2 and is taken for the newer one, unless reads are fenced,
// too: then it is client 2 who is refused, the rightful holder, with a token that is lower
// than that of client 1's read.
func TestClientCounterDoesNotFence(t *testing.T) {
	const broken = "violated, kind: stale-order"
	for _, c := range []struct {
		cycles          int
		guard, resource string
	}{
		{1, "fence-writes", broken}, {1, "fence-reads-writes", broken},
		{2, "fence-writes", broken}, {2, "fence-reads-writes", "ok"},
	} {
		t.Run(fmt.Sprintf("%d holds, %s", c.cycles, c.guard), func(t *testing.T) {
			asExpected(t, fmt.Sprintf(pausedWriter, c.cycles, c.resource), c.guard)
		})
	}
}
