package hazelcast

import (
	"time"

	"fencepost/models"
	"fencepost/sim/clock"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
	"fencepost/sim/rng"
)

// mapProxy is the client side of the map's lock: a member without data.
type mapProxy struct {
	system *imap
	index  int
	random rng.Stream

	home    int        // member whose view it follows
	view    view       // as that member has told it
	heard   clock.Mono // when that was
	beating bool       // the heartbeats' process runs

	hold history.HoldID
	held bool
}

// keeps reports, for the record, whether the client has not begun to give a hold back.
func (l *mapProxy) keeps(hold history.HoldID) bool { return l.hold == hold && l.held }

func (l *mapProxy) duration(name string) time.Duration { return l.system.env.Params.Duration(name) }

func (l *mapProxy) addr(place int) network.Addr { return l.system.members[place].host.Addr() }

// start joins the cluster at a member.
func (l *mapProxy) start(p *host.Process) {
	if l.beating {
		return
	}
	l.beating, l.home, l.heard = true, l.index%len(l.system.members), p.Now()
	for i := range l.system.members {
		l.view = append(l.view, i)
	}
	p.Go("heartbeat", l.beat)
}

// beat tells every member that the client lives, and follows one member's view until that has
// been silent for too long.
func (l *mapProxy) beat(p *host.Process) {
	for {
		p.Step("heartbeat.send")
		for place := range l.system.members {
			p.Send(l.addr(place), network.Body{Op: OpBeat, Key: int64(l.index + 1), Hold: l.hold})
		}
		for next := p.Now().Add(l.duration("heartbeat")); ; {
			m, ok := p.Recv(next)
			if !ok {
				break
			}
			if m.From == l.addr(l.home) {
				p.Step("heartbeat.reply")
				l.view, l.heard = decodeView(m.Revision), p.Now()
			}
		}
		if p.Now().Sub(l.heard) > l.duration("no-heartbeat") {
			l.home, l.heard = (l.home+1)%len(l.system.members), p.Now()
		}
	}
}

// invoke sends a request to the owner of the partition until it is answered. If the owner leaves
// the client's view meanwhile, it is sent to the next (MemberLeftException).
func (l *mapProxy) invoke(p *host.Process, b network.Body) network.Message {
	b.Key, b.Value, b.Hold = int64(l.index+1), int64(l.random.Uint64()>>1), l.hold
	for {
		owner := l.view[0]
		call, end := p.Send(l.addr(owner), b), p.Now().Add(l.duration("timeout"))
		reply, err := p.Reply(call, min(end, p.Now().Add(l.duration("heartbeat"))))
		for err == host.ErrTimeout && p.Now() < end && l.view[0] == owner {
			reply, err = p.Reply(call, min(end, p.Now().Add(l.duration("heartbeat"))))
		}
		switch {
		case err != nil:
		case reply.Op == OpWrongTarget:
			p.Sleep(retryPause)
		default:
			return reply
		}
	}
}

// Acquire implements [models.Locker]: IMap.lock.
func (l *mapProxy) Acquire(p *host.Process, hold history.HoldID) (models.Grant, error) {
	l.start(p)
	l.hold, l.held = hold, true
	p.Step("acquire.send")
	l.invoke(p, network.Body{Op: OpMapLock})
	p.Step("acquire.reply")
	return models.Grant{}, nil
}

// Valid implements [models.Locker]: the library tells a holder nothing.
func (l *mapProxy) Valid(*host.Process) bool { return l.held }

// Release implements [models.Locker]: IMap.unlock.
func (l *mapProxy) Release(p *host.Process) error {
	if len(l.view) == 0 {
		return models.ErrNotHeld // it has never asked for the lock
	}
	l.held = false
	p.Step("release.send")
	reply := l.invoke(p, network.Body{Op: OpMapUnlock})
	p.Step("release.reply")
	if !reply.OK {
		return models.ErrNotHeld
	}
	return nil
}
