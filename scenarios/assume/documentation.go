package assume

// Where the documents are.
const (
	redisPage   = "Redis documentation, Distributed Locks with Redis"
	etcdLock    = "etcd-io/etcd contrib/lock/README.md"
	chubbyPaper = "M. Burrows, The Chubby lock service for loosely-coupled distributed systems, OSDI 2006"
	consulPage  = "HashiCorp, Sessions and distributed locks overview, https://developer.hashicorp.com/consul/docs/automate/session"
	clientGo    = "kubernetes/client-go tools/leaderelection/leaderelection.go, package comment"
	dynamoPage  = "awslabs/amazon-dynamodb-lock-client README.md"
	fencedLock  = "Hazelcast documentation, FencedLock, https://docs.hazelcast.com/hazelcast/latest/data-structures/fencedlock"
	pgPage      = "PostgreSQL documentation, Explicit Locking, Advisory Locks"
)

// Why several systems came out alike.
const (
	lateWrite = "The request is what is late, and no lock can call one back: the client gives it up after 5 s, releases, and it arrives all the same."
	untold    = "The work lasts a minute and lives on renewals. When they stop, the library tells nobody."
	slowTimer = "The timer of the renewals runs on the slow clock."
	longWait  = "The client waits for up to 5 s for the reply, and holds the lock meanwhile: the section outlasts its lease."
)

