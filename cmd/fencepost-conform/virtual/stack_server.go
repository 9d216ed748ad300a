package virtual

import (
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/alicebob/miniredis/v2/proto"

	"fencepost/models"
	"fencepost/models/redis"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
)

// server is a miniredis on a simulated host: it runs a command when that arrives, with its keys as old as
// the host's clock says. A crash makes it forget everything.
type server struct {
	env   *models.Env
	host  *host.Host
	redis *miniredis.Miniredis
	cold  bool
	own   peer // a connection of its own

	owner history.HoldID // who has set the key
	opens time.Duration  // it answers nothing before
	expiry
}

// newServer puts a miniredis in the place of the server on a host.
func newServer(e *models.Env, h *host.Host, cold bool) *server {
	s := &server{env: e, host: h, redis: miniredis.NewMiniRedis(), cold: cold}
	conn, err := s.redis.Dial()
	if err != nil {
		panic(err)
	}
	s.own, h.Server = newPeer(conn), s
	return s
}

// key is that of the lock.
const key = "lock"

// reset begins a trial.
func (s *server) reset() {
	s.expiry, s.owner, s.opens = expiry{clock: s.now().Milli()}, 0, 0
	s.forget()
}

// forget has the server forget its keys and its scripts; those it is told again, unless it is cold.
func (s *server) forget() {
	s.run("FLUSHALL")
	s.run("SCRIPT", "FLUSH")
	if s.cold {
		return
	}
	known, err := scripts()
	if err != nil {
		panic(err)
	}
	for _, script := range known {
		s.run("SCRIPT", "LOAD", script)
	}
}

// run runs a command that no client has sent.
func (s *server) run(words ...string) (reply string) {
	reply, err := s.own.answer(proto.Strings(words...))
	if err != nil {
		panic(err)
	}
	return reply
}

// silent reports whether the server answers nothing, since it is back for less than restart-delay.
func (s *server) silent() bool { return s.since() < s.opens }

// since is the clock by which restart-delay is measured.
func (s *server) since() time.Duration {
	if p := s.env.Params; p.Has("restart-delay-clock") && p.Choice("restart-delay-clock") > 0 {
		return time.Duration(s.host.Wall())
	}
	return time.Duration(s.host.Mono())
}

// Receive implements [host.Server].
func (s *server) Receive(m *network.Message) {
	if s.silent() {
		return
	}
	s.age()
	command := m.Ref.(*sent)
	reply, err := command.peer.answer(command.said)
	if err != nil {
		return // its client has ended the connection
	}
	done := reply == "+OK\r\n" || reply == ":1\r\n"
	if done && (m.Op == redis.OpSet || m.Op == redis.OpObtain) {
		s.owner = m.Hold
	}
	s.scheduleCycle()
	s.host.Reply(m, network.Body{Op: redis.OpReply, OK: done, Ref: reply})
}

// Timer implements [host.Server]: the active cycle, or somebody who is no client deletes the key.
func (s *server) Timer(tag int) {
	order, ok := models.OrderOf(tag)
	switch {
	case !ok:
		s.runCycle()
	case !s.silent():
		s.age()
		if s.run("DEL", key) == ":1\r\n" {
			s.env.Recorder.AddRemoval(order, s.owner)
		}
	}
}

// Restart implements [host.Restarter].
func (s *server) Restart(host.Lost) {
	s.cycle = 0
	s.forget()
	if p := s.env.Params; p.Has("restart-delay") {
		s.opens = s.since() + p.Duration("restart-delay")
	}
}
