// Package chubby is an exclusive lock of Google's Chubby, as M. Burrows describes it in "The
// Chubby lock service for loosely-coupled distributed systems" (OSDI 2006). Section numbers
// below are those of that paper.
//
// A cell is five replicas of a small database, of which one is elected master for as long as a
// majority promises to elect no other, the master lease (2.1). Clients talk to the master
// alone. Its database, which outlives it, has the sessions, the lock's holder and its
// generation, a number that rises whenever the lock goes from free to held (2.3). Timers are
// in the master's memory.
//
// # Sessions
//
// A client keeps a session by KeepAlives (2.8). The master holds each of them until the lease
// is close to its end, extends the lease, and answers; the client sends the next one at once.
// So the master nearly always has a KeepAlive in hand, also that of a client which has just
// died: it answers it, and the session lasts for up to nearly two leases.
//
// The client reckons its lease conservatively. It cannot know when the reply was sent, only
// that this was not before it had asked and the master had then held the KeepAlive for as long
// as the reply says; and it allows for a master whose clock is faster by a known factor. When
// this local lease is over, the session is in jeopardy: calls of the application block for the
// grace period, while the library looks for the master. A KeepAlive that is answered makes the
// session safe again; otherwise it counts as expired, and so does every later call.
//
// # Locks
//
// Acquire waits at the master, in order of arrival. A lock that is released is free at once.
// If instead its holder's session has ended, nobody gets it for the lock-delay, which clients
// choose when they open the lock's file, up to a minute (2.4). The default here is that minute:
// the paper names no other number, and the delay is meant for resources that check no
// sequencer, whose clients have no reason to ask for less.
//
// The sequencer is the lock's generation. A resource may compare it with the largest that it
// has seen, or ask the master whether it is still good: CheckSequencer (2.4). The answer is yes
// as long as the session of that generation holds the lock, and it is of the moment when it was
// given.
//
// # Fail-over
//
// While there is no master, no lease runs out (2.9). A new master picks a new epoch, which
// every call has to name; makes its memory anew from the database, with each lease as long as
// its predecessor may have promised; takes KeepAlives alone, and tells each session of the
// fail-over with its first reply; and serves other calls once every session has acknowledged
// that or has ended.
//
// # What the paper leaves open
//
//   - How close to its end a lease is when its KeepAlive is answered: a sixth of it here.
//   - The constant factor of clocks: 1 %.
//   - A KeepAlive that says that the client's lease is over is answered at once, since it is
//     the client's lease that a KeepAlive waits for the end of.
//   - A lease that ran out while a KeepAlive waited, because the master was late, is extended:
//     nobody has lost anything yet.
//   - A lock-delay starts anew with a new master, which cannot know how much of it is over.
//   - Consensus is raft, where the paper has Paxos. The followers' refusal to vote for anyone
//     else while they hear of a leader is the promise that the master lease rests on. The
//     master confirms its lease when it needs it.
//
// # Left out
//
// Files, caches and their invalidation, shared locks, handles and ACLs, proxies, replacement of
// replicas, longer leases under load, ephemeral files, and the sessions that later versions do
// not record before they need it (4.3).
//
// A replica that starts anew has forgotten what it promised the master. If two of five do so
// within one master lease, and the master is cut off from the other two, there may be two
// masters for the rest of that lease. The old one could then extend a session by as much more
// than the new one knows of, which the lock-delay more than covers.
package chubby

import (
	"fencepost/models"
	"fencepost/models/raftkv"
	"fencepost/models/tenure"
)

// Lock is Chubby's exclusive lock.
type Lock struct{}

// New returns the lock system.
func New() models.Lock { return Lock{} }

// Describe implements [models.Lock].
func (Lock) Describe() models.Description {
	return models.Description{
		Name:         "chubby",
		Summary:      "Chubby's exclusive lock: sessions with jeopardy and grace, lock-delay, lock generation",
		Sources:      []string{"M. Burrows, The Chubby lock service for loosely-coupled distributed systems, OSDI 2006, sections 2.1 to 2.9"},
		Promise:      "from the creation of the session or the last KeepAlive that the master answered, for the session lease; the lock-delay is no part of it",
		Granted:      "the first replica applies the acquire",
		Token:        "lock generation",
		Asked:        "CheckSequencer: whether the session of that generation holds the lock",
		ServiceClock: "monotonic",
		Durable:      models.Always,
		Renews:       models.Always,
		Disk:         models.Always,
		Check:        "timer",
		NoRemoval:    "the paper has no call by which somebody else ends a session or takes a lock from its holder",
		Notice:       "the library blocks calls once its own conservative lease is over, until the session is known to be safe or expired",
		Role:         "chubby",
		Servers:      5,
		Leader:       true,
		Params:       params,
		Steps:        steps,
		Takeover:     takeover,
	}
}

// System is a Chubby cell in a world.
type System struct {
	env      *models.Env
	cluster  *raftkv.Cluster
	servers  []*server
	clients  []*library
	asker    library // of a resource, which keeps no session
	reporter reporter
}

// Build implements [models.Lock].
func (Lock) Build(e *models.Env) models.System {
	s := &System{env: e}
	s.reporter = reporter{tenure.New(e, 0)}
	s.cluster = raftkv.New(e, e.Servers("chubby", e.Params.Int("servers")), timing, func(m *raftkv.Member) raftkv.App {
		srv := &server{member: m, reporter: &s.reporter, ttl: e.Params.Duration("ttl")}
		s.servers = append(s.servers, srv)
		return srv
	})
	for range e.Clients {
		s.clients = append(s.clients, &library{system: s})
	}
	return s
}

// Reset implements [models.System].
func (s *System) Reset() {
	s.reporter.Reset()
	for _, srv := range s.servers {
		srv.requests = 0
	}
	s.cluster.Reset()
	s.asker = library{system: s}
	for client := range s.clients {
		s.Locker(client)
	}
}

// Locker implements [models.System].
func (s *System) Locker(client int) models.Locker {
	l := s.clients[client]
	*l = library{system: s, replica: client}
	return l
}

// Leader implements [models.Elected].
func (s *System) Leader() (server int, ok bool) { return s.cluster.LeaderIndex() }
