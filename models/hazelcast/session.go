package hazelcast

import (
	"time"

	"fencepost/sim/clock"
	"fencepost/sim/host"
	"fencepost/sim/network"
)

// clientSession is a session as the client knows it. No id is none.
type clientSession struct {
	id      int64
	created clock.Wall
	inUse   bool // a lock is held or asked for: only then there are heartbeats
}

// acquireSession returns the session to lock with, and makes one if there is none. One that is
// not in use counts as over a TTL after it was made (AbstractProxySessionManager.java,
// SessionState).
func (l *proxy) acquireSession(p *host.Process) int64 {
	s, ttl := &l.session, l.duration("ttl")
	if s.id == 0 || p.Wall().Milli() > s.created.Milli()+ttl.Milliseconds() {
		l.system.cluster.AwaitFirst(p, retryPause)
		p.Step("session.create")
		reply := l.invoke(p, network.Body{Op: OpCreate, Value: l.newRequest()})
		*s = clientSession{id: reply.Key, created: p.Wall()}
		if !l.beating {
			l.beating = true
			p.Go("heartbeat", l.beat)
		}
	}
	s.inUse = true
	return s.id
}

// invalidate forgets a session that the members have ended.
func (l *proxy) invalidate(id int64) {
	if l.session.id == id {
		l.session = clientSession{}
	}
}

// beat sends a heartbeat in every interval while the session is in use, and gives the one before
// up (AbstractProxySessionManager.java, HeartbeatTask).
func (l *proxy) beat(p *host.Process) {
	for {
		next := p.Now().Add(l.duration("heartbeat"))
		for {
			m, ok := p.Recv(next)
			if !ok {
				break
			}
			l.beaten(p, m)
		}
		l.sendBeat(p)
	}
}

func (l *proxy) sendBeat(p *host.Process) {
	if !l.session.inUse {
		l.unanswered = false
		return
	}
	p.Step("heartbeat.send")
	switch now := p.Now(); {
	case !l.unanswered:
		l.unanswered, l.unansweredSince = true, now
	case now >= l.unansweredSince.Add(l.duration("timeout")):
		l.unansweredSince = now
		l.next(l.beatTarget)
	}
	l.beatTarget = l.target
	p.Send(l.system.cluster.Addr(l.target), network.Body{Op: OpHeartbeat, Key: l.session.id, Value: l.newRequest(), Hold: l.hold})
}

// beaten takes the reply to a heartbeat. One that has gone to a member that does not lead is
// sent again.
func (l *proxy) beaten(p *host.Process, m network.Message) {
	p.Step("heartbeat.reply")
	l.unanswered = false
	switch {
	case m.Op == OpNotLeader:
		l.follow(p, m)
		l.sendBeat(p)
	case !m.OK && m.Key == l.session.id:
		l.system.env.Note(p.Host(), l.hold, "session expired")
		l.invalidate(m.Key)
	}
}

func (l *proxy) duration(name string) time.Duration { return l.system.env.Params.Duration(name) }
