package redlock

import (
	"time"

	"fencepost/models/redis"
	"fencepost/sim/clock"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
)

// stepServer is between two servers that are asked one after the other.
const stepServer = "acquire.server"

// tally counts the replies of a round; who did not answer in time is in neither.
type tally struct{ yes, no int }

func (t *tally) count(m *network.Message) {
	if m.OK {
		t.yes++
	} else {
		t.no++
	}
}

func (t tally) answered() int { return t.yes + t.no }

// everywhere sends a request to all servers and counts what they say.
func (l *library) everywhere(p *host.Process, b network.Body, timeout time.Duration) (t tally) {
	s := l.system
	switch {
	case s.order == sequential:
		t = l.oneByOne(p, b, timeout)
	case s.replies == awaitQuorum:
		t = l.untilMajority(p, b, p.Now().Add(timeout))
	default:
		t = l.together(p, b, p.Now().Add(timeout))
	}
	if s.tieHangs && t.yes < s.quorum && len(s.servers)-t.yes < s.quorum {
		l.hang(p)
	}
	return t
}

// send asks all servers at once, and returns the number of the first call.
func (l *library) send(p *host.Process, b network.Body) (first uint32) {
	for i, server := range l.system.servers {
		if call := p.Send(server.Addr(), b); i == 0 {
			first = call
		}
	}
	return first
}

// together asks all servers at once and waits for all of them until one deadline.
func (l *library) together(p *host.Process, b network.Body, deadline clock.Mono) (t tally) {
	first := l.send(p, b)
	replies := p.Gather(first, len(l.system.servers), deadline)
	for i := range replies {
		if replies[i].Op != network.OpReset {
			t.count(&replies[i])
		}
	}
	return t
}

// untilMajority asks all servers at once and goes on as soon as a majority agrees. What the
// others do with the request it never learns.
func (l *library) untilMajority(p *host.Process, b network.Body, deadline clock.Mono) (t tally) {
	first, quorum := l.send(p, b), l.system.quorum
	for t.yes < quorum && t.no < quorum && t.answered() < len(l.system.servers) {
		m, ok := p.Recv(deadline)
		if !ok {
			break
		}
		if m.Call >= first {
			t.count(&m)
		}
	}
	return t
}

// oneByOne asks one server after the other, each for as long as the timeout.
func (l *library) oneByOne(p *host.Process, b network.Body, timeout time.Duration) (t tally) {
	for _, server := range l.system.servers {
		if m, err := p.Call(server.Addr(), b, timeout); err == nil {
			t.count(&m)
		}
		if b.Op == redis.OpSet {
			p.Step(stepServer)
		}
		if l.system.replies == awaitQuorum && max(t.yes, t.no) >= l.system.quorum {
			break
		}
	}
	return t
}

// hang is a promise that is neither kept nor broken: as many servers are for a request as
// against it, and the library waits for a majority of either (node-redlock v5,
// src/index.ts, _attemptOperation).
func (l *library) hang(p *host.Process) {
	l.system.env.Recorder.Add(history.Record{Kind: history.Note, Hold: l.hold, Local: time.Duration(p.Now()), Text: "a tie: the library waits for ever"})
	for {
		p.Sleep(host.Forever)
	}
}
