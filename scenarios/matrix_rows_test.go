package scenarios

// matrix is the directed scenarios. Predictions follow from how each system decides that a
// lease is over, on which clock, and what its library tells the holder; see the package
// comments of the models.
var matrix = []directed{
	{
		name: "the holder stops for longer than its lease, then writes", scenario: "kleppmann/beyond-takeover",
		predicted: map[string]string{"local": "n/a", "redis": "U X", "redlock": "U X", "etcd": "U X F", "dbrow": "U X", "zookeeper": "U X F", "consul": "U X F", "k8s-lease": "U X F"},
	},
	{
		name: "a write is under way for longer than the lease", scenario: "kleppmann-delayed-write",
		predicted: map[string]string{"local": "X F", "redis": "X", "redlock": "X", "etcd": "X F", "dbrow": "X", "zookeeper": "X F", "consul": "X F", "k8s-lease": "X F"},
	},
	{
		name: "a server's wall clock jumps past the lease", scenario: "kleppmann-clock-jump",
		predicted: map[string]string{"local": "n/a", "redis": "U X", "redlock": "U X", "etcd": "-", "dbrow": "U X", "zookeeper": "-", "consul": "-", "k8s-lease": "n/a"},
	},
	{
		name: "the client's wall clock is set back while it acquires", scenario: "client-clock-step-back",
		predicted: map[string]string{"local": "-", "redis": "-", "redlock": "-", "etcd": "-", "dbrow": "-", "zookeeper": "-", "consul": "-", "k8s-lease": "-"},
	},
	{
		name: "a lock server crashes and starts anew at once", scenario: "server-crash",
		predicted: map[string]string{"local": "n/a", "redis": "U X", "redlock": "U X", "etcd": "-", "dbrow": "-", "zookeeper": "-", "consul": "-", "k8s-lease": "-"},
	},
	{
		name: "a stop of the client before it evaluates its replies", scenario: "antirez-pause-before-check",
		predicted: map[string]string{"local": "n/a", "redis": "U X", "redlock": "-", "etcd": "U X F", "dbrow": "U X", "zookeeper": "U X F", "consul": "-", "k8s-lease": "U X F"},
	},
	{
		name: "the holder is cut off, and heeds what its library tells it", scenario: "silent-partition",
		predicted: map[string]string{"local": "n/a", "redis": "U", "redlock": "-", "etcd": "U", "dbrow": "U", "zookeeper": "-", "consul": "U", "k8s-lease": "-"},
	},
	{
		name: "the servers lose their leader", scenario: "leader-failover",
		predicted: map[string]string{"local": "n/a", "redis": "n/a", "redlock": "n/a", "etcd": "-", "dbrow": "n/a", "zookeeper": "-", "consul": "-", "k8s-lease": "n/a"},
	},
	{
		name: "the client's machine sleeps before it evaluates its replies", scenario: "suspend-during-acquire",
		predicted: map[string]string{"local": "n/a", "redis": "U X", "redlock": "U X", "etcd": "U X F", "dbrow": "U X", "zookeeper": "U X F", "consul": "U X F", "k8s-lease": "U X F"},
		why: map[string]string{
			"zookeeper": "Its client wakes to a closed connection and hears of the expiry within two round trips, before it checks and writes.",
			"consul":    "The next holder shows in a blocking read within a round trip of waking, before the client checks and writes.",
		},
	},
	{
		name: "a waiter's own lease runs out while it queues", scenario: "queued-lease-expires",
		predicted: map[string]string{"local": "n/a", "redis": "-", "redlock": "-", "etcd": "-", "dbrow": "-", "zookeeper": "-", "consul": "-", "k8s-lease": "-"},
	},
}
