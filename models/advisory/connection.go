package advisory

import (
	"time"

	"fencepost/models"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
)

// How a server notices that the client of a session is gone.

func (s *server) tag(x *session, timer int) int { return int(x.id)*timersOfSession + timer }

// Timer implements [host.Server].
func (s *server) Timer(tag int) {
	if order, ok := models.OrderOf(tag); ok {
		s.terminate(order)
		return
	}
	if tag < timersOfSession { // no session has the number 0
		s.peerTimer(tag)
		return
	}
	x := s.find(int64(tag / timersOfSession))
	if x == nil {
		return
	}
	switch tag % timersOfSession {
	case timerKeepalive:
		s.keepAlive(x)
	case timerQuiet:
		s.quiet(x)
	case timerCheck: // it waits still, or it would have ended
		s.end(x, "its connection was closed")
	}
}

// terminate is pg_terminate_backend of the session that has the lock (PostgreSQL, System
// Administration Functions, Server Signaling Functions).
func (s *server) terminate(order int) {
	if x := s.holder; x != nil {
		s.system.env.Recorder.AddRemoval(order, x.hold)
		s.end(x, history.Removed)
	}
}

// keepAlive is TCP keepalive (RFC 9293, section 3.8.4): after a quiet time one probe after
// the other, until something is heard or the connection is given up. A server that waits
// for the lock on the client's behalf is no different.
func (s *server) keepAlive(x *session) {
	c := &s.system.config
	if x.probes == 0 {
		if left := c.idle - s.host.Mono().Sub(x.heard); left > 0 {
			s.host.After(left, s.tag(x, timerKeepalive))
			return
		}
	}
	if x.probes == c.count {
		s.end(x, "keepalive was not answered")
		return
	}
	x.probes++
	s.host.Send(network.Addr{Node: x.client}, 0, network.Body{Op: OpProbe, Key: x.id, Hold: x.hold})
	s.host.After(c.interval, s.tag(x, timerKeepalive))
}

// quiet ends a session that has had no command for too long.
func (s *server) quiet(x *session) {
	left := s.system.config.quiet - s.host.Mono().Sub(x.used)
	switch {
	case x.waits:
		left = s.system.config.quiet
	case left <= 0:
		s.end(x, "idle timeout")
		return
	}
	s.host.After(max(left, time.Millisecond), s.tag(x, timerQuiet))
}

// goes is the end of a connection as the server's kernel knows it. An idle backend reads it
// at once, one that waits for the lock when it looks.
func (s *server) goes(x *session) {
	if !x.waits {
		s.end(x, "its connection was closed")
		return
	}
	x.gone = true
	if check := s.system.config.check; check > 0 {
		s.host.After(check, s.tag(x, timerCheck))
	}
}

// kernel is that of a client's machine. It answers probes, whatever the client's program is
// doing, unless the whole machine stands still.
type kernel struct {
	system *system
	host   *host.Host
	index  int
}

// Receive implements [host.Server]. A connection that is not there any more, or was one of an
// earlier life, is answered with a reset (RFC 9293, section 3.5.2).
func (k *kernel) Receive(m *network.Message) {
	op := OpGone
	if c := k.open(); c != nil && c.server.host.ID == m.From.Node && c.session == m.Key {
		op = OpAlive
	}
	k.host.Send(m.From, 0, network.Body{Op: op, Key: m.Key, Hold: m.Hold})
}

// open is the connection that the client has, or nil.
func (k *kernel) open() *connection {
	if c := k.system.clients[k.index].conn; c != nil && !c.closed {
		return c
	}
	return nil
}

// Restart implements [host.Restarter]. A process that has died alone left its kernel to close
// its sockets; the server hears of that when the next process starts. A machine that has died
// knows nothing of them.
func (k *kernel) Restart(lost host.Lost) {
	if c := k.open(); c != nil && lost == host.LoseMemory {
		k.host.Send(c.server.host.Addr(), 0, network.Body{Op: OpGone, Key: c.session})
	}
}

// Timer implements [host.Server].
func (k *kernel) Timer(int) {}
