package scenarios

// matrix is the directed scenarios. The predictions follow from how each system decides that a
// lease is over, on which clock, and what its library tells the holder; see the package
// comments of the models. A cell stands as it was predicted, conditions and all: they are in
// parentheses, and where one is not met, the cell comes out otherwise and is explained.
var matrix = []directed{
	{
		name: "the holder stops for longer than its lease, then writes", scenario: "kleppmann/beyond-takeover",
		predicted: map[string]string{
			"redis": "U X", "redis-replica": "U X", "redlock": "U X", "etcd": "U X F", "zookeeper": "U X F",
			"consul": "U X F (a stop of more than two TTLs and the lock-delay)", "k8s-lease": "U X", "dynamodb": "U X",
			"local": "n/a", "dbrow": "U X", "chubby": "U X F", "hazelcast": "U X F", "advisory": "n/a",
		},
	},
	{
		name: "a write is under way for longer than the lease", scenario: "kleppmann-delayed-write",
		predicted: map[string]string{
			"redis": "X", "redis-replica": "X", "redlock": "X", "etcd": "X F", "zookeeper": "X F",
			"consul": "X F", "k8s-lease": "X", "dynamodb": "X",
			"local": "X F", "dbrow": "X", "chubby": "X F", "hazelcast": "X F", "advisory": "X",
		},
	},
	{
		name: "a server's wall clock jumps past the lease", scenario: "kleppmann-clock-jump",
		predicted: map[string]string{
			"redis": "U X", "redis-replica": "U X", "redlock": "U X (jumps that break the majority: one server's, and a partition)",
			"etcd": "-", "zookeeper": "-", "consul": "-", "k8s-lease": "-", "dynamodb": "-",
			"local": "n/a", "dbrow": "U X", "chubby": "-", "hazelcast": "U X F", "advisory": "n/a",
		},
		why: []explained{{
			"k8s-lease dynamodb", "The service has no clock that could jump: each client that waits measures the lease on its own.",
		}},
	},
	{
		name: "the client's wall clock is set back while it acquires", scenario: "client-clock-step-back",
		predicted: map[string]string{
			"redis": "- (no check)", "redis-replica": "-", "redlock": "- (on a monotonic clock; U on a wall clock)",
			"etcd": "-", "zookeeper": "-", "consul": "-", "k8s-lease": "-", "dynamodb": "-",
			"local": "-", "dbrow": "-", "chubby": "-", "hazelcast": "-", "advisory": "-",
		},
	},
	{
		name: "a lock server crashes and starts anew at once", scenario: "server-crash",
		predicted: map[string]string{
			"redis": "U X", "redis-replica": "U X", "redlock": "U X (one server, and two who want the lock)",
			"etcd": "-", "zookeeper": "-", "consul": "-", "k8s-lease": "-", "dynamodb": "-",
			"local": "n/a", "dbrow": "-", "chubby": "-", "hazelcast": "-", "advisory": "U X",
		},
	},
	{
		name: "the servers fail over before the lock is replicated", scenario: "failover-loses-the-lock",
		predicted: map[string]string{
			"redis": "n/a", "redis-replica": "U X", "redlock": "n/a",
			"etcd": "-", "zookeeper": "-", "consul": "-", "k8s-lease": "-", "dynamodb": "-",
			"local": "n/a", "dbrow": "n/a", "chubby": "-", "hazelcast": "-", "advisory": "U X",
		},
		why: []explained{{
			"k8s-lease dynamodb", "The service is one server here, which forgets nothing and has nobody to fail over to.",
		}},
	},
	{
		name: "a stop of the client before it evaluates its replies", scenario: "antirez-pause-before-check/beyond-takeover",
		predicted: map[string]string{
			"redis": "U X", "redis-replica": "U X", "redlock": "- (caught)",
			"etcd":      "U X F (Lock succeeds; Done closes within 1 s, or TTL/3 later)",
			"zookeeper": "U X F (for a short time)",
			"consul":    "U X F (for a short time; a stop of more than two TTLs and the lock-delay)",
			"k8s-lease": "U X (for up to 12 s)", "dynamodb": "- (caught if the program polls isExpired)",
			"local": "n/a", "dbrow": "U X", "chubby": "U", "hazelcast": "U X F", "advisory": "n/a",
		},
		why: []explained{
			{"zookeeper", "Its program listens: it is disconnected when the client wakes, and stops before it reads. Row 15 is a program that does not."},
			{"consul", "The first blocking read says within a round trip that another holds the lock, and the program listens: it stops before it reads."},
			{"dynamodb", "The documented example does not ask. Row 12 is a program that does."},
		},
	},
	{
		name: "the holder is cut off, and heeds what its library tells it", scenario: "silent-partition",
		predicted: map[string]string{
			"redis": "U (no signal)", "redis-replica": "U", "redlock": "- (if it honours Until)",
			"etcd": "U (for about d + 1 s)", "zookeeper": "- (if it stops on SUSPENDED)", "consul": "- (if it uses a TTL timer of its own)",
			"k8s-lease": "U (if the last reply took more than 3 s)", "dynamodb": "-",
			"local": "n/a", "dbrow": "U", "chubby": "-", "hazelcast": "U", "advisory": "-",
		},
		why: []explained{
			{"consul", "The library has no such timer, and the documented program waits for the channel, which closes when a blocking read fails. With `deadline: ttl` the program has one, and stops in time."},
			{"k8s-lease", "No reply takes 3 s here, or anything like it."},
		},
	},
	{
		name: "the servers lose their leader", scenario: "leader-failover",
		predicted: map[string]string{
			"redis": "n/a", "redis-replica": "U X (as in row 6)", "redlock": "n/a",
			"etcd": "- (leases are extended)", "zookeeper": "- (sessions start anew)", "consul": "- (timers start anew)",
			"k8s-lease": "- (it tries again)", "dynamodb": "n/a",
			"local": "n/a", "dbrow": "n/a", "chubby": "-", "hazelcast": "-", "advisory": "n/a",
		},
		why: []explained{
			{"redis-replica", "The lock has reached the replicas when the master dies, a second after the grant. Row 6 is a lock that has not."},
			{"k8s-lease", "Its API server is one server here, without the cluster behind it that has a leader."},
		},
	},
	{
		name: "the client's machine sleeps before it evaluates its replies", scenario: "suspend-during-acquire",
		predicted: map[string]string{
			"redis": "U X", "redis-replica": "U X", "redlock": "U X", "etcd": "U X F", "zookeeper": "U X F",
			"consul": "U X F", "k8s-lease": "U X", "dynamodb": "U X",
			"local": "n/a", "dbrow": "U X", "chubby": "U X F", "hazelcast": "U X F", "advisory": "n/a",
		},
		why: []explained{
			{"zookeeper", "Its client is disconnected when it wakes, which the program's listener takes for the loss before it writes. Row 16 is a program without one."},
			{"chubby", "Its local lease stood still, so it believes; the KeepAlive that it sends when it wakes is answered that the session is over, before the client writes."},
			{"consul", "The next holder shows in a blocking read within a round trip of waking, before the client checks and writes."},
		},
	},
	{
		name: "a waiter's own lease runs out while it queues", scenario: "queued-lease-expires",
		predicted: map[string]string{
			"redis": "n/a", "redis-replica": "n/a", "redlock": "n/a",
			"etcd": "- (an error; U with a client before 3.5)", "zookeeper": "- (no such node: it tries again)", "consul": "- (refused)",
			"k8s-lease": "n/a", "dynamodb": "n/a",
			"local": "n/a", "dbrow": "-", "chubby": "-", "hazelcast": "-", "advisory": "n/a",
		},
		why: []explained{{
			"redis redis-replica redlock k8s-lease dynamodb", "Who waits has no lease and no place in a queue that could run out: it stops, wakes and tries again.",
		}},
	},
	{
		name: "as 7, and programs ask their libraries before each request", scenario: "antirez-pause-before-check/polled",
		predicted: map[string]string{
			"redis": "U X", "redis-replica": "U X", "redlock": "- (caught)", "etcd": "U X F", "zookeeper": "U",
			"consul": "U", "k8s-lease": "U X", "dynamodb": "- (caught)",
			"local": "n/a", "dbrow": "U X", "chubby": "U", "hazelcast": "U X F", "advisory": "n/a",
		},
		why: []explained{
			{"etcd", "The sweep that closes the session's channel is overdue when the client wakes, and comes first."},
			{"hazelcast", "The overdue heartbeat is answered within a round trip and a commit, before the client reads."},
			{"dynamodb", "The client believes from the return of acquire to its first question, and does nothing in between."},
		},
	},
	{
		name: "as 7, and the client's wall clock is set back by as long; Redlock's client measures on it", scenario: "antirez-pause-before-check/clock-set-back",
		predicted: map[string]string{
			"redis": "U X", "redis-replica": "U X", "redlock": "U X", "etcd": "U X F", "zookeeper": "U X F",
			"consul": "U", "k8s-lease": "U X", "dynamodb": "U X",
			"local": "n/a", "dbrow": "U X", "chubby": "U", "hazelcast": "U X F", "advisory": "n/a",
		},
		why: []explained{{
			"zookeeper", "Its program listens: it is disconnected when the client wakes, and stops before it reads. Row 17 is a program that does not.",
		}},
	},
	{
		name: "as 11, with a client of etcd before 3.5.0", scenario: "queued-lease-expires/before-3.5",
		predicted: map[string]string{
			"redis": "-", "redis-replica": "-", "redlock": "-", "etcd": "U X F", "zookeeper": "-",
			"consul": "-", "k8s-lease": "-", "dynamodb": "-",
			"local": "n/a", "dbrow": "-", "chubby": "-", "hazelcast": "-", "advisory": "n/a",
		},
	},
	{
		name: "as 7, and ZooKeeper's program does not listen to its connection", scenario: "antirez-pause-before-check/no-listener",
		predicted: map[string]string{
			"redis": "U X", "redis-replica": "U X", "redlock": "-", "etcd": "U X F", "zookeeper": "U X F",
			"consul": "U", "k8s-lease": "U X", "dynamodb": "U X",
			"local": "n/a", "dbrow": "U X", "chubby": "U", "hazelcast": "U X F", "advisory": "n/a",
		},
	},
	{
		name: "as 10, and ZooKeeper's program does not listen to its connection", scenario: "suspend-during-acquire/no-listener",
		predicted: map[string]string{
			"redis": "U X", "redis-replica": "U X", "redlock": "U X", "etcd": "U X F", "zookeeper": "U X F",
			"consul": "U", "k8s-lease": "U X", "dynamodb": "U X",
			"local": "n/a", "dbrow": "U X", "chubby": "U", "hazelcast": "U X F", "advisory": "n/a",
		},
	},
	{
		name:     "as 13, and ZooKeeper's program does not listen to its connection; Redlock's clock is monotonic",
		scenario: "antirez-pause-before-check/no-listener-clock-set-back",
		predicted: map[string]string{
			"redis": "U X", "redis-replica": "U X", "redlock": "-", "etcd": "U X F", "zookeeper": "U X F",
			"consul": "U", "k8s-lease": "U X", "dynamodb": "U X",
			"local": "n/a", "dbrow": "U X", "chubby": "U", "hazelcast": "U X F", "advisory": "n/a",
		},
	},
	{
		name: "as 1, and client-go's program takes leaseTransitions for a token", scenario: "kleppmann/lease-transitions",
		predicted: map[string]string{
			"redis": "U X", "redis-replica": "U X", "redlock": "U X", "etcd": "U X F", "zookeeper": "U X F",
			"consul": "U X F", "k8s-lease": "U X F", "dynamodb": "U X",
			"local": "n/a", "dbrow": "U X", "chubby": "U X F", "hazelcast": "U X F", "advisory": "n/a",
		},
	},
}
