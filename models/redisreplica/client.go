package redisreplica

import (
	"fmt"
	"slices"
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
	master    int
	connected bool          // the master has answered
	sentinel  int           // who told it, for go-redis
	listener  *host.Process // hears of a switch
	waiting   []int16       // ports of processes that wait for the master's reply
}

// none is the link of a client that has just begun.
func (l *link) none() { *l = link{master: nobody, sentinel: nobody, waiting: l.waiting[:0]} }

// Call implements [redis.Service]. A command that fails ends the connection, and the next one
// asks for the master anew.
func (s *system) Call(p *host.Process, client int, b network.Body, timeout time.Duration) (network.Message, error) {
	master, err := s.resolve(p, client, timeout)
	if err != nil {
		return network.Message{}, err
	}
	l := &s.links[client]
	l.waiting = append(l.waiting, p.Port())
	reply, err := p.Call(s.boxes[master].host.Addr(), b, timeout)
	l.waiting = slices.DeleteFunc(l.waiting, func(port int16) bool { return port == p.Port() })
	if err == nil && reply.Op == redis.OpRefused {
		err = redis.ErrRefused
	}
	switch {
	case l.master != master:
	case err != nil:
		l.master, l.connected = nobody, false
	default:
		l.connected = true
	}
	return reply, err
}

// Send implements [redis.Service].
func (s *system) Send(p *host.Process, client int, b network.Body) {
	if master := s.links[client].master; master != nobody {
		p.Send(s.boxes[master].host.Addr(), b)
	}
}

// dialTimeout is how long go-redis takes to connect, which is when it asks for the master (redis/go-redis,
// options.go, DialTimeout).
const dialTimeout = 5 * time.Second

// errSilent is that of go-redis whose own Sentinel is silent: it asks no other as long as it has that one, and
// when the time for a connection is over it takes that for the end of a context, after which it sends no
// command again (redis/go-redis v9.23, sentinel.go, MasterAddr; error.go, shouldRetry).
var errSilent = fmt.Errorf("the Sentinel does not answer: %w", redis.ErrNotAgain)

// resolve returns the master, from memory or from the Sentinel that answers first. That one
// will announce a switch, and go-redis asks it alone from then on.
func (s *system) resolve(p *host.Process, client int, timeout time.Duration) (int, error) {
	l := &s.links[client]
	if l.master != nobody {
		return l.master, nil
	}
	p.Step(stepResolve)
	if l.listener == nil {
		l.listener = p.Go("switches", func(p *host.Process) { s.listen(p, l) })
	}
	asked, silent := s.boxes, error(host.ErrTimeout)
	if s.goRedis && l.sentinel != nobody {
		asked, timeout, silent = asked[l.sentinel:l.sentinel+1], dialTimeout, errSilent
	}
	deadline, first := p.Now().Add(timeout), uint32(0)
	for i, b := range asked {
		call := p.Send(b.host.Addr(), network.Body{Op: opGetMaster})
		if i == 0 {
			first = call
		}
	}
	for {
		m, ok := p.Recv(deadline)
		switch {
		case !ok:
			return nobody, silent
		case m.Call >= first && m.Op == opMasterIs:
			l.master, l.sentinel = int(m.Key), s.boxes[0].from(&m)
			p.Send(m.From, network.Body{Op: opSubscribe, Key: int64(l.listener.Port())})
			return l.master, nil
		}
	}
}

// listen takes the announcements of the Sentinels. go-redis closes its connections to the old master, in the
// middle of a command, too, which it then sends again (sentinel.go, onFailover; internal/pool/pool.go, Filter).
// One that is not made yet is none of them.
func (s *system) listen(p *host.Process, l *link) {
	for {
		m, ok := p.Recv(p.Now().Add(host.Forever))
		if !ok || m.Op != opSwitchMaster {
			continue
		}
		if before := l.master; s.goRedis && l.connected && before != int(m.Key) {
			for _, port := range l.waiting {
				s.env.Fleet.Net.Break(p.Host().ID, s.boxes[before].host.ID, port)
			}
		}
		l.master, l.connected = int(m.Key), false
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
