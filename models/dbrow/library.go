package dbrow

import (
	"errors"
	"time"

	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
	"fencepost/sim/rng"
)

// The steps that this library has beyond the usual ones.
const (
	stepDated     = "acquire.dated"
	stepBegun     = "acquire.begun"
	stepUpdate    = "acquire.update"
	stepCommit    = "commit.send"
	stepKeepAlive = "keepalive.send"
	stepKeptAlive = "keepalive.reply"
)

var (
	// errBroken: the server does not have the transaction any more.
	errBroken = errors.New("transaction ended by the server")
	// errCommit: what became of the transaction is not known (Spring's
	// TransactionSystemException).
	errCommit = errors.New("could not commit")
)

// library is what both clients have: who they are, and how they run statements.
type library struct {
	system *system
	client int
	random rng.Stream
	hold   history.HoldID
	owner  int64
}

// begin is a new attempt to get the lock.
func (l *library) begin(hold history.HoldID) {
	l.hold = hold
	if l.system.options.owner == uniqueOwner {
		l.owner = int64(l.random.Uint64() >> 1)
	}
}

// named is the owner that a program is by its configuration, before any attempt: one that
// draws a value for each attempt is nobody until then.
func (l *library) named() int64 {
	switch l.system.options.owner {
	case uniqueOwner:
		return nobody
	case hostOwner:
		return int64(l.client + 1)
	default:
		return 1
	}
}

// reading is what the client's clock read, in microseconds, and when that was in truth.
type reading struct {
	wall int64
	at   sim.Time
}

// read reads the client's clock: in whole milliseconds.
func read(p *host.Process) reading {
	return reading{p.Wall().Milli() * int64(clientGranularity/time.Microsecond), p.Host().World().Now()}
}

func (r reading) sub(earlier reading) time.Duration {
	return time.Duration(r.wall-earlier.wall) * time.Microsecond
}

// statement is one that sets lock_until to an interval from now on. If clients' clocks
// count, it is from when the client read its clock, which may be earlier than what the
// statement says is now.
func (l *library) statement(op *network.Op, interval time.Duration, from, now reading) network.Body {
	b := network.Body{Op: op, Value: l.owner, TTL: interval, Hold: l.hold}
	if l.system.options.time == clientTime {
		b.Revision, b.TTL, b.Ref = now.wall, interval-now.sub(from), from.at
	}
	return b
}

// run runs a statement as a transaction of its own.
func (l *library) run(p *host.Process, b network.Body) (network.Message, error) {
	b.Key = alone
	return l.call(p, b)
}

// runAndCommit runs a statement in a transaction that begins with it, or has begun before
// that by up to an age, and commits.
func (l *library) runAndCommit(p *host.Process, b network.Body, age time.Duration) (network.Message, error) {
	b.Key = first
	if age > 0 {
		if _, err := l.call(p, network.Body{Op: OpBegin, Hold: b.Hold}); err != nil {
			return network.Message{}, err
		}
		p.Step(stepBegun)
		p.Sleep(l.random.Between(0, age))
		b.Key = inside
	}
	reply, err := l.call(p, b)
	if err != nil {
		return reply, err
	}
	p.Step(stepCommit)
	if _, err := l.call(p, network.Body{Op: OpCommit, Hold: b.Hold}); err != nil {
		return reply, errors.Join(errCommit, err)
	}
	return reply, nil
}

// call sends a message and waits for the reply. Without one the driver closes the
// connection.
func (l *library) call(p *host.Process, b network.Body) (network.Message, error) {
	timeout := l.system.options.timeout
	if timeout == 0 {
		timeout = host.Forever
	}
	to := l.system.server.host.Addr()
	reply, err := p.Call(to, b, timeout)
	if err != nil {
		p.Send(to, network.Body{Op: OpClose, Hold: b.Hold})
		return reply, err
	}
	if reply.Op == OpError {
		return reply, errBroken
	}
	return reply, nil
}
