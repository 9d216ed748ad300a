package zookeeper

import (
	"errors"
	"slices"
	"time"

	"fencepost/models"
	"fencepost/models/raftkv"
)

// Recipes, in the order of their words.
const (
	interProcessMutex = iota
	leaderLatch
	plain
)

// What a program takes for the loss of its lock, in the order of the words.
const (
	onSuspended = iota
	onLost      // Curator's
	onExpired   // the bare client's
	never
)

// Tokens, in the order of the words.
const (
	byCzxid = iota
	bySequence
)

// Versions of the client, in the order of the words.
const selfExpiring = 0

// Ways to take a child that was found for one's own, in the order of the words.
const anySession = 1

// Ways in which LeaderLatch tells its node, in the order of the words.
const byPath = 1

// expirationPercent is how much of a session's timeout Curator lets SUSPENDED last, in millionths
// (CuratorFrameworkFactory.java, simulatedSessionExpirationPercent). SUSPENDED begins when a client
// has heard nothing for two thirds of it: with 100 % Curator says LOST two thirds after the session
// may have ended, with 33 % when it may end (CURATOR-460).
const expirationPercent = 1_000_000

// sessionTimeout is what Curator asks for (CuratorFrameworkFactory.java,
// DEFAULT_SESSION_TIMEOUT_MS).
const sessionTimeout = 60 * time.Second

// tickTime is that of the sample configuration (conf/zoo_sample.cfg). A server that is told
// nothing takes 3 s (ZooKeeperServer.java, DEFAULT_TICK_TIME).
const tickTime = 2 * time.Second

// syncLimit is how many ticks a follower may be out of touch (conf/zoo_sample.cfg).
const syncLimit = 5

// containerCheck is how often the leader looks for containers to delete
// (ZooKeeperServerMain.java, znode.container.checkIntervalMs).
const containerCheck = time.Minute

var params = append([]models.Param{
	models.TTL(sessionTimeout, time.Millisecond, "session timeout that the client asks for; it is granted 2 to 20 ticks (Curator asks for 60 s, and is granted 40 s)"),
	{Name: "servers", Unit: models.Count, Default: 3, Min: 1, Max: 9, Doc: "servers of the ensemble; a majority is needed"},
	{Name: "tick-time", Unit: models.Duration, Default: int64(tickTime), Min: int64(100 * time.Millisecond),
		Doc: "tickTime: sessions expire at its multiples; a leader is given up after 5"},
	{Name: "recipe", Unit: models.Choice, Choices: []string{"interprocess-mutex", "leader-latch", "plain"},
		Doc: "Curator's InterProcessMutex or LeaderLatch, or the recipe of ZooKeeper's documentation on the bare client"},
	{Name: "stop-on", Unit: models.Choice, Choices: []string{"suspended", "lost", "expired", "never"},
		Doc: "what the program takes for the loss of its lock: SUSPENDED (Disconnected), which holds until RECONNECTED; Curator's LOST; the bare client's Expired; or nothing. It matters only to a program that looks (check:)"},
	{Name: "client-version", Unit: models.Choice, Choices: []string{"3.9.3", "3.9.2"},
		Doc: "ZooKeeper's client: since 3.9.3 it declares its session expired when it has heard nothing for 4/3 of its timeout"},
	{Name: "token", Unit: models.Choice, Choices: []string{"czxid", "sequence"},
		Doc: "fencing token: the transaction that created the node, or the suffix of its name and 1"},
	{Name: "protection", Unit: models.Choice, Choices: []string{"session", "guid"},
		Doc: "which child with its GUID a client adopts after a connection loss: one of its session, or any, as Curator did (CURATOR-604)"},
	{Name: "latch-node", Unit: models.Choice, Choices: []string{"session", "path"},
		Doc: "recipe leader-latch: which node that comes first makes it lead: one of its session, or the one that it made last, though that is an earlier session's and about to go, as Curator had it from CURATOR-644 to CURATOR-696"},
	{Name: "expiration-percent", Unit: models.Millionths, Default: expirationPercent, Max: expirationPercent,
		Doc: "Curator: how much of the session's timeout SUSPENDED may last until it says LOST by itself (simulatedSessionExpirationPercent); 0 is never"},
	{Name: "container-check", Unit: models.Duration, Default: int64(containerCheck), Min: int64(time.Second),
		Doc: "how often the leader deletes container nodes that are empty"},
}, retryParams()...)

