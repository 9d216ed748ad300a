// Package zookeeper is the lock recipe of ZooKeeper, as Curator's InterProcessMutex and
// LeaderLatch do it and as its documentation has it for the bare client.
//
// # Servers
//
// A client has a session. Its lock node is an ephemeral child of the lock's znode: it goes
// when the session does. The suffix of its name is the number of children that the znode has
// had, and whoever has the lowest holds the lock.
//
// Sessions are made, moved and closed, and nodes created and deleted, by transactions in a
// replicated log. The time of a session is in the leader's memory alone, on its monotonic
// clock. The leader lets a session expire at the end of the tick in which its timeout is over
// (ExpiryQueue.java, roundToNextInterval), so after more than the timeout and at most a tick
// beyond it. A follower collects the sessions that it has heard from and tells the leader
// with its answer to the next ping, of which there is one every half tick
// (quorum/Learner.java, ping). A new leader gives every session its whole timeout anew
// (quorum/LeaderZooKeeperServer.java). A leader that no quorum has answered for 5 ticks, and
// a follower that has not been pinged for as long, serve nobody and send their clients away
// (quorum/Leader.java, lead; conf/zoo_sample.cfg, syncLimit). Reads are answered by the
// client's server from what it has applied, which may be old.
//
// # Client
//
// With a granted timeout T the client pings after T/3 of saying nothing and takes the
// connection for dead after 2T/3 of hearing nothing: Disconnected. It tries the other
// servers, each for T over their number, and resumes its session at the one that answers, or
// is told that it has expired. Since 3.9.3 it declares that itself once it has heard nothing
// for 4T/3 (ClientCnxn.java; ZOOKEEPER-4508). Curator calls these states SUSPENDED,
// RECONNECTED and LOST, and ends a session itself that has been SUSPENDED for T by the
// client's wall clock (ConnectionStateManager.java, checkSessionExpiration).
//
// A client whose words are lost on the way to its server stops T/3 before its session can end.
// One that is cut off together with its server is answered all the same: a follower answers
// pings by itself until it has not heard of its leader for syncLimit ticks (Learner.java,
// connectToLeader, setSoTimeout), while the leader ends the session T after the last touch of
// which it was told. The last ping that it is told of may be T/3 and half a tick older than the
// cut. So programs that stop on SUSPENDED exclude each other then only if 2T/3 is at least
// syncLimit and half a tick: T of 16.5 s with ticks of 2 s, 18 s here, where followers look at
// every half tick. Should the client be cut off from its server a little later than that from
// the leader, it does not hear that it is sent away, and T has to be twice as long.
//
// # The lock
//
// The client creates its child, with a GUID in its name, by which it finds it again when the
// reply was lost; lists the children; holds the lock if its own comes first; else watches the
// one before it and lists again when that is gone. A child that has vanished meanwhile is
// created anew (LockInternals.java, attemptLock). InterProcessMutex never takes back what it
// has given. Its documentation strongly recommends a listener for the connection state: with
// SUSPENDED the program cannot be sure until RECONNECTED, with LOST the lock is gone
// (Shared Reentrant Lock, Error Handling). A program that does so is the default here, the
// parameter stop-on has the others. LeaderLatch listens itself. It gives its leadership up
// with SUSPENDED, and takes it up with RECONNECTED if its node comes first and is its
// session's. That it looks whose session's it is is the fix of CURATOR-696: Curator may come back
// in a new session while the servers, or a new leader among them, still keep the old one with its
// node, which goes without a word to who leads by it (the parameter latch-node).
//
// The fencing token is the czxid of the child: the transaction that created it, with the
// leader's epoch in the upper half. The suffix serves as well only for as long as the lock's
// znode lives. Curator makes that a container, which the leader deletes when it finds it
// empty, every minute (ContainerManager.java); then suffixes begin anew.
//
// # Connections
//
// Client i talks to server i modulo their number first. A server that is down is silent, as
// a machine without power is; one whose process dies alone would reset its connections.
//
// # What of Zab differs
//
// The log is etcd's raft, with the leader's pings at half a tick and 5 ticks of silence
// before followers elect another. Zab's followers would notice the closed connection of a
// leader that dies alone at once, and fast leader election takes 200 ms where raft votes in
// round trips. Raft's leader steps down later than ZooKeeper's; it serves nobody meanwhile.
// An epoch here is raft's term. Of a client that comes back to its session the leader is
// asked, whose memory says whether the session lives and which gives it its whole timeout at
// once (quorum/LearnerMaster.java, revalidateSession). ZooKeeper answers then, here an entry of
// the log moves the session first: the same order, one commit later.
//
// # Left out
//
// Local sessions, read-only mode, observers, authentication, quotas, dynamic
// reconfiguration, snapshots; the request throttle; watches that a client sets again after a
// reconnection, since both recipes list again instead; timeouts of acquire; reentrancy,
// revocation, and more than one lease. LeaderLatch queues up anew by itself when its node is
// gone, here that is the program's next acquire. Curator gives an operation up after some
// attempts, and the program then tries again; here it goes on by itself.
package zookeeper

