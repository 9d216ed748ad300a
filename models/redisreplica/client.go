package redisreplica

import (
	"time"

	"fencepost/models/redis"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
)

var (
	opGetMaster    = network.NewOp("sentinel.get-master-addr-by-name")
	opMasterIs     = network.NewOp("sentinel.master-addr")
	opSubscribe    = network.NewOp("sentinel.subscribe") // to +switch-master; Key is the port of the client's listener
	opSwitchMaster = network.NewOp("sentinel.switch-master")
)

const (
	stepResolve = "master.resolve"
	stepWait    = "acquire.replicas"
)

// link is what a client knows of the master.
type link struct {
	master   int
	listener *host.Process // hears of a switch
}

// Call implements [redis.Service]. A command that fails ends the connection, and the next one
// asks for the master anew.
func (s *system) Call(p *host.Process, client int, b network.Body, timeout time.Duration) (network.Message, error) {
	master, err := s.resolve(p, client, timeout)
	if err != nil {
		return network.Message{}, err
	}
	reply, err := p.Call(s.boxes[master].host.Addr(), b, timeout)
	if err == nil && reply.Op == redis.OpRefused {
		err = redis.ErrRefused
	}
	if err != nil && s.links[client].master == master {
		s.links[client].master = nobody
	}
	return reply, err
}

// Send implements [redis.Service].
func (s *system) Send(p *host.Process, client int, b network.Body) {
	if master := s.links[client].master; master != nobody {
		p.Send(s.boxes[master].host.Addr(), b)
	}
}

// resolve returns the master, from memory or from the Sentinel that answers first. That one
// will announce a switch.
func (s *system) resolve(p *host.Process, client int, timeout time.Duration) (int, error) {
	l := &s.links[client]
	if l.master != nobody {
		return l.master, nil
	}
	p.Step(stepResolve)
	if l.listener == nil {
		l.listener = p.Go("switches", l.listen)
	}
	deadline, first := p.Now().Add(timeout), uint32(0)
	for i, b := range s.boxes {
		call := p.Send(b.host.Addr(), network.Body{Op: opGetMaster})
		if i == 0 {
			first = call
		}
	}
	for {
		m, ok := p.Recv(deadline)
		switch {
		case !ok:
			return nobody, host.ErrTimeout
		case m.Call >= first && m.Op == opMasterIs:
			l.master = int(m.Key)
			p.Send(m.From, network.Body{Op: opSubscribe, Key: int64(l.listener.Port())})
			return l.master, nil
		}
	}
}

// listen takes the announcements of the Sentinels.
func (l *link) listen(p *host.Process) {
	for {
		if m, ok := p.Recv(p.Now().Add(host.Forever)); ok && m.Op == opSwitchMaster {
			l.master = int(m.Key)
		}
	}
}

// Confirm implements [redis.Service]: WAIT, if the client does that.
func (s *system) Confirm(p *host.Process, client int, hold history.HoldID) bool {
	if s.waiting == forNone {
		return true
	}
	p.Step(stepWait)
	reply, err := s.Call(p, client, network.Body{Op: opWait, Key: int64(s.waiting), TTL: s.waitTimeout, Hold: hold}, s.waitTimeout+s.timeout)
	switch {
	case err != nil:
		return false
	case s.waiting == forAny:
		return reply.Key > 0 || reply.Revision == 0
	}
	return reply.Key >= int64(s.waiting)
}

// Promises implements [redis.Service].
func (s *system) Promises(value int64) bool {
	for _, b := range s.boxes {
		if b.server.Promises(value) {
			return true
		}
	}
	return false
}