var steps = slices.Concat(models.StepsOfAcquire, []models.Step{
	{Name: "connect.send", Doc: "a connection is to be made: the session has not been asked for"},
	{Name: "connect.reply", Doc: "a server has answered: the session has not been taken up"},
	{Name: "created", Doc: "the reply to the creation of the node is in"},
	{Name: "wait", Doc: "somebody is ahead: the watch on his node has not been sent"},
	{Name: "ping.send", Doc: "a ping is due: nothing has been sent"},
	{Name: "ping.reply", Doc: "the reply to a ping is in, and the client's timers have started anew"},
})

// validate refuses words that the chosen recipe does not know.
func validate(p models.Params) error {
	stop := p.Choice("stop-on")
	if p.Choice("latch-node") == byPath && p.Choice("recipe") != leaderLatch {
		return errors.New("latch-node: path is LeaderLatch's: it needs recipe: leader-latch")
	}
	if p.Millionths("expiration-percent") != expirationPercent && p.Choice("recipe") == plain {
		return errors.New("expiration-percent is Curator's: leave it out with recipe: plain")
	}
	switch p.Choice("recipe") {
	case interProcessMutex:
		if stop == onExpired {
			return errors.New("stop-on: expired is the bare client's; Curator says LOST at the same instant, so choose lost, or recipe: plain")
		}
	case plain:
		if stop == onLost {
			return errors.New("stop-on: lost is Curator's; with recipe: plain choose suspended, expired or never")
		}
	case leaderLatch:
		if stop == onExpired || stop == never {
			return errors.New("recipe: leader-latch drops its leadership by itself; stop-on is suspended (its standard error policy) or lost (its session error policy)")
		}
	}
	return nil
}

// granted is the timeout of a session that a client asks for (ZooKeeperServer.java,
// processConnectRequest, minSessionTimeout, maxSessionTimeout).
func granted(p models.Params, asked time.Duration) time.Duration {
	tick := p.Duration("tick-time")
	return min(max(asked, 2*tick), 20*tick)
}

// spread is from how many half ticks candidates draw how long they wait. Fast leader election
// breaks ties by its rules, where raft's candidates split their votes and wait for all of it
// again. So the spread is wide: an election then takes 11 s, as in ZooKeeper, in the mean, and
// splits are rare in a row though messages take 50 ms.
const spread = 6

// timing is that of the replicated log. The leader pings every half tick, and is given up
// after syncLimit ticks of silence.
func timing(p models.Params) raftkv.Timing {
	tick := p.Duration("tick-time")
	return raftkv.Timing{Tick: tick / 2, ElectionTicks: 2 * syncLimit, Spread: spread, RequestTimeout: syncLimit * tick}
}

// quietTakeover is how long a silent holder keeps others out if the leader stays: the last
// touch reaches the leader with a ping's answer, up to half a tick late; the session lives
// for its timeout, and up to the next tick; its end is one commit.
func quietTakeover(p models.Params) time.Duration {
	tick := p.Duration("tick-time")
	return tick/2 + granted(p, p.Duration("ttl")) + tick + raftkv.CommitTime
}

// electionTime is ample for an election: all followers have to miss the leader, and the vote
// may split twice.
func electionTime(p models.Params) time.Duration {
	t := timing(p)
	return 3 * time.Duration(t.ElectionTicks+t.Spread) * t.Tick
}

// takeover is the bound that holds if the leader changes once while the holder is silent. At
// worst that is when the session is about to expire, and the new leader gives it its whole
// timeout again. Several changes add up without a bound.
func takeover(p models.Params) time.Duration {
	return granted(p, p.Duration("ttl")) + electionTime(p) + quietTakeover(p)
}
