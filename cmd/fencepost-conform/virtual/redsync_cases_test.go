package virtual

import "testing"

// TestRedsyncCases: what redsync's source says comes of it, on go-redis and miniredis.
func TestRedsyncCases(t *testing.T) {
	for _, c := range redsyncCases {
		if c.library == nil {
			c.library = redsyncs(0)
		}
		t.Run(c.name, c.play)
	}
}

const (
	expired = "redsync: failed to unlock, lock was already expired"
	taken   = "lock already taken, locked nodes: [...]"
	silent  = "node #...: i/o timeout"
)

var redsyncCases = []prediction{
	{
		name: "a pause inside the reply, shorter than the validity",
		scenario: `
lock: {ttl: 2s, attempts: 1}
clients: [{between: 100ms, check: before-write}]
faults: [{pause: {client: 1, for: 1s}, when: {client: 1, step: acquire.send, after: 1ms}}]
`,
		story: `
			1.001s 1 has it
			1.103s 1 check passed
			1.104s 1 writes
			1.107s 1 released`,
		heard: []string{"1 Lock: ok", "1 Unlock: ok"},
		sent:  "delete:5 set:5",
	},
	{
		// 1.98 s of the TTL are valid; the lock is deleted everywhere before Lock returns.
		name: "a pause inside the reply, longer than the validity",
		scenario: `
lock: {ttl: 2s, attempts: 1}
clients: [{between: 100ms, check: before-write}]
faults: [{pause: {client: 1, for: 1980ms}, when: {client: 1, step: acquire.send, after: 1ms}}]
`,
		story: `1.983s 1 gives up`,
		heard: []string{"1 Lock: redsync: failed to acquire lock"},
		sent:  "delete:5 set:5",
	},
	{
		name: "a pause after the reply, shorter than the validity",
		scenario: `
lock: {ttl: 2s, attempts: 1}
clients: [{between: 100ms, check: before-write}]
faults: [{pause: {client: 1, for: 1900ms}, when: {client: 1, step: acquire.reply}}]
`,
		story: `
			1.902s 1 has it
			2.004s 1 check failed
			2.006s 1 release failed`,
		heard: []string{"1 Lock: ok", "1 Unlock: " + expired + "..." + expired},
		sent:  "delete:5 set:5",
	},
	{
		name: "a pause after the reply, longer than the validity",
		scenario: `
lock: {ttl: 2s, attempts: 1}
clients: [{between: 100ms, check: before-write}]
faults: [{pause: {client: 1, for: 1980ms}, when: {client: 1, step: acquire.reply}}]
`,
		story: `1.984s 1 gives up`,
		heard: []string{"1 Lock: redsync: failed to acquire lock"},
		sent:  "delete:5 set:5",
	},
	{
		name: "a pause between check and write",
		scenario: `
lock: {ttl: 2s, attempts: 1}
clients: [{between: 100ms, check: before-write}, {start: 3s, between: 100ms, check: before-write}]
faults: [{pause: {client: 1, for: 5s}, when: {client: 1, step: write.send}}]
`,
		story: `
			2ms 1 has it
			104ms 1 check passed
			3.002s 2 has it
			3.104s 2 check passed
			3.105s 2 writes
			3.108s 2 released
			5.105s 1 writes
			5.108s 1 release failed`,
		heard: []string{"1 Lock: ok", "2 Lock: ok", "2 Unlock: ok", "1 Unlock: " + expired + "..." + expired},
		sent:  "delete:10 set:10",
	},
	{
		// Lock and Unlock wait for every node, for go-redis' ReadTimeout.
		name: "a node down",
		scenario: `
lock: {ttl: 10s, attempts: 1}
clients: [{start: 1s, between: 100ms, check: before-write}]
faults: [{crash: {server: 1}, at: 0s}]
`,
		story: `
			6s 1 has it
			6.102s 1 check passed
			6.103s 1 writes
			11.104s 1 released`,
		heard: []string{"1 Lock: ok", "1 Unlock: ok"},
		sent:  "delete:5 set:5",
	},
	{
		// The context of the attempt is 5 % of the TTL, and Unlock has none.
		name: "a node down, with ContextTimeoutEnabled", library: redsyncs(1),
		scenario: `
lock: {ttl: 10s, attempts: 1}
clients: [{start: 1s, between: 100ms, check: before-write}]
faults: [{crash: {server: 1}, at: 0s}]
`,
		story: `
			1.5s 1 has it
			1.602s 1 check passed
			1.603s 1 writes
			6.604s 1 released`,
		heard: []string{"1 Lock: ok", "1 Unlock: ok"},
		sent:  "delete:5 set:5",
	},
	{
		name: "three nodes down",
		scenario: `
lock: {ttl: 10s, attempts: 1}
clients: [{start: 1s, between: 100ms}]
faults:
  - {crash: {server: 1}, at: 0s}
  - {crash: {server: 2}, at: 0s}
  - {crash: {server: 3}, at: 0s}
`,
		story: `11s 1 gives up`,
		heard: []string{"1 Lock: " + silent},
		sent:  "delete:5 set:5",
	},
	{
		name: "a node slow",
		scenario: `
lock: {ttl: 10s, attempts: 1}
clients: [{between: 100ms, check: before-write}]
faults: [{slow: {server: 1, delay: 400ms}, at: 0s}]
`,
		story: `
			802ms 1 has it
			904ms 1 check passed
			905ms 1 writes
			1.708s 1 released`,
		heard: []string{"1 Lock: ok", "1 Unlock: ok"},
		sent:  "delete:5 set:5",
	},
	{
		name: "the clocks of three nodes stepped",
		scenario: `
lock: {ttl: 2s, attempts: 1}
clients: [{between: 1500ms, check: before-write}, {start: 1s, between: 1500ms, check: before-write}]
faults:
  - {clock-step: {server: 1, by: +5s}, at: 500ms}
  - {clock-step: {server: 2, by: +5s}, at: 500ms}
  - {clock-step: {server: 3, by: +5s}, at: 500ms}
`,
		story: `
			2ms 1 has it
			1.002s 2 has it
			1.504s 1 check passed
			1.505s 1 writes
			1.508s 1 release failed
			2.504s 2 check passed
			2.505s 2 writes
			2.508s 2 released`,
		heard: []string{"1 Lock: ok", "2 Lock: ok", "1 Unlock: " + taken, "2 Unlock: ok"},
		sent:  "delete:10 set:10",
	},
	{
		name: "the clocks of two nodes stepped",
		scenario: `
lock: {ttl: 2s, attempts: 1}
clients: [{between: 1500ms, check: before-write}, {start: 1s, between: 1500ms}]
faults:
  - {clock-step: {server: 1, by: +5s}, at: 500ms}
  - {clock-step: {server: 2, by: +5s}, at: 500ms}
`,
		story: `
			2ms 1 has it
			1.004s 2 gives up
			1.504s 1 check passed
			1.505s 1 writes
			1.508s 1 released`,
		heard: []string{"1 Lock: ok", "2 Lock: " + taken, "1 Unlock: ok"},
		sent:  "delete:10 set:10",
	},
	{
		// The key is gone from a majority: to Extend that is a lock which somebody else has taken. Until stays.
		// To Unlock it is one that has expired.
		name: "an extension refused",
		scenario: `
lock: {ttl: 2s, attempts: 1}
clients: [{between: 1500ms, check: before-write, renew: 1s}]
faults:
  - {clock-step: {server: 1, by: +5s}, at: 500ms}
  - {clock-step: {server: 2, by: +5s}, at: 500ms}
  - {clock-step: {server: 3, by: +5s}, at: 500ms}
`,
		story: `
			2ms 1 has it
			1.504s 1 check passed
			1.505s 1 writes
			1.508s 1 release failed`,
		heard: []string{"1 Lock: ok", "1 Extend: " + taken, "1 Unlock: " + expired + "..." + expired},
		sent:  "delete:5 extend:5 set:5",
	},
	{
		// Four nodes extend it, and no validity is left when redsync has waited for the fifth.
		name: "an extension that took too long",
		scenario: `
lock: {ttl: 2s, attempts: 1}
clients: [{between: 1500ms, check: before-write, renew: 1s}]
faults: [{cut: {client: 1, servers: [1]}, at: 900ms}]
`,
		story: `
			2ms 1 has it
			1.504s 1 check passed
			1.505s 1 writes
			6.506s 1 released`,
		heard: []string{"1 Lock: ok", "1 Extend: redsync: failed to extend lock", "1 Unlock: ok"},
		sent:  "delete:5 extend:5 set:5",
	},
	{
		name: "an unlock with three nodes down",
		scenario: `
lock: {ttl: 10s, attempts: 1}
clients: [{between: 100ms, check: before-write}]
faults:
  - {crash: {server: 1}, at: 50ms}
  - {crash: {server: 2}, at: 50ms}
  - {crash: {server: 3}, at: 50ms}
`,
		story: `
			2ms 1 has it
			104ms 1 check passed
			105ms 1 writes
			5.106s 1 release failed`,
		heard: []string{"1 Lock: ok", "1 Unlock: " + silent},
		sent:  "delete:5 set:5",
	},
	{
		// SET NX is sent again and meets its own key.
		name: "replies lost, with resends", params: resends,
		scenario: `
lock: {ttl: 10s, attempts: 1, timeout: 50ms}
clients: [{between: 100ms}]
faults: [{cut: {client: 1, servers: [1, 2, 3], direction: in, resend: false, for: 40ms}, at: 0s}]
`,
		story: `62ms 1 gives up`,
		heard: []string{"1 Lock: " + taken},
		sent:  "delete:5 set:8",
	},
	{
		name: "replies lost, without resends",
		scenario: `
lock: {ttl: 10s, attempts: 1, timeout: 50ms}
clients: [{between: 100ms}]
faults: [{cut: {client: 1, servers: [1, 2, 3], direction: in, resend: false, for: 40ms}, at: 0s}]
`,
		story: `52ms 1 gives up`,
		heard: []string{"1 Lock: " + silent},
		sent:  "delete:5 set:5",
	},
	{
		name: "requests lost, with resends", params: resends,
		scenario: `
lock: {ttl: 10s, attempts: 1, timeout: 50ms}
clients: [{between: 100ms, check: before-write}]
faults: [{cut: {client: 1, servers: [1, 2, 3], direction: out, resend: false, for: 40ms}, at: 0s}]
`,
		story: `
			60ms 1 has it
			162ms 1 check passed
			163ms 1 writes
			166ms 1 released`,
		heard: []string{"1 Lock: ok", "1 Unlock: ok"},
		sent:  "delete:5 set:8",
	},
	{
		// The context of the attempt, 500 ms, ends the resends: at 0, 208 and 416 ms, and not the last read; undoing it
		// has another context, of the same length.
		name: "three nodes down, with resends", params: resends,
		scenario: `
lock: {ttl: 10s, attempts: 1, timeout: 200ms}
clients: [{start: 1s, between: 100ms}]
faults:
  - {crash: {server: 1}, at: 0s}
  - {crash: {server: 2}, at: 0s}
  - {crash: {server: 3}, at: 0s}
`,
		story: `2.232s 1 gives up`,
		heard: []string{"1 Lock: node #...: context deadline exceeded"},
		sent:  "delete:11 set:11",
	},
}
