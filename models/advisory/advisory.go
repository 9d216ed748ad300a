// Package advisory is a lock that belongs to a database session: an advisory lock of
// PostgreSQL (documentation, Explicit Locking, Advisory Locks) or GET_LOCK of MySQL
// (reference manual, Locking Functions).
//
// The lock is held from when the server grants it until it is given back or the session ends.
// It has no time to live and is not renewed. Waiters queue in the server. It lives in the
// memory of one server: a crash or a failover to the standby drops it, and nobody is told.
//
// A session ends when its connection does, as far as the server notices. An idle backend
// hears of a connection that is closed or reset at once, of one whose other end has fallen
// silent by TCP keepalive alone, which is two hours by default, or in MySQL by its idle
// timeout of eight. A backend that waits for the lock looks at its connection only every
// check-interval. The holder learns of a lost session when it next uses the connection.
//
// # What the application does
//
// It keeps the lock's connection for the lock, and works on something else with it held. Its
// library has no answer to whether the lock is still held but the errors that it has seen,
// so a check passes until the connection was used. A program that is asked to renew runs a
// query on it, for nothing but that. A connection that was lost is replaced for the next
// acquire, and with reconnect: silent at once, by a driver that hides the loss.
//
// # Two servers
//
// The pair is one that repmgr looks after (repmgr documentation, Automatic failover with
// repmgrd): the standby takes over when it has not reached the primary for failover. There is no
// third party that knows who is right. The two see each other, so a standby cannot tell a
// primary that is dead from one that it is cut off from, and takes over in both cases. In a split
// it is always the standby that prevails: new connections go to it, and the former primary
// follows it when they meet again. Until then both let clients in, and what the former one has
// logged in the meantime is thrown away.
//
// With fencing: standby-lost the primary takes silence for a split and is stopped before the
// standby takes over (Monitoring standby disconnections on the primary node). No two serve then,
// unless the primary stands still in that time or starts anew. The price is that it stops also
// when the standby alone has died: nobody serves until that is back and takes over. The primary
// of Patroni steps down in a split likewise, since it cannot renew its leader key, and before the
// key expires; but the key is with a third party (a DCS), and as long as it reaches that, it goes
// on without a standby and no standby takes over. Two servers alone cannot do that.
//
// # How a server hears of a connection
//
// For the simulated network a server is no end of connections. Each client has a process that
// stands for its end of the socket: when that is reset it tells the server, which so learns of
// it one message later than a server would. A reset that is aimed at a client, not at its
// host, reaches only the request that is under way. Keepalive probes are answered by what
// stands for the kernel of the client's machine. A machine that has started anew answers them
// with a reset; of a process that has died alone and starts anew, the kernel has closed the
// connection.
//
// # Left out
//
// The closing of sockets by the kernel of a process that dies and stays dead: its crash is
// silent, as that of its machine. So is that of a database process. Transactions and locks
// that belong to one; shared locks, counted locks, several keys; connection poolers; effects
// in the session's own transaction, which cannot outlive the lock; the retransmission timeout
// of about 15 minutes of a server that has unacknowledged data; statement and lock timeouts.
// A third party that keeps the leader key, a witness, more standbys, synchronous replication.
// What an operator does with repmgr node rejoin and pg_rewind happens by itself, as soon as the
// former primary hears of the new one.
package advisory

import (
	"slices"

	"fencepost/models"
)

// Lock is the database lock.
type Lock struct{}

// New returns the lock system.
func New() models.Lock { return Lock{} }

// Describe implements [models.Lock].
func (Lock) Describe() models.Description {
	return models.Description{
		Name:    "advisory",
		Summary: "a session's lock in PostgreSQL or MySQL, with a standby",
		Sources: []string{
			"PostgreSQL documentation, Explicit Locking, Advisory Locks; Connections and Authentication, TCP Settings",
			"MySQL reference manual, Locking Functions; Server System Variables, wait_timeout",
			"Linux kernel documentation, ip-sysctl, tcp_keepalive_time",
			"repmgr documentation, Automatic failover with repmgrd; Monitoring standby disconnections on the primary node",
		},
		Promise:   "until the release begins, the process crashes, or its host knows that the session has ended",
		Granted:   "the server gives the lock to the session",
		Token:     "a sequence's next value, taken after the lock was granted; see the parameter token",
		TokenWith: models.TokenAsked,
		Removal:   "the holder's session is ended: pg_terminate_backend, or KILL in MySQL; its connection is closed",
		Notice:    "an error, when the connection is used next",
		Role:      "db",
		Servers:   2,
		Params:    params,
		Steps: slices.Concat(models.StepsOfAcquire, models.StepsOfRenewal, []models.Step{
			{Name: stepToken, Doc: "the lock is granted: the next value of the sequence has not been asked for"},
		}),
		Validate: validate,
		Takeover: takeover,
	}
}

// Build implements [models.Lock].
func (Lock) Build(e *models.Env) models.System {
	s := &system{env: e, config: configOf(e.Params), clients: make([]*client, len(e.Clients))}
	for i, h := range e.Clients {
		h.Server = &kernel{system: s, host: h, index: i}
	}
	for i, h := range e.Servers("db", 2) {
		s.servers = append(s.servers, &server{system: s, host: h, index: i})
		h.Server = s.servers[i]
	}
	return s
}

type system struct {
	env     *models.Env
	config  config
	servers []*server
	primary int // where new connections go, as a name or an address that moves with it
	clients []*client
}

func (s *system) Reset() {
	s.primary = 0
	for i, server := range s.servers {
		server.reset(i == 0)
	}
	for i := range s.clients {
		s.Locker(i)
	}
}

// Remove implements [models.Remover]: whoever names no server asks the primary.
func (s *system) Remove(server, order int) {
	if server == models.AnyServer {
		server = s.primary
	}
	models.Order(s.servers[server].host, 0, order)
}

// Locker implements [models.System].
func (s *system) Locker(index int) models.Locker {
	s.clients[index] = &client{system: s}
	return s.clients[index]
}
