package consul

import (
	"time"

	"fencepost/models/raftkv"
	"fencepost/sim/clock"
	"fencepost/sim/network"
)

// rpcHold is how long a server or an agent goes on trying while there is no leader, and
// holdPause the mean of the pauses between two looks, which are drawn up to a sixteenth of it
// (agent/consul/config.go, RPCHoldTimeout; rpc.go, ForwardRPC, structs.JitterFraction).
const (
	rpcHold   = 7 * time.Second
	holdPause = rpcHold / 32
)

// forward is a request on its way to the leader.
type forward struct {
	client network.Message
	until  clock.Mono // when it is given up for want of a leader; 0 is not begun
	to     *raftkv.Member
	call   uint32 // of the forwarded request; 0 waits for there to be a leader
	due    clock.Mono
	life   int64 // of the server that it went to
	asked  bool  // whether the connection to the leader lives
}

// forward sends a request to the leader, or waits for there to be one.
func (s *server) forward(f forward) {
	now := s.member.Now()
	if f.until == 0 {
		f.until = now.Add(rpcHold)
	}
	f.to, f.call, f.asked = s.member.Lead(), 0, false
	wait := untilKeepAlive(s.since, now)
	if f.to == nil || f.to == s.member {
		wait = holdPause
	} else {
		s.calls++
		f.call, f.life = s.calls, lifeOf(f.to.Host())
		s.member.Send(f.to, f.call, f.client.Body)
	}
	f.due = now.Add(wait)
	s.forwards = append(s.forwards, f)
	s.member.After(wait, timerForward)
}

// forwarded takes the reply to a forwarded request and passes it on.
func (s *server) forwarded(m network.Message) {
	for i := range s.forwards {
		if f := s.forwards[i]; f.call == m.Call && m.Call != 0 {
			s.forwards = append(s.forwards[:i], s.forwards[i+1:]...)
			s.member.Reply(&f.client, m.Body)
			return
		}
	}
}

// alive takes the sign of life from a server that was forwarded to. One that has started
// anew does not know the connection and resets it.
func (s *server) alive(pong network.Message) {
	for i := range s.forwards {
		f := &s.forwards[i]
		if f.call != pong.Call || !f.asked {
			continue
		}
		if f.life != pong.Value {
			s.member.Reply(&f.client, network.Body{Op: OpError, Value: errorEOF})
			s.forwards = append(s.forwards[:i], s.forwards[i+1:]...)
			return
		}
		f.asked = false
		f.due = s.member.Now().Add(keepAlive)
		s.member.After(keepAlive, timerForward)
		return
	}
}

// dropForwards forgets what a process of a client has waited for before.
func (s *server) dropForwards(from network.Addr) {
	rest := s.forwards[:0]
	for _, f := range s.forwards {
		if f.client.From != from {
			rest = append(rest, f)
		}
	}
	s.forwards = rest
}

// forwardsDue looks again for a leader, asks whether a quiet connection lives, and gives
// up what has taken too long.
func (s *server) forwardsDue() {
	now := s.member.Now()
	for i := 0; i < len(s.forwards); {
		f := s.forwards[i]
		if now < f.due {
			i++
			continue
		}
		if f.call != 0 && !f.asked {
			s.ask(&s.forwards[i])
			i++
			continue
		}
		s.forwards = append(s.forwards[:i], s.forwards[i+1:]...)
		switch {
		case f.call != 0:
			s.member.Reply(&f.client, network.Body{Op: OpError, Value: errorEOF})
		case s.member.IsLeader():
			s.serve(f.client)
		case now >= f.until:
			s.member.Reply(&f.client, network.Body{Op: OpError, Value: errorNoLeader})
		default:
			s.forward(f)
		}
	}
}

// ask asks the server that a request was forwarded to for a sign of life.
func (s *server) ask(f *forward) {
	f.asked, f.due = true, s.member.Now().Add(connectTimeout)
	s.member.Send(f.to, f.call, network.Body{Op: OpPing, Key: int64(f.call)})
	s.member.After(connectTimeout, timerForward)
}
