package scenarios

// matrix is the directed scenarios. Predictions follow from how each system decides that a
// lease is over, on which clock, and what its library tells the holder; see the package
// comments of the models.
var matrix = []directed{
	{
		name: "the holder stops for longer than its lease, then writes", scenario: "kleppmann/beyond-takeover",
		predicted: map[string]string{"local": "n/a", "dbrow": "U X", "redis": "U X", "redis-replica": "U X", "redlock": "U X", "etcd": "U X F",
			"zookeeper": "U X F", "chubby": "U X F", "consul": "U X F", "hazelcast": "U X F", "k8s-lease": "U X", "dynamodb": "U X", "advisory": "n/a"},
	},
	{
		name: "a write is under way for longer than the lease", scenario: "kleppmann-delayed-write",
		predicted: map[string]string{"local": "X F", "dbrow": "X", "redis": "X", "redis-replica": "X", "redlock": "X", "etcd": "X F",
			"zookeeper": "X F", "chubby": "X F", "consul": "X F", "hazelcast": "X F", "k8s-lease": "X", "dynamodb": "X", "advisory": "X"},
	},
	{
		name: "a server's wall clock jumps past the lease", scenario: "kleppmann-clock-jump",
		predicted: map[string]string{"local": "n/a", "dbrow": "U X", "redis": "U X", "redis-replica": "U X", "redlock": "U X", "etcd": "-",
			"zookeeper": "-", "chubby": "-", "consul": "-", "hazelcast": "U X F", "k8s-lease": "n/a", "dynamodb": "n/a", "advisory": "n/a"},
	},
	{
		name: "the client's wall clock is set back while it acquires", scenario: "client-clock-step-back",
		predicted: map[string]string{"local": "-", "dbrow": "-", "redis": "-", "redis-replica": "-", "redlock": "-", "etcd": "-",
			"zookeeper": "-", "chubby": "-", "consul": "-", "hazelcast": "-", "k8s-lease": "-", "dynamodb": "-", "advisory": "-"},
	},
	{
		name: "a lock server crashes and starts anew at once", scenario: "server-crash",
		predicted: map[string]string{"local": "n/a", "dbrow": "-", "redis": "U X", "redis-replica": "U X", "redlock": "U X", "etcd": "-",
			"zookeeper": "-", "chubby": "-", "consul": "-", "hazelcast": "-", "k8s-lease": "-", "dynamodb": "-", "advisory": "U X"},
	},
	{
		name: "the servers fail over before the lock is replicated", scenario: "failover-loses-the-lock",
		predicted: map[string]string{"local": "n/a", "dbrow": "n/a", "redis": "n/a", "redis-replica": "U X", "redlock": "n/a", "etcd": "-",
			"zookeeper": "-", "chubby": "-", "consul": "-", "hazelcast": "-", "k8s-lease": "n/a", "dynamodb": "n/a", "advisory": "U X"},
	},
	{
		name: "a stop of the client before it evaluates its replies", scenario: "antirez-pause-before-check/beyond-takeover",
		predicted: map[string]string{"local": "n/a", "dbrow": "U X", "redis": "U X", "redis-replica": "U X", "redlock": "-", "etcd": "U X F",
			"zookeeper": "U X F", "chubby": "U", "consul": "U", "hazelcast": "U X F", "k8s-lease": "U X", "dynamodb": "U X", "advisory": "n/a"},
		why: map[string]string{
			"zookeeper": "Its program listens: it is disconnected when the client wakes, and stops before it reads.",
		},
	},
	{
		name: "the holder is cut off, and heeds what its library tells it", scenario: "silent-partition",
		predicted: map[string]string{"local": "n/a", "dbrow": "U", "redis": "U", "redis-replica": "U", "redlock": "-", "etcd": "U",
			"zookeeper": "-", "chubby": "-", "consul": "U", "hazelcast": "U", "k8s-lease": "-", "dynamodb": "-", "advisory": "-"},
	},
	{
		name: "the servers lose their leader", scenario: "leader-failover",
		predicted: map[string]string{"local": "n/a", "dbrow": "n/a", "redis": "n/a", "redis-replica": "-", "redlock": "n/a", "etcd": "-",
			"zookeeper": "-", "chubby": "-", "consul": "-", "hazelcast": "-", "k8s-lease": "n/a", "dynamodb": "n/a", "advisory": "n/a"},
	},
	{
		name: "the client's machine sleeps before it evaluates its replies", scenario: "suspend-during-acquire",
		predicted: map[string]string{"local": "n/a", "dbrow": "U X", "redis": "U X", "redis-replica": "U X", "redlock": "U X", "etcd": "U X F",
			"zookeeper": "U X F", "chubby": "U X F", "consul": "U X F", "hazelcast": "U X F", "k8s-lease": "U X", "dynamodb": "U X", "advisory": "n/a"},
		why: map[string]string{
			"zookeeper": "Its client is disconnected when it wakes, which the program's listener takes for the loss before it writes.",
			"chubby":    "Its local lease stood still, so it believes; the KeepAlive that it sends when it wakes is answered that the session is over, before the client writes.",
			"consul":    "The next holder shows in a blocking read within a round trip of waking, before the client checks and writes.",
		},
	},
	{
		name: "a waiter's own lease runs out while it queues", scenario: "queued-lease-expires",
		predicted: map[string]string{"local": "n/a", "dbrow": "-", "redis": "-", "redis-replica": "-", "redlock": "-", "etcd": "-",
			"zookeeper": "-", "chubby": "-", "consul": "-", "hazelcast": "-", "k8s-lease": "-", "dynamodb": "-", "advisory": "n/a"},
	},
	{
		name: "as 7, and programs ask their libraries before each request", scenario: "antirez-pause-before-check/polled",
		predicted: map[string]string{"local": "n/a", "dbrow": "U X", "redis": "U X", "redis-replica": "U X", "redlock": "-", "etcd": "U X F",
			"zookeeper": "U", "chubby": "U", "consul": "U", "hazelcast": "U X F", "k8s-lease": "U X", "dynamodb": "-", "advisory": "n/a"},
		why: map[string]string{
			"etcd":      "The sweep that closes the session's channel is overdue when the client wakes, and comes first.",
			"hazelcast": "The overdue heartbeat is answered within a round trip and a commit, before the client reads.",
			"dynamodb":  "The client believes from the return of acquire to its first question, and does nothing in between.",
		},
	},
	{
		name: "as 7, and the client's wall clock is set back by as long; Redlock's client measures on it", scenario: "antirez-pause-before-check/clock-set-back",
		predicted: map[string]string{"local": "n/a", "dbrow": "U X", "redis": "U X", "redis-replica": "U X", "redlock": "U X", "etcd": "U X F",
			"zookeeper": "U X F", "chubby": "U", "consul": "U", "hazelcast": "U X F", "k8s-lease": "U X", "dynamodb": "U X", "advisory": "n/a"},
		why: map[string]string{
			"zookeeper": "Its program listens: it is disconnected when the client wakes, and stops before it reads.",
		},
	},
	{
		name: "as 11, with a client of etcd before 3.5.0", scenario: "queued-lease-expires/before-3.5",
		predicted: map[string]string{"local": "n/a", "dbrow": "-", "redis": "-", "redis-replica": "-", "redlock": "-", "etcd": "U X F",
			"zookeeper": "-", "chubby": "-", "consul": "-", "hazelcast": "-", "k8s-lease": "-", "dynamodb": "-", "advisory": "n/a"},
	},
}