// documented is what each shipped system's documents say. Only what was read is here.
var documented = map[string]Documented{
	"local": {
		Assumes: []Phrase{{"those who lock it are threads of one process", "POSIX.1-2017, pthread_mutex_lock"}},
		differs: []Explained{{"write-delay", lateWrite}},
	},
	"dbrow": {
		Assumes: []Phrase{
			{"a task ends well within lockAtMostFor; one that takes longer may run twice", "lukas-krecan/ShedLock README.md"},
			{"with client time, clocks of nodes differ by less than lockAtLeastFor; with database time (the default here) they do not matter", "lukas-krecan/ShedLock README.md"},
		},
		admits: "overrun pause pause-acquiring",
		differs: []Explained{
			{"write-delay", longWait},
			{"lock-delay-held cut-off cut-off-goes-on cut-off-never-asks", untold},
			{"holder-clock-slow", slowTimer},
			{"server-clock-fast server-clock-step", "The database's time is advised so that the nodes' need not agree. That it must not jump or run fast itself is left unsaid."},
			{"server-loss", "What is committed is on disk, so only the loss of the disk breaks it. Nothing is said of that, as of any database."},
		},
	},
	"redis": {
		Assumes: []Phrase{
			{"the work ends within the TTL, and clocks advance at about the same rate", redisPage},
			{"no shift of a server's wall clock: TTLs are not on a monotonic one", redisPage + ", its disclaimer"},
			{"an append-only file with fsync at every write, or restarts that are delayed by the TTL", redisPage + ", Performance, Crash Recovery and fsync"},
		},
		admits: "overrun pause pause-acquiring write-delay server-clock-fast holder-clock-slow server-clock-step server-loss",
		differs: []Explained{
			{"lock-delay-held cut-off cut-off-goes-on cut-off-never-asks", untold},
		},
	},
	"redis-replica": {
		Assumes: []Phrase{
			{"no failover before the lock is replicated, which is asynchronous: it is called a race condition, for those who can live with it", redisPage + ", Why Failover-based Implementations Are Not Enough"},
			{"the work ends within the TTL, and clocks advance at about the same rate", redisPage},
			{"no shift of a server's wall clock", redisPage + ", its disclaimer"},
		},
		admits: "overrun pause pause-acquiring write-delay leader-clock-fast holder-clock-slow leader-clock-step leader-loss leader-crash leader-isolated",
		differs: []Explained{
			{"lock-delay-held cut-off cut-off-goes-on cut-off-never-asks", untold},
		},
	},
	"redlock": {
		Assumes: []Phrase{
			{"clocks advance at about the same rate, with an error that is small beside the TTL; the work ends within the validity time", redisPage + ", The Redlock Algorithm"},
			{"no shift of a server's wall clock", redisPage + ", its disclaimer"},
			{"servers that keep their keys through a crash, or restart after the TTL", redisPage + ", Performance, Crash Recovery and fsync"},
			{"no bound on delays and pauses before the client's elapsed check; only what comes after it counts", "S. Sanfilippo, Is Redlock safe? (2016), http://antirez.com/news/101"},
		},
		admits: "overrun pause write-delay server-clock-fast majority-clock-fast holder-clock-slow server-clock-step majority-clock-step server-loss majority-loss",
		differs: []Explained{
			{"server-clock-fast server-clock-step server-loss", "One server alone makes no second majority. It takes clients that reach different servers besides, as in the scenarios kleppmann-clock-jump and server-crash, or three servers at once."},
			{"lock-delay-held cut-off-goes-on cut-off-never-asks", "The work lasts a minute and lives on renewals. The library knows its deadline (cut-off heeds it), and stops nobody who does not ask."},
		},
	},
	"etcd": {
		Assumes: []Phrase{
			{"a lease depends on the clocks of service and client, so the lock alone excludes nobody: a pause can outlast it, and the resource has to validate a version", etcdLock},
			{"leases are measured on the leader's monotonic clock, and begin anew with a new leader", "etcd-io/etcd server/lease/lessor.go"},
		},
		admits: "pause pause-acquiring write-delay holder-clock-slow leader-clock-fast",
		differs: []Explained{
			{"lock-delay lock-delay-held", "What it hears is old by the delay: its lease ends while the answer that its key is there, Lock's last, is under way. And it counts the lease from the reply and not from the request."},
			{"cut-off", "As above: the client's deadline is late by the way of the reply and up to a second of its sweep. Who heeds it stops before the write, so nothing is harmed."},
			{"cut-off-goes-on cut-off-never-asks", "Session.Done closes, and nothing stops who does not listen. The documented example does not."},
			{"leader-clock-fast", "A server at twice its rate still grants 5 s, and the client renews every third of its TTL."},
		},
	},
	"zookeeper": {
		Assumes: []Phrase{
			{"\"at any snapshot in time no two clients think they hold the same lock\"", "ZooKeeper documentation, Recipes, Locks"},
			{"the program listens to the connection: with SUSPENDED it cannot be sure of the lock, with LOST it has none", "Apache Curator documentation, Shared Reentrant Lock, Error Handling"},
			{"a pause can outlast the session, so the resource has to be marked with the new epoch", "F. Junqueira, Note on fencing and distributed locks (2016), https://fpj.me/2016/02/10/note-on-fencing-and-distributed-locks/"},
		},
		admits: "cut-off-goes-on cut-off-never-asks pause pause-acquiring",
		differs: []Explained{
			{"write-delay", lateWrite},
			{"holder-clock-slow", "The client measures its silence on the slow clock, so its pings come later than the session lasts. The servers' word reaches it before it writes."},
		},
	},
	"chubby": {
		Assumes: []Phrase{
			{"a delayed request may arrive under another's lock: sequencers, or a lock-delay of up to a minute, are for that", chubbyPaper + ", 2.4"},
			{"the master's clock advances no faster than a known constant factor times the client's", chubbyPaper + ", 2.8"},
			{"the library blocks calls while it does not know (jeopardy), for 45 s", chubbyPaper + ", 2.8"},
		},
		admits: "pause pause-acquiring write-delay holder-clock-slow leader-clock-fast cut-off-goes-on",
		differs: []Explained{
			{"holder-clock-slow leader-clock-fast", "The lock-delay of a minute comes on top of the lease, and covers errors of rate beyond the factor for work of a minute and less."},
		},
	},
	"consul": {
		Assumes: []Phrase{
			{"a TTL is the least that a session lasts; clients account for clock rates and network delay, and renew in time", consulPage},
			{"a holder whose session has ended notices within the lock-delay (15 s), and stops", consulPage},
			{"failure detectors give false alarms: liveness comes before safety, and a lock may be gone before Unlock", "hashicorp/consul api/lock.go, Lock"},
		},
		admits: "pause pause-acquiring write-delay cut-off-goes-on cut-off-never-asks holder-clock-slow leader-clock-fast",
		differs: []Explained{
			{"holder-clock-slow leader-clock-fast", "A session is kept for twice its TTL and the key for 15 s more, and renewals come every half TTL."},
			{"cut-off", "The channel that tells of the loss waits for a blocking read to fail. No deadline of the client's own does."},
		},
	},
	"hazelcast": {
		Assumes: []Phrase{
			{"no lock service excludes in an asynchronous network: a pause can outlast the session, and fencing tokens are for that", fencedLock},
			{"members fail by crashing, networks by partition; one side at most goes on", "Hazelcast, FencedLock Javadoc, https://docs.hazelcast.org/docs/5.2.5/javadoc/com/hazelcast/cp/lock/FencedLock.html"},
		},
		admits: "pause pause-acquiring write-delay cut-off cut-off-goes-on cut-off-never-asks lock-delay lock-delay-held",
		differs: []Explained{
			{"leader-clock-step", "Sessions end on the wall clock of each member (cp/internal/session), which the documentation does not say."},
			{"holder-clock-slow", "The heartbeat, every 5 s of the client's clock, comes later than the session of 10 s lasts. With the default of 300 s it would take a factor of 60."},
		},
	},
	"k8s-lease": {
		Assumes: []Phrase{
			{"it does not guarantee that one client alone acts as a leader: there is no fencing", clientGo},
			{"clocks may differ, their rates may not: by no more than about LeaseDuration to RenewDeadline", clientGo},
		},
		admits: "pause pause-acquiring write-delay holder-clock-slow waiter-clock-fast cut-off-goes-on cut-off-never-asks",
		differs: []Explained{
			{"waiter-clock-fast", "A leader that is healthy renews every 2 s, which a waiter at twice its rate still sees in time. The ratio matters once renewals fail."},
		},
	},
	"dynamodb": {
		Assumes: []Phrase{
			{"a lock does not expire while its process runs, since it sends heartbeats", dynamoPage + ", Send Automatic Heartbeats"},
			{"machines may disagree about the time: a lease is a length, measured by who waits", dynamoPage + ", How we handle clock skew"},
			{"the program asks isExpired, or ensures the time that it needs", "awslabs/amazon-dynamodb-lock-client LockItem.java"},
		},
		admits: "cut-off-goes-on cut-off-never-asks",
		differs: []Explained{
			{"write-delay", lateWrite},
			{"pause pause-acquiring", "A stopped process sends no heartbeats, and the documented example does not ask isExpired when it wakes."},
			{"lock-delay-held", "A heartbeat that is answered later than the lease lasts is none, and the documented example does not ask."},
			{"holder-clock-slow", "The heartbeat comes every 5 s of the slow clock. The lease is a length for both, so it is safe only if both measure it alike."},
		},
	},
	"advisory": {
		Assumes: []Phrase{
			{"the lock is held until it is released or the session ends; the program sees to its correct use", pgPage},
			{"all of it is in the memory of one server", pgPage},
		},
		admits:  "server-loss",
		differs: []Explained{{"write-delay", lateWrite}},
	},
}