import (
	"fencepost/models"
	"fencepost/models/raftkv"
	"fencepost/models/tenure"
)

// Lock is the lock of ZooKeeper.
type Lock struct{}

// New returns the lock system.
func New() models.Lock { return Lock{} }

// Describe implements [models.Lock].
func (Lock) Describe() models.Description {
	return models.Description{
		Name:    "zookeeper",
		Summary: "ZooKeeper's lock recipe, by Curator's InterProcessMutex or LeaderLatch or on the bare client",
		Sources: []string{
			"apache/zookeeper, ZooKeeper Recipes and Solutions, Locks",
			"apache/zookeeper, ClientCnxn.java, server: SessionTrackerImpl.java, ExpiryQueue.java, ContainerManager.java, quorum/Leader.java, quorum/Learner.java",
			"apache/curator, LockInternals.java, StandardLockInternalsDriver.java, LeaderLatch.java, ConnectionStateManager.java, ProtectedMode.java",
			"Apache Curator, Shared Reentrant Lock, Error Handling; CURATOR-460, -604, -644, -696",
		},
		Promise:      "from the last time that a server answered the session, for its granted timeout",
		Granted:      "the first server applies the transaction that makes the node the first",
		Token:        "czxid of the lock node, or the suffix of its name",
		Removal:      "another client deletes the first node (zkCli.sh, delete); whoever waits for it is told, its owner is not",
		ServiceClock: "monotonic",
		Durable:      models.Always,
		Renews:       models.Always,
		Disk:         models.Always,
		Notice:       "the connection state: Disconnected (SUSPENDED) after 2/3 of the timeout without a word, Expired (LOST) from a server or, since 3.9.3, after 4/3",
		Check:        "timer", // the listener runs whenever the state changes
		Role:         "zookeeper",
		Servers:      3,
		Leader:       true,
		Params:       params,
		Validate:     validate,
		Steps:        steps,
		Takeover:     takeover,
	}
}

// System is ZooKeeper in a world.
type System struct {
	env      *models.Env
	recipe   int
	cluster  *raftkv.Cluster
	servers  []*server
	clients  []*library
	reporter reporter
}

// Build implements [models.Lock].
func (Lock) Build(e *models.Env) models.System {
	s := &System{env: e, recipe: e.Params.Choice("recipe")}
	s.reporter = reporter{tenure.New(e, 0), e, e.Params.Choice("token")}
	s.cluster = raftkv.New(e, e.Servers("zookeeper", e.Params.Int("servers")), timing(e.Params), func(m *raftkv.Member) raftkv.App {
		srv := &server{member: m, system: s}
		s.servers = append(s.servers, srv)
		return srv
	})
	for range e.Clients {
		s.clients = append(s.clients, &library{})
	}
	return s
}

// Reset implements [models.System].
func (s *System) Reset() {
	s.reporter.Reset()
	for _, srv := range s.servers {
		srv.reset()
	}
	s.cluster.Reset()
	for i, l := range s.clients {
		*l = library{random: s.env.Stream("zookeeper.client", i)}
		s.Locker(i)
	}
}

// Locker implements [models.System].
func (s *System) Locker(client int) models.Locker {
	l := s.clients[client]
	*l = library{system: s, random: l.random, recipe: s.recipe, server: client + len(s.servers) - 1}
	return l
}

// Remove implements [models.Remover].
func (s *System) Remove(server, order int) { s.cluster.Order(server, order) }

// Leader implements [models.Elected].
func (s *System) Leader() (server int, ok bool) { return s.cluster.LeaderIndex() }
