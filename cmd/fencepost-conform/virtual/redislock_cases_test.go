package virtual

import "testing"

// TestRedislockCases: what redislock's source says comes of it, on go-redis and miniredis.
func TestRedislockCases(t *testing.T) {
	for _, c := range redislockCases {
		c.library = redislocks()
		c.library.params["attempts"] = 1
		t.Run(c.name, c.play)
	}
}

const (
	notHeld     = "redislock: lock not held"
	notObtained = "redislock: not obtained"
)

var redislockCases = []prediction{
	{
		// Obtain does not look at a clock: the key has expired for half a second when it returns.
		name: "a pause inside the reply, longer than the TTL",
		scenario: `
lock: {ttl: 2s}
clients: [{between: 100ms, check: before-write}]
faults: [{pause: {client: 1, for: 2500ms}, when: {client: 1, step: acquire.send, after: 1ms}}]
`,
		story: `
			2.501s 1 has it
			2.603s 1 check passed
			2.604s 1 writes
			2.607s 1 release failed`,
		heard: []string{"1 Obtain: ok", "1 Release: " + notHeld},
		sent:  "delete:1 redislock.obtain:1",
	},
	{
		name: "a pause after the reply, longer than the TTL",
		scenario: `
lock: {ttl: 2s}
clients: [{between: 100ms, check: before-write}]
faults: [{pause: {client: 1, for: 2500ms}, when: {client: 1, step: acquire.reply}}]
`,
		story: `
			2.502s 1 has it
			2.604s 1 check passed
			2.605s 1 writes
			2.608s 1 release failed`,
		heard: []string{"1 Obtain: ok", "1 Release: " + notHeld},
		sent:  "delete:1 redislock.obtain:1",
	},
	{
		name: "a pause between check and write",
		scenario: `
lock: {ttl: 2s}
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
		heard: []string{"1 Obtain: ok", "2 Obtain: ok", "2 Release: ok", "1 Release: " + notHeld},
		sent:  "delete:2 redislock.obtain:2",
	},
	{
		name: "the server down",
		scenario: `
lock: {ttl: 2s}
clients: [{start: 1s, between: 100ms}]
faults: [{crash: {server: 1}, at: 0s}]
`,
		story: `6s 1 gives up`,
		heard: []string{"1 Obtain: ...i/o timeout"},
		sent:  "redislock.obtain:1",
	},
	{
		name: "the server slow",
		scenario: `
lock: {ttl: 2s}
clients: [{between: 100ms, check: before-write}]
faults: [{slow: {server: 1, delay: 400ms}, at: 0s}]
`,
		story: `
			802ms 1 has it
			904ms 1 check passed
			905ms 1 writes
			1.708s 1 released`,
		heard: []string{"1 Obtain: ok", "1 Release: ok"},
		sent:  "delete:1 redislock.obtain:1",
	},
	{
		name: "the server's clock stepped ahead",
		scenario: `
lock: {ttl: 2s}
clients: [{between: 1500ms, check: before-write}, {start: 1s, between: 1500ms, check: before-write}]
faults: [{clock-step: {server: 1, by: +5s}, at: 500ms}]
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
		heard: []string{"1 Obtain: ok", "2 Obtain: ok", "1 Release: " + notHeld, "2 Release: ok"},
		sent:  "delete:2 redislock.obtain:2",
	},
	{
		// The key of a client that has crashed lives until 7.001 s.
		name: "the server's clock stepped back",
		scenario: `
lock: {ttl: 2s}
clients: [{between: 1s}, {start: 6900ms, between: 100ms}, {start: 7100ms, between: 100ms, check: before-write}]
faults:
  - {crash: {client: 1}, at: 200ms}
  - {clock-step: {server: 1, by: -5s}, at: 500ms}
`,
		story: `
			2ms 1 has it
			6.902s 2 gives up
			7.102s 3 has it
			7.204s 3 check passed
			7.205s 3 writes
			7.208s 3 released`,
		heard: []string{"1 Obtain: ok", "2 Obtain: " + notObtained, "3 Obtain: ok", "3 Release: ok"},
		sent:  "delete:1 redislock.obtain:3",
	},
	{
		// Set at 1 ms, it is gone once the clock says more than 2001 ms (src/db.c, keyIsExpired).
		name: "a key in its last millisecond",
		scenario: `
lock: {ttl: 2s}
clients: [{between: 1s}, {start: 2000500us, between: 1s}, {start: 2001100us, between: 100ms}]
faults: [{crash: {client: 1}, at: 200ms}]
`,
		story: `
			2ms 1 has it
			2.003s 2 gives up
			2.003s 3 has it
			2.106s 3 writes
			2.109s 3 released`,
		heard: []string{"1 Obtain: ok", "2 Obtain: " + notObtained, "3 Obtain: ok", "3 Release: ok"},
		sent:  "delete:1 redislock.obtain:3",
	},
	{
		// The active cycle of 2.0 s finds it due at 2000 ms (src/expire.c, activeExpireCycleTryExpire).
		name: "a key that the active cycle finds in its last millisecond",
		scenario: `
lock: {ttl: 1999ms}
clients: [{between: 1s}, {start: 1999500us, between: 100ms}]
faults: [{crash: {client: 1}, at: 200ms}]
`,
		story: `
			2ms 1 has it
			2.002s 2 has it
			2.105s 2 writes
			2.108s 2 released`,
		heard: []string{"1 Obtain: ok", "2 Obtain: ok", "2 Release: ok"},
		sent:  "delete:1 redislock.obtain:2",
	},
	{
		name: "an extension refused",
		scenario: `
lock: {ttl: 2s}
clients: [{between: 1500ms, check: before-write, renew: 1s}]
faults: [{clock-step: {server: 1, by: +5s}, at: 500ms}]
`,
		story: `
			2ms 1 has it
			1.504s 1 check passed
			1.505s 1 writes
			1.508s 1 release failed`,
		heard: []string{"1 Obtain: ok", "1 Refresh: " + notObtained, "1 Release: " + notHeld},
		sent:  "delete:1 extend:1 redislock.obtain:1",
	},
	{
		name: "an extension and a release that are not answered",
		scenario: `
lock: {ttl: 2s}
clients: [{between: 1500ms, check: before-write, renew: 1s}]
faults: [{cut: {client: 1, servers: [1]}, at: 900ms}]
`,
		story: `
			2ms 1 has it
			1.504s 1 check passed
			1.505s 1 writes
			6.506s 1 release failed`,
		heard: []string{"1 Obtain: ok", "1 Refresh: ...i/o timeout", "1 Release: ...i/o timeout"},
		sent:  "delete:1 extend:1 redislock.obtain:1",
	},
	{
		// The script that is sent again finds its own token.
		name: "the reply lost, with resends", params: resends,
		scenario: `
lock: {ttl: 2s, timeout: 50ms}
clients: [{between: 100ms, check: before-write}]
faults: [{cut: {client: 1, servers: [1], direction: in, resend: false, for: 40ms}, at: 0s}]
`,
		story: `
			60ms 1 has it
			162ms 1 check passed
			163ms 1 writes
			166ms 1 released`,
		heard: []string{"1 Obtain: ok", "1 Release: ok"},
		sent:  "delete:1 redislock.obtain:2",
	},
	{
		// The release that is sent again finds nothing: the lock is given back, and the program is told that it was not
		// held.
		name: "the reply to a release lost, with resends", params: resends,
		scenario: `
lock: {ttl: 2s, timeout: 50ms}
clients: [{between: 100ms, check: before-write}]
faults: [{cut: {client: 1, servers: [1], direction: in, resend: false, for: 40ms}, when: {client: 1, step: release.send}}]
`,
		story: `
			2ms 1 has it
			104ms 1 check passed
			105ms 1 writes
			166ms 1 release failed`,
		heard: []string{"1 Obtain: ok", "1 Release: " + notHeld},
		sent:  "delete:2 redislock.obtain:1",
	},
	{
		// The key stays until it expires, and nobody has the lock.
		name: "the reply lost, without resends",
		scenario: `
lock: {ttl: 2s, timeout: 50ms}
clients: [{between: 100ms}, {start: 1900ms, between: 100ms}, {start: 2100ms, between: 100ms, check: before-write}]
faults: [{cut: {client: 1, servers: [1], direction: in, resend: false, for: 40ms}, at: 0s}]
`,
		story: `
			50ms 1 gives up
			1.902s 2 gives up
			2.102s 3 has it
			2.204s 3 check passed
			2.205s 3 writes
			2.208s 3 released`,
		heard: []string{"1 Obtain: ...i/o timeout", "2 Obtain: " + notObtained, "3 Obtain: ok", "3 Release: ok"},
		sent:  "delete:1 redislock.obtain:3",
	},
	{
		// Obtain's context ends after one TTL, in the fourth delay: what it says is not that the lock is another's.
		name: "a lock of another's, waited for", params: map[string]int64{"attempts": 40},
		scenario: `
lock: {ttl: 2s, retry-base: 600ms, retry-max: 600ms, retry-jitter: 0s}
clients: [{between: 5s}, {start: 100ms, between: 100ms}]
faults: [{clock-step: {server: 1, by: -5s}, at: 50ms}]
`,
		story: `
			2ms 1 has it
			2.1s 2 gives up
			5.005s 1 writes
			5.008s 1 released`,
		heard: []string{"1 Obtain: ok", "2 Obtain: context deadline exceeded", "1 Release: ok"},
		sent:  "delete:1 redislock.obtain:5",
	},
	{
		// The third attempt is the last that is asked for.
		name: "a lock of another's, asked for three times", params: map[string]int64{"attempts": 3},
		scenario: `
lock: {ttl: 2s, retry-base: 600ms, retry-max: 600ms, retry-jitter: 0s}
clients: [{between: 1900ms}, {start: 100ms, between: 100ms}]
`,
		story: `
			2ms 1 has it
			1.306s 2 gives up
			1.905s 1 writes
			1.908s 1 released`,
		heard: []string{"1 Obtain: ok", "2 Obtain: " + notObtained, "1 Release: ok"},
		sent:  "delete:1 redislock.obtain:4",
	},
	{
		// Three resends: four times in all, of 50 ms each, and 8 ms between them.
		name: "the server down, with resends", params: resends,
		scenario: `
lock: {ttl: 2s, timeout: 50ms}
clients: [{start: 1s, between: 100ms}]
faults: [{crash: {server: 1}, at: 0s}]
`,
		story: `1.224s 1 gives up`,
		heard: []string{"1 Obtain: ...i/o timeout"},
		sent:  "redislock.obtain:4",
	},
	{
		// Obtain's context ends after one TTL: between the second and the third.
		name: "the server down, with resends and a short TTL", params: resends,
		scenario: `
lock: {ttl: 100ms, timeout: 50ms}
clients: [{start: 1s, between: 50ms}]
faults: [{crash: {server: 1}, at: 0s}]
`,
		story: `1.108s 1 gives up`,
		heard: []string{"1 Obtain: ...context deadline exceeded"},
		sent:  "redislock.obtain:2",
	},
}
