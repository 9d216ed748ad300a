package redlock

import (
	"testing"
	"time"

	"fencepost/models/modeltest"
	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/host"
)

// newClientRig is a rig of a client with its own defaults but a TTL of 10 s, five servers.
func newClientRig(t *testing.T, clients int, client clientLibrary, params map[string]int64) *modeltest.Rig {
	t.Helper()
	all := map[string]int64{"client": int64(client), "ttl": int64(10 * second)}
	for name, v := range params {
		all[name] = v
	}
	r := newRig(t, clients, all)
	if err := validate(r.Env.Params); err != nil {
		t.Fatalf("%v: %v", all, err)
	}
	return r
}

// tried is a use of the lock that may be refused.
type tried struct {
	hold       history.HoldID
	sent       []sim.Time // when its attempts began
	got, ended sim.Time   // 0 is not
	token      int64
	err        error
}

// try makes a client acquire at an instant, and keep what it gets.
func try(r *modeltest.Rig, client int, at time.Duration) *tried {
	u := &tried{hold: r.Recorder.NewHold(client, history.Executor(client+1))}
	var watch func()
	watch = func() {
		u.sent = append(u.sent, r.World.Now())
		r.OnStep(client, "acquire.send", watch)
	}
	r.OnStep(client, "acquire.send", watch)
	r.Env.Clients[client].Go(clientName(client), func(p *host.Process) {
		p.Sleep(at)
		r.Recorder.Add(history.Record{Kind: history.Attempt, Hold: u.hold})
		grant, err := r.Lockers[client].Acquire(p, u.hold)
		if u.token, u.err = grant.Token, err; err != nil {
			u.ended = r.World.Now()
			return
		}
		u.got = r.World.Now()
		r.Recorder.Add(history.Record{Kind: history.BeliefBegin, Hold: u.hold})
	})
	return u
}

func clientName(client int) string { return "client " + string(rune('1'+client)) }

// within checks that something happened from one instant to another.
func within(t *testing.T, what string, got, from, to sim.Time) {
	t.Helper()
	if got < from || got > to {
		t.Errorf("%s at %v, want %v to %v", what, got, from, to)
	}
}

// valid asks a client's library at an instant, and sets what it says.
func valid(r *modeltest.Rig, client int, at time.Duration) *bool {
	answer := new(bool)
	r.Env.Clients[client].Go("asking", func(p *host.Process) {
		p.Sleep(at)
		*answer = r.Lockers[client].Valid(p)
	})
	return answer
}

// notes are the texts of the notes.
func notes(r *modeltest.Rig) (all []string) {
	for _, rec := range r.Recorder.Records {
		if rec.Kind == history.Note {
			all = append(all, rec.Text)
		}
	}
	return all
}
