package virtual

import (
	"testing"
	"testing/synctest"

	"fencepost/scenarios"
)

// TestColdScripts: servers that do not know the scripts have each sent twice when it is first used, EVALSHA and
// EVAL: it takes a round trip more. So it is again after a restart. Nothing else differs from what the model does;
// there servers know the scripts.
func TestColdScripts(t *testing.T) {
	for _, c := range []struct {
		name               string
		library            *library
		scenario           string
		warm, cold         string // stories
		warmSent, coldSent string
	}{
		{
			"redislock", redislocks().with(map[string]int64{"attempts": 1}), `
lock: {ttl: 10s}
clients: [{between: 100ms}, {start: 1s, between: 100ms}, {start: 3s, between: 100ms}]
faults: [{crash: {server: 1, restart: 100ms}, at: 2s}]
`,
			`
			2ms 1 has it
			105ms 1 writes
			108ms 1 released
			1.002s 2 has it
			1.105s 2 writes
			1.108s 2 released
			3.002s 3 has it
			3.105s 3 writes
			3.108s 3 released`,
			`
			4ms 1 has it
			107ms 1 writes
			112ms 1 released
			1.002s 2 has it
			1.105s 2 writes
			1.108s 2 released
			3.004s 3 has it
			3.107s 3 writes
			3.112s 3 released`,
			"delete:3 redislock.obtain:3", "delete:5 redislock.obtain:5",
		},
		{
			"redsync", redsyncs(0), `
lock: {ttl: 10s, attempts: 1}
clients: [{between: 100ms}, {start: 1s, between: 100ms}]
`,
			`
			2ms 1 has it
			105ms 1 writes
			108ms 1 released
			1.002s 2 has it
			1.105s 2 writes
			1.108s 2 released`,
			`
			2ms 1 has it
			105ms 1 writes
			110ms 1 released
			1.002s 2 has it
			1.105s 2 writes
			1.108s 2 released`,
			"delete:10 set:10", "delete:15 set:10",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := scenarios.Parse("case.yaml", []byte(head+c.scenario))
			if err != nil {
				t.Fatal(err)
			}
			guard := c.library.guards(t, s)[0]
			for _, p := range []struct {
				plan        *scenarios.Plan
				cold        bool
				story, sent string
			}{{guard.model, false, c.warm, c.warmSent}, {guard.stack, false, c.warm, c.warmSent}, {guard.stack, true, c.cold, c.coldSent}} {
				if s := p.plan.Lock.(*tuned).stack(); s != nil {
					s.cold = p.cold
				}
				synctest.Test(t, func(t *testing.T) { observe(t, p.plan, 1).matches(t, p.story, p.sent) })
			}
		})
	}
}
