//go:build linux

package live

import "time"

// short are the parameters of a lock with the least TTL that etcd grants, and that go with it.
func short(lock string) map[string]string {
	p := alone(lock)
	p["ttl"] = "2s"
	if lock == "zookeeper" {
		p["tick-time"] = "500ms"
	}
	return p
}

// alone is one server of ZooKeeper where its leader does not matter: three Javas for each run are much for a small
// machine.
func alone(lock string) map[string]string {
	if lock == "zookeeper" {
		return map[string]string{"servers": "1"}
	}
	return map[string]string{}
}

// plays are all cases.
func plays() (all []*play) {
	tokens := map[string]bool{"etcd": true, "zookeeper": true}
	add := func(p play, locks ...string) {
		for _, lock := range locks {
			q := p
			q.rig = rigs[lock]
			all = append(all, &q)
		}
	}
	everywhere := []string{"redis", "redlock", "etcd", "zookeeper"}

	// A. Kleppmann's pause: between the check and the write, and the write comes after the next holder's.
	for _, lock := range everywhere {
		for _, guard := range guardsOf(tokens[lock]) {
			add(play{scenario: "kleppmann", values: map[string]string{"ttl": "2s", "fault.pause": "6s"}, params: short(lock), guard: guard, smoke: true}, lock)
		}
	}
	// B. The same, and the write comes between the next holder's read and its write.
	for _, lock := range everywhere {
		for _, guard := range guardsOf(tokens[lock]) {
			add(play{scenario: "stale-write-in-between", values: map[string]string{"fault.pause": "6s", "work": "10s"}, params: short(lock), guard: guard}, lock)
		}
	}
	// C. A clock jumps, and the clients see other nodes.
	for _, scenario := range []string{"kleppmann-clock-jump", "kleppmann-clock-jump/four-nodes"} {
		add(play{scenario: scenario, guard: "none", clocks: true, smoke: scenario == "kleppmann-clock-jump"}, "redlock")
	}
	add(play{scenario: "kleppmann-clock-jump", guard: "none", clocks: true}, "redis")
	// D. The write itself is late.
	for _, lock := range everywhere {
		for _, guard := range guardsOf(tokens[lock]) {
			add(play{scenario: "kleppmann-delayed-write", values: map[string]string{"fault.hold": "12s"}, params: alone(lock), guard: guard}, lock)
		}
	}
	// E. A node restarts and has kept nothing; and one that stays away for as long as a key lives.
	for _, scenario := range []string{"node-restarts-empty", "node-restarts-empty/delayed"} {
		add(play{scenario: scenario, guard: "none", smoke: scenario == "node-restarts-empty"}, "redlock")
	}
	add(play{scenario: "server-crash", guard: "none"}, "redis")
	add(play{scenario: "server-crash", params: map[string]string{"persistence": "always"}, guard: "none", variant: "with-append-only-file"}, "redis")
	// F. A master dies before it has replicated the lock, and a leader dies that has.
	add(play{scenario: "failover-loses-the-lock", params: map[string]string{"down-after": "2s"}, guard: "none"}, "redis-replica")
	add(play{scenario: "leader-failover", guard: "none"}, "redis-replica", "etcd")
	add(play{scenario: "leader-failover", guard: "none", sooner: 300 * time.Millisecond}, "zookeeper")
	// G. A reply is lost, and the library sends the command again.
	add(play{scenario: "own-set-in-the-way", guard: "none"}, "redis-bare")
	add(play{scenario: "own-set-in-the-way/knows-its-value", guard: "none", smoke: true}, "redis")
	// H. The holder dies; or is cut off, and heeds what its library says.
	for _, lock := range everywhere {
		add(play{scenario: "holder-crashes", params: alone(lock), guard: "none"}, lock)
	}
	heals := map[string]string{"heals": "20s"}
	for _, lock := range []string{"redis-bare", "etcd", "zookeeper"} {
		add(play{scenario: "silent-partition", values: heals, params: alone(lock), guard: "none"}, lock)
	}
	add(play{scenario: "silent-partition", values: heals, params: map[string]string{"attempts": "1000"}, guard: "none"}, "redlock")
	return all
}

// guardsOf are the guards that are tried with a lock.
func guardsOf(token bool) []string {
	if token {
		return []string{"none", "fence-writes", "fence-reads-writes"}
	}
	return []string{"none"}
}
