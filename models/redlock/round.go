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

// stepValid is before the servers are asked whether they have the key.
const stepValid = "valid.send"

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

// refused reports whether so many servers said no that a majority cannot have said yes.
func (s *system) refused(t tally) bool { return t.no > len(s.servers)-s.quorum }

// asksAllAtOnce reports whether a round is one message to each server, and over when all have answered
// or the timeout has passed.
func (b *behaviour) asksAllAtOnce() bool {
	return b.order == parallel && b.replies == awaitAll && !b.contextEnds
}

// wait is how long a round waits for servers.
type wait struct {
	reply   time.Duration
	context clock.Mono // when the context ends
	ends    bool       // and the wait for a reply with it
}

func waitFrom(now clock.Mono, lim limits) wait {
	w := wait{lim.reply, redis.NoDeadline, lim.contextEnds}
	if lim.context > 0 {
		w.context = now.Add(lim.context)
	}
	return w
}

// deadline is that of the reply to a request that is sent now.
func (w wait) deadline(now clock.Mono) clock.Mono {
	if w.ends {
		return min(now.Add(w.reply), w.context)
	}
	return now.Add(w.reply)
}

// everywhere sends a request to all servers and counts what they say.
func (l *library) everywhere(p *host.Process, b network.Body, lim limits) (t tally) {
	s, w := l.system, waitFrom(p.Now(), lim)
	if s.order == sequential {
		t = l.oneByOne(p, b, w)
	} else {
		t = l.together(p, b, w)
	}
	if s.tieHangs && t.yes < s.quorum && len(s.servers)-t.yes < s.quorum {
		l.hang(p)
	}
	return t
}

// together asks all servers at once.
func (l *library) together(p *host.Process, b network.Body, w wait) (t tally) {
	s := l.system
	if s.resends > 0 {
		return l.insist(p, b, w)
	}
	var first uint32
	for i, server := range s.servers {
		if call := p.Send(server.Addr(), b); i == 0 {
			first = call
		}
	}
	deadline := w.deadline(p.Now())
	if s.replies == awaitQuorum {
		l.untilMajority(p, first, deadline, &t)
		return t
	}
	replies := p.Gather(first, len(s.servers), deadline)
	for i := range replies {
		t.count(&replies[i])
	}
	return t
}

// untilMajority goes on as soon as a majority agrees. What the others do with the request it
// never learns. It is not told of connections that are reset, and waits for their servers.
func (l *library) untilMajority(p *host.Process, first uint32, deadline clock.Mono, t *tally) {
	for !l.decided(*t) {
		m, ok := p.Recv(deadline)
		if !ok {
			return
		}
		if m.Call >= first {
			t.count(&m)
		}
	}
}

// decided reports whether no further reply is waited for.
func (l *library) decided(t tally) bool {
	s := l.system
	return t.answered() == len(s.servers) || s.replies == awaitQuorum && max(t.yes, t.no) >= s.quorum
}

// oneByOne asks one server after the other, each for as long as it takes.
func (l *library) oneByOne(p *host.Process, b network.Body, w wait) (t tally) {
	for _, server := range l.system.servers {
		if m, err := l.call(p, server, b, w); err == nil {
			t.count(&m)
		}
		if b.Op == redis.OpSet {
			p.Step(stepServer)
		}
		if l.decided(t) {
			break
		}
	}
	return t
}

// call asks one server, and again if the library's Redis client does so.
func (l *library) call(p *host.Process, server *redis.Server, b network.Body, w wait) (network.Message, error) {
	for resent := 0; ; resent++ {
		m, err := p.Reply(p.Send(server.Addr(), b), w.deadline(p.Now()))
		if err == nil || resent == l.system.resends || !redis.Pause(p, l.system.backoff.Delay(resent+1, &l.random), w.context) {
			return m, err
		}
		p.Step(redis.StepResend)
	}
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
