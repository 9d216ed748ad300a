package zookeeper

import (
	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/host"
)

// absence is a time in which a server was paused, down, or cut off from the others.
type absence struct {
	server      *host.Host
	from, until sim.Time
}

// early looks for holds that end before their promise does. There is one exception: the leader
// has not heard of the touch, because the server that answered it is away, or because the leader
// is. A follower alone knows of a touch for half a tick, and goes on answering for 5 ticks if it
// is cut off.
type early struct {
	r       *rig
	absent  []*absence
	promise map[history.HoldID]promise
	known   int // holds that ended early by the exception
}

// promise is the last of a hold.
type promise struct {
	by        *host.Host
	at, until sim.Time
}

func (e *early) reset() {
	e.absent, e.known = e.absent[:0], 0
	e.promise = map[history.HoldID]promise{}
}

// Observe implements [history.Observer].
func (e *early) Observe(rec *history.Record) {
	switch rec.Kind {
	case history.Grant, history.Promise:
		e.promise[rec.Hold] = promise{e.server(rec.Hold), rec.Until.Add(-granted(e.r.Env.Params, e.r.Env.Params.Duration("ttl"))), rec.Until}
	case history.ServiceEnd:
		p := e.promise[rec.Hold]
		switch {
		case rec.Text != "expired" || rec.At >= p.until:
		case e.away(p.by, p.at, rec.At) || e.away(e.r.leader().member.Host(), p.at, rec.At):
			e.known++
		default:
			e.r.t.Errorf("hold %d ended at %v, %v promised at %v until %v", rec.Hold, rec.At, p.by.Name, p.at, p.until)
		}
	}
}

// server is where a hold's client was last connected.
func (e *early) server(hold history.HoldID) *host.Host {
	zk := e.r.system().clients[e.r.Recorder.Hold(hold).Client].zk
	return e.r.server(max(zk.last, 0) % len(e.r.system().servers))
}

// leaves notes that a server goes away, until further notice.
func (e *early) leaves(server *host.Host, until sim.Time) *absence {
	a := &absence{server, e.r.World.Now(), until}
	e.absent = append(e.absent, a)
	return a
}

// away reports whether a server was absent at some time.
func (e *early) away(server *host.Host, from, until sim.Time) bool {
	for _, a := range e.absent {
		if a.server == server && a.from < until && a.until > from {
			return true
		}
	}
	return false
}
