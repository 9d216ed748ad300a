package zookeeper

import (
	"errors"
	"time"

	"fencepost/sim/clock"
	"fencepost/sim/host"
	"fencepost/sim/network"
)

// What a client's request may end with besides a reply (KeeperException.java).
var (
	errConnectionLoss = errors.New("connection loss")
	errSessionExpired = errors.New("session expired")
)

// handleState is that of a handle (ZooKeeper.java, States).
type handleState uint8

const (
	connecting handleState = iota
	connected
	closed
)

// Constants of the client (ClientCnxn.java, SendThread; StaticHostProvider.java).
const (
	// reconnectPause: the wait before a connection that is not the first is up to this.
	reconnectPause = time.Second
	// spinDelay is waited when every server has been tried.
	spinDelay = time.Second
	// earlyPing: who has been quiet for longer pings that much before it is due, if it is
	// awake.
	earlyPing = time.Second
	// maxPingInterval is the longest silence of a client that is awake.
	maxPingInterval = 10 * time.Second
)

// handle is a ZooKeeper object: one session, and the thread that talks for it. A session
// that is over has a handle that is closed.
type handle struct {
	library *library
	thread  *host.Process // SendThread
	state   handleState
	session int64
	asked   time.Duration
	timeout time.Duration // granted, or asked for
	zxid    int64         // the last that a server has told
	calls   int64         // xid
	pending []*packet

	// The connection.
	open      bool
	first     bool   // none has been tried yet
	call      uint32 // names it
	server    int    // by its running number
	last      int    // server of the last connection that came up
	lastSend  clock.Mono
	lastHeard clock.Mono
}

// packet is a request that has been sent.
type packet struct {
	xid    int64
	waiter *host.Process
	done   bool
	err    error
	reply  network.Message
}

// newHandle makes a ZooKeeper object. Its thread begins to look for a server.
func (l *library) newHandle(p *host.Process) *handle {
	asked := l.system.env.Params.Duration("ttl")
	h := &handle{library: l, asked: asked, timeout: asked, first: true, server: l.server, last: -1, lastHeard: p.Now()}
	h.thread = p.Go("send thread", h.run)
	return h
}

// run is SendThread.run.
func (h *handle) run(p *host.Process) {
	for h.state != closed {
		if !h.open {
			h.connect(p)
		}
		if h.state == closed {
			return
		}
		now := p.Now()
		wait := h.patience(now)
		switch {
		case h.selfExpiring() && now >= h.lastHeard.Add(h.timeout*4/3):
			h.expire(p, "has heard nothing for 4/3 of the timeout")
			return
		case wait <= 0:
			h.disconnect(p)
			continue
		case h.state == connected:
			wait = min(wait, h.pingIfDue(p))
		}
		m, err := p.Reply(h.call, p.Now().Add(wait))
		switch {
		case h.state == closed: // meanwhile, by Curator
		case err == nil:
			h.receive(p, m)
		case err == host.ErrReset:
			h.disconnect(p)
		}
	}
}

// selfExpiring says that the client is of 3.9.3 or later (ZOOKEEPER-4508).
func (h *handle) selfExpiring() bool {
	return h.library.system.env.Params.Choice("client-version") == selfExpiring
}

// patience is how much longer the client waits for a word. The timeouts are those that hold
// once a session has been granted, and what was asked for before.
func (h *handle) patience(now clock.Mono) time.Duration {
	if h.state == connected {
		return h.timeout*2/3 - now.Sub(h.lastHeard)
	}
	servers := len(h.library.system.servers)
	return h.timeout/time.Duration(servers) - now.Sub(h.lastSend)
}

// pingIfDue sends a ping if the client has been quiet for a third of the timeout, and
// returns how long it may sleep. The limit of 10 s does not wake it: with the usual timeout
// of 40 s a client that nothing else wakes pings every 13.3 s.
func (h *handle) pingIfDue(p *host.Process) time.Duration {
	idle := p.Now().Sub(h.lastSend)
	next := h.timeout/3 - idle
	if idle > earlyPing {
		next -= earlyPing
	}
	if next > 0 && idle <= maxPingInterval {
		return next
	}
	p.Step("ping.send")
	h.say(network.Body{Op: OpPing})
	h.lastSend = p.Now()
	return host.Forever
}

// connect tries the next server.
func (h *handle) connect(p *host.Process) {
	servers := h.library.system.servers
	h.server++
	if h.last >= 0 && (h.server-h.last)%len(servers) == 0 {
		p.Sleep(spinDelay)
	}
	if !h.first {
		p.Sleep(h.library.random.Between(0, reconnectPause))
	}
	if h.state == closed {
		return
	}
	p.Step("connect.send")
	h.first, h.open = false, true
	h.lastSend = p.Now()
	h.library.server = h.server
	to := servers[h.server%len(servers)].member.Host().Addr()
	h.call = p.Send(to, network.Body{Op: OpConnect, Key: h.session, TTL: h.asked, Revision: h.zxid, Hold: h.library.hold})
}

// say sends a message on the connection.
func (h *handle) say(b network.Body) {
	b.Hold = h.library.hold
	servers := h.library.system.servers
	from := network.Addr{Node: h.thread.Host().ID, Port: h.thread.Port()}
	h.library.system.env.Fleet.Net.Send(from, servers[h.server%len(servers)].member.Host().Addr(), h.call, &b)
}

// receive takes what a server says.
func (h *handle) receive(p *host.Process, m network.Message) {
	if m.Op == OpClosed {
		h.disconnect(p)
		return
	}
	h.lastHeard, h.zxid = p.Now(), max(h.zxid, m.Revision)
	switch m.Op {
	case OpConnected:
		h.connectedTo(p, m)
	case OpPong:
		p.Step("ping.reply")
	case OpEvent:
		h.library.event()
	default:
		h.complete(m.Value, m, nil)
	}
}

// connectedTo is SendThread.onConnected: a reply without a timeout says that the session is
// over.
func (h *handle) connectedTo(p *host.Process, m network.Message) {
	p.Step("connect.reply")
	switch {
	case h.state == closed:
		return
	case !m.OK:
		h.expire(p, "was told by a server")
		return
	}
	h.session, h.timeout, h.state, h.last = m.Key, m.TTL, connected, h.server
	h.library.reconnected(h)
}

// disconnect closes the connection (cleanAndNotifyState): whoever waits for a reply gets
// none.
func (h *handle) disconnect(p *host.Process) {
	was := h.state
	h.open, h.state = false, connecting
	h.lose(errConnectionLoss)
	if was == connected {
		h.library.disconnected(p)
	}
}

// expire ends the session as far as the client is concerned.
func (h *handle) expire(p *host.Process, why string) {
	h.state = closed
	h.lose(errSessionExpired)
	h.library.expired(p, why)
}

// send sends a request for a process that then waits for its packet.
func (h *handle) send(p *host.Process, b network.Body) *packet {
	h.calls++
	b.Value = h.calls
	pk := &packet{xid: b.Value, waiter: p}
	h.pending = append(h.pending, pk)
	h.say(b)
	h.lastSend = p.Now()
	return pk
}

// complete ends the wait for a packet.
func (h *handle) complete(xid int64, reply network.Message, err error) {
	for i, pk := range h.pending {
		if pk.xid == xid {
			h.pending = append(h.pending[:i], h.pending[i+1:]...)
			pk.done, pk.reply, pk.err = true, reply, err
			pk.waiter.Signal()
			return
		}
	}
}

// lose ends the wait for all packets.
func (h *handle) lose(err error) {
	for len(h.pending) > 0 {
		h.complete(h.pending[0].xid, network.Message{}, err)
	}
}
