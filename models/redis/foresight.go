package redis

import (
	"fmt"
	"time"

	"fencepost/models"
	"fencepost/sim"
	"fencepost/sim/clock"
	"fencepost/sim/host"
	"fencepost/sim/network"
	"fencepost/sim/rng"
	"fencepost/sim/trace"
)

// A client that waits for the lock asks again and again, and is refused until the key has expired. What
// comes of an attempt that begins and ends before anything else happens in the world can be told
// beforehand: the delays of its messages are keyed by their numbers, and servers that have another's
// key change nothing. Such attempts are passed over: their messages count, the client draws what
// it would have drawn, and wakes in the instant in which it would have begun the next. Nothing differs
// but the digest and the number of events (TestElisionChangesNoVerdict in scenarios).

// Foresight is what can be known beforehand of attempts at some servers. A nil one knows nothing.
type Foresight struct {
	env     *models.Env
	servers []*Server
	attempt Attempt
}

// Attempt is what a client does to get the lock: it sets the key on all servers at once and waits for
// the replies of all.
type Attempt struct {
	// Timeout is for how long it waits for replies.
	Timeout time.Duration
	// Undoes says that it deletes the keys when it was refused, as it set them.
	Undoes bool
	// OneValue says that it sets the key under the value of the first attempt.
	OneValue bool
}

// NewForesight is that of attempts at some servers, which have no replicas and no files.
func NewForesight(e *models.Env, a Attempt, servers ...*Server) *Foresight {
	return &Foresight{e, servers, a}
}

// Wait waits after an attempt that failed, the number of which is counted from 0, for the next that has
// to be made. It returns the number of the last one before that. The value is that of the attempt that
// failed.
func (f *Foresight) Wait(p *host.Process, retry *models.Retry, attempt int, value int64, random *rng.Stream) int {
	delay := retry.Delay(attempt, random)
	a, ok := f.lookAhead(p, value, delay)
	if !ok {
		p.Sleep(delay)
		return attempt
	}
	first := attempt
	for attempt-first < mostPassed && !retry.Over(attempt+1) && a.passes(delay) {
		attempt++
		if !f.attempt.OneValue {
			NewValue(random)
		}
		delay = retry.Delay(attempt, random)
	}
	a.pass(attempt - first)
	p.Sleep(a.at.Sleeps(delay))
	return attempt
}

// mostPassed is how many attempts are passed over at once, so that a run of ever so many can be
// interrupted.
const mostPassed = 1 << 16

// ahead is a process that waits for a lock, some attempts later.
type ahead struct {
	*Foresight
	process *host.Process
	at      host.Ahead
}

// lookAhead looks from a process that is about to sleep for a delay. It reports false if even the next
// attempt cannot be told.
func (f *Foresight) lookAhead(p *host.Process, value int64, delay time.Duration) (ahead, bool) {
	if f == nil || f.env.EveryMessage {
		return ahead{}, false
	}
	at, ok := p.LookAhead("acquire.send", "acquire.reply")
	if !ok || at.After(delay) >= at.Until || !f.undisturbed(p, value) {
		return ahead{}, false
	}
	return ahead{f, p, at}, true
}

// undisturbed reports whether nothing acts on servers and links, no message is on its way between them
// and the client's host, and none has the key under a value that is the client's own.
func (f *Foresight) undisturbed(p *host.Process, value int64) bool {
	net, client := f.env.Fleet.Net, network.Addr{Node: p.Host().ID, Port: p.Port()}
	if net.Inbound(client.Node) > 0 {
		return false
	}
	for _, s := range f.servers {
		to := s.Addr()
		if s.host.State() != host.Running || !s.host.Clock.Even() || s.has(value) || net.Inbound(to.Node) > 0 ||
			!net.Quiet(client.Node, to.Node, nil) || !net.Quiet(to.Node, client.Node, nil) ||
			!net.Open(client, to) || !net.Open(to, client) {
			return false
		}
	}
	return true
}

// passes reports whether an attempt after a delay is certain to be refused by all servers and over
// before anything else happens, and goes past it if it is.
func (a *ahead) passes(delay time.Duration) bool {
	at := a.at
	at.Sleep(delay)
	at.Step()
	if !a.refused(&at, OpSet, 1) {
		return false
	}
	at.Step()
	if a.attempt.Undoes && !a.refused(&at, OpDelete, 2) || at.Now >= at.Until || at.Now == a.at.Now {
		return false // or it is one of those that let no time pass, of which there is no end
	}
	a.at = at
	a.count()
	return true
}

// refused works out a round in which each server is asked once, and reports whether all say no in time.
// Their answers are the nth replies from now on.
func (a *ahead) refused(at *host.Ahead, op *network.Op, nth uint64) bool {
	net, client := a.env.Fleet.Net, a.process.Host().ID
	last := at.Now
	for _, s := range a.servers {
		asked := at.Now.Add(net.PeekDelay(client, s.host.ID, op, 1))
		if !s.refusesAt(asked) {
			return false
		}
		last = max(last, asked.Add(net.PeekDelay(s.host.ID, client, OpReply, nth)))
	}
	deadline := at.After(a.attempt.Timeout)
	at.Now = last
	return last < deadline
}

// refusesAt reports whether a server that nobody touches until then says no to who does not have its
// key, and changes nothing.
func (s *Server) refusesAt(t sim.Time) bool {
	if !s.present {
		return false
	}
	now := s.host.Clock.Wall(t)
	if s.monotonic {
		now = clock.Wall(s.host.Clock.Mono(t))
	}
	return now.Milli() <= s.until
}

// count counts the messages of an attempt.
func (a *ahead) count() {
	net, client := a.env.Fleet.Net, a.process.Host().ID
	for _, s := range a.servers {
		net.Skip(client, s.host.ID, OpSet, 1)
		if a.attempt.Undoes {
			net.Skip(client, s.host.ID, OpDelete, 1)
		}
		net.Skip(s.host.ID, client, OpReply, a.attempt.rounds())
	}
}

// rounds is how often an attempt asks each server.
func (a *Attempt) rounds() uint64 {
	if a.Undoes {
		return 2
	}
	return 1
}

// pass has the process go past so many attempts.
func (a *ahead) pass(attempts int) {
	if attempts == 0 {
		return
	}
	a.process.Pass(attempts * int(a.attempt.rounds()) * len(a.servers))
	w := a.env.Fleet.World
	w.Digest().Mix(uint64(attempts))
	if w.Tracing() {
		w.Trace(trace.Record{Who: a.process.Host().Name, What: "refused",
			Text: fmt.Sprintf("%s %d more times until %v", a.process.Name, attempts, a.at.Now)})
	}
}
