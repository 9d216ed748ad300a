package redlock

import (
	"slices"

	"fencepost/models/redis"
	"fencepost/sim/clock"
	"fencepost/sim/host"
	"fencepost/sim/network"
)

// go-redis has a client for each server, which sends a command again that was not answered, after a delay
// of its own (redis/go-redis, redis.go, baseClient.processWithRetry). The library waits for all of them.

// insistence is a round in which servers are asked again. A renewal may be under way beside another.
type insistence struct {
	*library
	process *host.Process
	body    network.Body
	wait    wait
	asking  []asking // what is not over
	calls   []uint32
}

// asking is a request to one server.
type asking struct {
	server *redis.Server
	call   uint32     // of which the reply is waited for; 0 is none, in the delay before it is sent again
	until  clock.Mono // of the reply, or of the delay
	sent   int        // how often it has been
	last   bool       // the context ends in the delay
}

// insist asks all servers at once, and each that does not answer again.
func (l *library) insist(p *host.Process, b network.Body, w wait) (t tally) {
	r := insistence{library: l, process: p, body: b, wait: w}
	for _, server := range l.system.servers {
		r.asking = append(r.asking, asking{server: server, until: p.Now()})
	}
	for r.send(); len(r.asking) > 0 && !l.decided(t); r.send() {
		call, m, err := p.ReplyToAny(r.waitsFor())
		at := slices.IndexFunc(r.asking, func(a asking) bool { return call != 0 && a.call == call })
		switch {
		case err == nil:
			t.count(&m)
			r.asking = slices.Delete(r.asking, at, at+1)
		case at >= 0:
			r.backOff(&r.asking[at])
		default:
			r.backOffAll()
		}
	}
	return t
}

// waitsFor is the calls that may be answered, and when the first wait is over.
func (r *insistence) waitsFor() (calls []uint32, until clock.Mono) {
	r.calls, until = r.calls[:0], redis.NoDeadline
	for _, a := range r.asking {
		if until = min(until, a.until); a.call != 0 {
			r.calls = append(r.calls, a.call)
		}
	}
	return r.calls, until
}

// send drops the requests that are over, and sends those the delay of which is.
func (r *insistence) send() {
	now := r.process.Now()
	due := func(a asking) bool { return a.call == 0 && a.until <= now }
	r.asking = slices.DeleteFunc(r.asking, func(a asking) bool { return due(a) && a.last })
	if i := slices.IndexFunc(r.asking, due); i >= 0 && r.asking[i].sent > 0 {
		r.process.Step(redis.StepResend)
	}
	for i := range r.asking {
		if a := &r.asking[i]; due(*a) {
			a.call, a.until = r.process.Send(a.server.Addr(), r.body), r.wait.deadline(r.process.Now())
			a.sent++
		}
	}
}

// backOffAll begins the delay after all requests that were not answered in time.
func (r *insistence) backOffAll() {
	now := r.process.Now()
	for i := range r.asking {
		if a := &r.asking[i]; a.call != 0 && a.until <= now {
			r.backOff(a)
		}
	}
}

// backOff begins the delay after a request that was not answered; the context ends that.
func (r *insistence) backOff(a *asking) {
	now := r.process.Now()
	a.call = 0
	if a.sent > r.system.resends {
		a.until, a.last = now, true
		return
	}
	a.until = now.Add(r.system.backoff.Delay(a.sent, &r.random))
	if a.until >= r.wait.context {
		a.until, a.last = max(now, r.wait.context), true
	}
}
