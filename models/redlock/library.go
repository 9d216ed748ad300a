package redlock

import (
	"errors"
	"fmt"
	"time"

	"fencepost/models"
	"fencepost/models/redis"
	"fencepost/sim/clock"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
	"fencepost/sim/rng"
)

// library is the client side of Redlock.
type library struct {
	system   *system
	random   rng.Stream
	value    int64
	hold     history.HoldID
	deadline clock.Mono // until when the client may believe
}

func (l *library) Acquire(p *host.Process, hold history.HoldID) (models.Grant, error) {
	l.hold = hold
	for attempt := 0; !l.attempt(p); attempt++ {
		l.everywhere(p, network.Body{Op: redis.OpDelete, Value: l.value, Hold: l.hold})
		if l.system.retry.Over(attempt) {
			return models.Grant{}, models.ErrNotAcquired
		}
		p.Sleep(l.system.retry.Delay(attempt, &l.random))
	}
	return models.Grant{}, nil
}

// attempt is steps 1 to 4 of the algorithm. It reports whether the lock is acquired.
func (l *library) attempt(p *host.Process) bool {
	ttl := l.system.ttl
	l.value = redis.NewValue(&l.random)
	l.system.begin(l.hold, l.value)
	p.Step("acquire.send")
	trueStart, start := p.Host().World().Now(), p.Now()
	locked := l.everywhere(p, network.Body{Op: redis.OpSet, Value: l.value, TTL: ttl, Hold: l.hold})
	p.Step("acquire.reply")
	elapsed := p.Now().Sub(start)
	if locked < l.system.quorum {
		return false
	}
	if validity := ttl - elapsed - l.system.drift; validity <= 0 {
		l.system.env.Recorder.Add(history.Record{Kind: history.Refuse, Hold: l.hold, Local: time.Duration(p.Now()),
			Text: fmt.Sprintf("asked %v ago, no validity left", elapsed.Round(time.Millisecond))})
		return false
	}
	l.deadline = start.Add(ttl - l.system.drift)
	l.system.accept(l.hold, trueStart)
	return true
}

// everywhere sends a request to all servers in parallel and waits for each no longer
// than the timeout. It returns how many said OK.
func (l *library) everywhere(p *host.Process, b network.Body) (oks int) {
	deadline := p.Now().Add(l.system.timeout)
	first := uint32(0)
	for i, s := range l.system.servers {
		if call := p.Send(s.Addr(), b); i == 0 {
			first = call
		}
	}
	replies := p.Gather(first, len(l.system.servers), deadline)
	for i := range replies {
		if replies[i].OK {
			oks++
		}
	}
	return oks
}

// Renew implements [models.Renewer]: every server sets the key's TTL anew if it still
// holds the value, and the lock counts as renewed if a majority did so within the validity
// time, which then runs from the renewal's start (redis.io, Distributed Locks with Redis,
// Making the algorithm more reliable: Extending the lock). Otherwise the old validity
// stays, and the next renewal may still succeed in it.
func (l *library) Renew(p *host.Process) error {
	ttl := l.system.ttl
	p.Step("renew.send")
	trueStart, start := p.Host().World().Now(), p.Now()
	extended := l.everywhere(p, network.Body{Op: redis.OpExtend, Value: l.value, TTL: ttl, Hold: l.hold})
	p.Step("renew.reply")
	now := p.Now()
	switch {
	case extended >= l.system.quorum && now.Sub(start) < ttl-l.system.drift:
		l.deadline = start.Add(ttl - l.system.drift)
		l.system.prolong(l.hold, trueStart)
	case now >= l.deadline:
		return models.ErrNotHeld
	default:
		return errNotRenewed
	}
	return nil
}

// errNotRenewed: fewer than a majority renewed the lock, which is still valid.
var errNotRenewed = errors.New("no majority renewed the lock")

// Valid compares the client's clock with the deadline that acquire computed.
func (l *library) Valid(p *host.Process) bool { return p.Now() < l.deadline }

func (l *library) Release(p *host.Process) error {
	p.Step("release.send")
	deleted := l.everywhere(p, network.Body{Op: redis.OpDelete, Value: l.value, Hold: l.hold})
	p.Step("release.reply")
	if deleted < l.system.quorum {
		return models.ErrNotHeld
	}
	return nil
}
