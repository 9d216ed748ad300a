package advisory

import (
	"slices"

	"fencepost/sim"
	"fencepost/sim/clock"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
)

// Messages of a client. All but the first name the session, in Key.
var (
	OpConnect = network.NewOp("advisory.connect") // the reply has the session
	OpLock    = network.NewOp("advisory.lock")    // pg_advisory_lock, GET_LOCK without a timeout
	OpUnlock  = network.NewOp("advisory.unlock")  // pg_advisory_unlock, RELEASE_LOCK; OK if it was held
	OpNext    = network.NewOp("advisory.nextval") // the sequence's next value
	OpQuery   = network.NewOp("advisory.query")   // any other query
	OpReply   = network.NewOp("advisory.reply")
	// OpListen is a socket that can be read: it is answered by what the server's end does
	// without being asked.
	OpListen = network.NewOp("advisory.listen")
	OpClosed = network.NewOp("advisory.closed") // there is no such session, or not any more
	OpGone   = network.NewOp("advisory.gone")   // the client's end is closed or reset
	OpProbe  = network.NewOp("advisory.probe")  // a keepalive probe, to the client's kernel
	OpAlive  = network.NewOp("advisory.alive")  // the connection is there
)

// session is a backend with its connection.
type session struct {
	id      int64
	client  network.NodeID
	hold    history.HoldID  // for which it has or wants the lock
	request network.Message // to have the lock, while it waits
	waits   bool
	gone    bool            // its connection is closed, and it has not looked
	listen  network.Message // the client's end
	heard   clock.Mono      // when something last came from the client's host
	probes  int             // without an answer
	used    clock.Mono      // when its last command was answered
	calls   []call
}

// call is the last that came from a port.
type call struct {
	port   int16
	number uint32
}

// again reports whether a message has come before: TCP delivers nothing twice.
func (x *session) again(m *network.Message) bool {
	for i := range x.calls {
		if c := &x.calls[i]; c.port == m.From.Port {
			before := m.Call <= c.number
			c.number = max(c.number, m.Call)
			return before
		}
	}
	x.calls = append(x.calls, call{m.From.Port, m.Call})
	return false
}

// server is one database server.
type server struct {
	system   *system
	host     *host.Host
	index    int
	opened   int64 // sessions so far, in all lives
	sessions []*session
	holder   *session
	queue    []*session
	sequence sequence
	cluster  membership
}

func (s *server) reset(primary bool) {
	*s = server{system: s.system, host: s.host, index: s.index, sessions: s.sessions[:0], queue: s.queue[:0]}
	s.cluster.primary, s.cluster.attached = primary, true
	s.watch()
}

// Timers of a session; its number is in the tag.
const (
	timerKeepalive = iota
	timerQuiet
	timerCheck
	timersOfSession
)

// Receive implements [host.Server].
func (s *server) Receive(m *network.Message) {
	if s.receivePeer(m) {
		return
	}
	if m.Op == OpConnect {
		s.connect(m)
		return
	}
	x := s.find(m.Key)
	if x == nil {
		if m.From.Port != 0 {
			s.host.Reply(m, network.Body{Op: OpClosed})
		}
		return
	}
	if m.From.Port != 0 && x.again(m) {
		return
	}
	x.heard, x.probes = s.host.Mono(), 0
	switch m.Op {
	case OpListen:
		x.listen = *m
	case OpAlive:
	case OpGone:
		s.goes(x)
	case OpLock:
		x.hold, x.request, x.waits = m.Hold, *m, true
		s.queue = append(s.queue, x)
		s.grant()
	default:
		s.command(x, m)
	}
}

func (s *server) command(x *session, m *network.Message) {
	b := network.Body{Op: OpReply, OK: true}
	switch m.Op {
	case OpUnlock:
		if b.OK = s.holder == x; b.OK {
			s.free("released")
		}
	case OpNext:
		b.Token = s.next()
	}
	x.used = s.host.Mono()
	s.host.Reply(m, b)
	s.grant()
}

func (s *server) connect(m *network.Message) {
	if !s.cluster.primary {
		s.host.Reply(m, network.Body{Op: OpReply})
		return
	}
	s.opened++
	x := &session{id: s.opened, client: m.From.Node, heard: s.host.Mono(), used: s.host.Mono()}
	s.sessions = append(s.sessions, x)
	s.host.Reply(m, network.Body{Op: OpReply, OK: true, Key: x.id})
	s.host.After(s.system.config.idle, s.tag(x, timerKeepalive))
	if quiet := s.system.config.quiet; quiet > 0 {
		s.host.After(quiet, s.tag(x, timerQuiet))
	}
}

func (s *server) find(id int64) *session {
	for _, x := range s.sessions {
		if x.id == id {
			return x
		}
	}
	return nil
}

// grant gives the lock to whoever has waited longest. That a client is gone is noticed, at
// the latest, when there is something to send.
func (s *server) grant() {
	for s.holder == nil && len(s.queue) > 0 {
		x := s.queue[0]
		s.queue = slices.Delete(s.queue, 0, 1)
		x.waits = false
		if x.gone {
			s.end(x, "")
			continue
		}
		s.holder, x.used = x, s.host.Mono()
		s.record(history.Record{Kind: history.Grant, Hold: x.hold, Until: sim.Forever})
		if !s.awaited(x) {
			s.record(history.Record{Kind: history.ReleaseBegin, Hold: x.hold, Text: "nobody waits for it"})
		}
		s.host.Reply(&x.request, network.Body{Op: OpReply, OK: true})
	}
}

// awaited reports whether a session is the one in which its client waits: it has not given it
// up without the server's knowledge.
func (s *server) awaited(x *session) bool {
	k := s.system.clients[s.system.env.Recorder.Hold(x.hold).Client].conn
	return k != nil && k.server == s && k.session == x.id && !k.closed
}

func (s *server) record(r history.Record) { s.system.env.Recorder.Add(r) }

// free takes the lock from its holder.
func (s *server) free(why string) {
	s.record(history.Record{Kind: history.ServiceEnd, Hold: s.holder.hold, Text: why})
	s.holder = nil
}

// end ends a session, and the lock with it. The client's host is told.
func (s *server) end(x *session, why string) {
	s.sessions = slices.DeleteFunc(s.sessions, func(y *session) bool { return y == x })
	s.queue = slices.DeleteFunc(s.queue, func(y *session) bool { return y == x })
	if x.listen.Call != 0 {
		s.host.Reply(&x.listen, network.Body{Op: OpClosed})
	}
	if s.holder == x {
		s.free(why)
	}
	s.grant()
}
