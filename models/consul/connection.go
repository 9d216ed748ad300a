package consul

import (
	"errors"
	"time"

	"fencepost/models"
	"fencepost/sim/clock"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
	"fencepost/sim/rng"
)

const (
	// keepAlive is how often a connection is asked whether it lives, and connectTimeout how
	// long the answer may take, as well as a new connection (hashicorp/yamux, mux.go,
	// DefaultConfig, KeepAliveInterval and ConnectionWriteTimeout; agent/pool,
	// DefaultDialTimeout).
	keepAlive      = 30 * time.Second
	connectTimeout = 10 * time.Second
	// directTimeout is how long the answer may take of a server that the program itself has
	// connected to, over HTTP: keepalives of TCP, every 30 s as well, of which nine go
	// unanswered (hashicorp/go-cleanhttp, cleanhttp.go, DefaultPooledTransport, KeepAlive;
	// tcp(7), tcp_keepalive_probes). Nothing else ends a blocking read whose packets are dropped.
	directTimeout = 9 * keepAlive
)

// patience is how long the other end of a connection may be silent when it is asked whether it lives.
func patience(p models.Params) time.Duration {
	if p.Choice("via") == viaServer {
		return directTimeout
	}
	return connectTimeout
}

// Errors of a request.
var (
	errNoLeader = errors.New("no cluster leader")
	errEOF      = errors.New("EOF")
	errDial     = errors.New("dial tcp: i/o timeout")
	errServer   = errors.New("unexpected response code: 500")
)

// connection is the client's agent, which stands between the client's process and the
// servers: its connection to one server, over which all requests go. It is a part of the
// client's host. With via: server there is no agent, and the connection is the program's own.
type connection struct {
	system *System
	random *rng.Stream
	hold   history.HoldID // for the record: on whose behalf it sends
	server int            // by its running number
	since  clock.Mono     // its keepalives are a multiple of their interval later
	fresh  bool           // nothing has come over it yet
}

// host is that of a server by a running number, addr its address.
func (c *connection) host(server int) *host.Host {
	members := c.system.cluster.Members()
	return members[server%len(members)].Host()
}

func (c *connection) addr(server int) network.Addr { return c.host(server).Addr() }

// lifeOf tells the lives of a server apart: a connection ends with the life in which it was
// made, and whoever sends something over it in a later one is told so.
func lifeOf(h *host.Host) int64 { return int64(h.Incarnation()) }

// leave goes on to the next server, if that has not been done yet. A server that is down is
// passed over: until a connection counts as dead the agent's gossip has told it of that
// (agent/router/manager.go, NotifyFailedServer, RemoveServer).
func (c *connection) leave(server int) {
	if c.server != server {
		return
	}
	members := c.system.cluster.Members()
	c.server, c.fresh = server+1, true
	for range members {
		if members[c.server%len(members)].Host().State() != host.Crashed {
			return
		}
		c.server++
	}
}

// rpc does a request and tries it again where that is safe: while there is no leader, and
// if it is a read, after the end of its connection. It goes on for as long as a server may
// work on the request (agent/consul/client.go, RPC; rpc.go, canRetry).
func (c *connection) rpc(p *host.Process, b network.Body) (network.Message, error) {
	end := p.Now().Add(rpcHold)
	if b.Op == OpGet && b.Key > 0 {
		end = end.Add(b.TTL + b.TTL/16)
	}
	for {
		reply, err := c.call(p, b)
		safe := err == errNoLeader || err == errEOF && b.Op == OpGet
		if err == nil || !safe || p.Now() > end {
			return reply, err
		}
		p.Sleep(c.random.Between(0, rpcHold/16))
	}
}

// call sends a request over the connection and waits for the reply, or for the end of the
// connection.
func (c *connection) call(p *host.Process, b network.Body) (network.Message, error) {
	server := c.server
	if err := c.dial(p); err != nil {
		return network.Message{}, err
	}
	b.Hold = c.hold
	life := lifeOf(c.host(server))
	reply, err := c.await(p, server, life, p.Send(c.addr(server), b))
	if err == nil && reply.Op == OpError {
		err = [...]error{errServer, errNoLeader, errEOF}[reply.Value]
	}
	if err != nil {
		c.leave(server)
	}
	return reply, err
}

// dial makes the connection if it is a new one.
func (c *connection) dial(p *host.Process) error {
	server := c.server
	if !c.fresh {
		return nil
	}
	if _, err := p.Call(c.addr(server), network.Body{Op: OpPing}, connectTimeout); err != nil {
		c.leave(server)
		return errDial
	}
	if c.server == server && c.fresh {
		c.fresh, c.since = false, p.Now()
	}
	return nil
}

// await waits for the reply to a request that was sent to a server in one of its lives. A
// connection that is quiet is asked from time to time whether it lives; one that does not is
// over, with all requests on it.
func (c *connection) await(p *host.Process, server int, life int64, call uint32) (network.Message, error) {
	for {
		reply, err := p.Reply(call, p.Now().Add(untilKeepAlive(c.since, p.Now())))
		if err == host.ErrTimeout {
			p.Send(c.addr(server), network.Body{Op: OpPing, Key: int64(call)})
			reply, err = p.Reply(call, p.Now().Add(patience(c.system.env.Params)))
		}
		if err != nil || reply.Op == OpPong && reply.Value != life {
			return reply, errEOF
		}
		if reply.Op != OpPong {
			return reply, nil
		}
	}
}

// untilKeepAlive is how long it is until a connection is next asked whether it lives.
func untilKeepAlive(since, now clock.Mono) time.Duration {
	return keepAlive - now.Sub(since)%keepAlive
}
