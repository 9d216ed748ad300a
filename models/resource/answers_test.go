package resource

import (
	"testing"
	"time"

	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
)

// heard is a rig whose client hears the answers.
type heard struct {
	*rig
	answers []network.Message
}

func newHeard(t *testing.T, guard string, s Settings) *heard {
	t.Helper()
	x := &heard{rig: newRig(t, guard, s)}
	x.client.Server = x
	x.monitor.Newest = true
	return x
}

// Receive implements [host.Server].
func (x *heard) Receive(m *network.Message) { x.answers = append(x.answers, *m) }

// Timer implements [host.Server].
func (x *heard) Timer(int) {}

var _ host.Server = (*heard)(nil)

// request sends a request with the number of a call; 0 is none, so that it is no copy.
func (x *heard) request(call uint32, b network.Body) {
	for len(x.r.Holds) < int(b.Hold) {
		x.r.Add(history.Record{Kind: history.Grant, Hold: x.r.NewHold(0, 1)})
	}
	x.Store.Receive(&network.Message{From: x.client.Addr(), Call: call, Body: b})
}

// call sends a request and returns its answer, if there is one at once.
func (x *heard) call(call uint32, b network.Body) (answer network.Message, ok bool) {
	n := len(x.answers)
	x.request(call, b)
	x.wait(time.Millisecond)
	if len(x.answers) == n {
		return answer, false
	}
	return x.answers[n], true
}

// ask is call for a request that is answered, and is no copy.
func (x *heard) ask(t *testing.T, b network.Body) network.Message {
	t.Helper()
	answer, ok := x.call(0, b)
	if !ok {
		t.Fatalf("no answer to %+v", b)
	}
	return answer
}

// wait lets time go by: something has to be due at its end.
func (x *heard) wait(d time.Duration) {
	x.client.Go("waiting", func(p *host.Process) { p.Sleep(d) })
	x.world.Run(x.world.Now().Add(d))
}

// effects are the records of what took effect.
func (x *heard) effects() (done []history.Record) {
	for _, r := range x.r.Records {
		switch r.Kind {
		case history.Read, history.Write, history.Perform, history.Mark:
			r.At, r.Sequence, r.Executor = 0, 0, 0
			done = append(done, r)
		}
	}
	return done
}

// harms are the kinds of what the monitor found.
func (x *heard) harms() (kinds []string) {
	for _, f := range x.monitor.Findings() {
		kinds = append(kinds, f.Kind)
	}
	return kinds
}

func reads(hold history.HoldID) network.Body { return network.Body{Op: OpRead, Hold: hold} }

func writes(hold history.HoldID, value, content int64) network.Body {
	return network.Body{Op: OpWrite, Hold: hold, Value: value, Content: content}
}

// over is a write that carries back the version that was read.
func over(version int64, b network.Body) network.Body {
	b.Revision = version
	return b
}

// with is a request that shows a token.
func with(token int64, b network.Body) network.Body {
	b.Token = token
	return b
}

// of is a request for one of several objects, from 1.
func of(object int64, b network.Body) network.Body {
	b.Key = object - 1
	return b
}

// does is the request for the effect of a job.
func does(hold history.HoldID, value, job int64) network.Body {
	return network.Body{Op: OpEffect, Hold: hold, Value: value, Content: job}
}
