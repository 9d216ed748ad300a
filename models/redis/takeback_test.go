package redis

import (
	"slices"
	"testing"

	"fencepost/models/modeltest"
	"fencepost/sim/history"
	"fencepost/sim/network"
)

func kinds(records []history.Record) (all []history.Kind) {
	for _, r := range records {
		all = append(all, r.Kind)
	}
	return all
}

// service is the record of a hold as far as the service is concerned.
func (r *rig) service(u *modeltest.Use) []history.Record {
	return r.Records(u.Hold, history.Grant, history.ReleaseBegin, history.ServiceEnd, history.BeliefBegin)
}

// The SET is applied and its reply is lost: after 3 s the client deletes the key, which
// is a release of what the server had promised, and tries again.
func TestLostReply(t *testing.T) {
	r := newRig(t, 2, nil)
	heal := r.Cut(r.Server("redis", 0), r.Env.Clients[0])
	r.At(100*ms, heal)
	u := r.Lock(0, 0, 0)
	r.Run(2500 * ms)
	if !r.server().present || u.Acquired != 0 {
		t.Fatalf("the key is set, and nobody knows: %+v", u)
	}
	r.Run(4 * second)
	got := r.service(u)
	want := []history.Kind{history.Grant, history.ReleaseBegin, history.ServiceEnd, history.Grant, history.BeliefBegin}
	if !slices.Equal(kinds(got), want) {
		t.Fatalf("kinds %v, want %v", kinds(got), want)
	}
	equal(t, "taken back", got[1].At, at(3000*ms))
	equal(t, "key gone", got[2].At, at(3001*ms))
	between(t, "granted again", got[3].At, at(3002*ms+51*ms), at(3002*ms+251*ms))
	r.Sound()
}

// The key that was taken back is free for somebody else, to whom nothing is wrong.
func TestLostReplyThenAnother(t *testing.T) {
	r := newRig(t, 2, map[string]int64{"retry-base": int64(200 * ms), "retry-jitter": 0})
	r.At(100*ms, r.Cut(r.Server("redis", 0), r.Env.Clients[0]))
	first, other := r.Lock(0, 0, 0), r.Lock(1, 3010*ms, second)
	r.Run(6 * second)
	equal(t, "granted", r.Want(other.Hold, history.Grant).At, at(3011*ms))
	between(t, "acquired", first.Acquired, other.Released, at(5*second))
	r.Sound()
}

// The delete is lost as well: the promise is not one that anybody relies on, and the
// key blocks everybody, its own client too, until it expires.
func TestLostReplyAndLostDelete(t *testing.T) {
	r := newRig(t, 1, nil)
	client, server := r.Env.Clients[0], r.Server("redis", 0)
	heal := r.Cut(server, client)
	r.At(2*second, func() { r.Cut(client, server) })
	r.At(7*second, func() { heal() })
	u := r.Lock(0, 0, 0)
	r.Run(15 * second)
	if got, want := kinds(r.service(u)), []history.Kind{history.Grant, history.ReleaseBegin, history.ServiceEnd}; !slices.Equal(got, want) {
		t.Errorf("kinds %v, want %v", got, want)
	}
	r.ended(t, u, 10_100*ms, "expired")
}

// A SET that comes only after its client has asked the key back is let in and taken
// back at once: the delete was lost, so the key stays until it expires.
func TestLateSet(t *testing.T) {
	r := newRig(t, 2, nil)
	client, server := r.Env.Clients[0], r.Server("redis", 0)
	r.Net.Hold(&network.Hold{From: client.ID, To: server.ID, Op: OpSet, Until: at(7 * second)})
	r.At(1*second, func() { r.At(6900*ms, r.Cut(client, server)) })
	u, other := r.Lock(0, 0, 0), r.Lock(1, 8*second, 0)
	r.Run(19 * second)
	got := r.service(u)
	want := []history.Kind{history.Grant, history.ReleaseBegin, history.ServiceEnd}
	if len(got) < 3 || !slices.Equal(kinds(got)[:3], want) {
		t.Fatalf("kinds %v, want %v first", kinds(got), want)
	}
	equal(t, "let in", got[0].At, at(7*second))
	equal(t, "taken back", got[1].At, at(7*second))
	equal(t, "expired", got[2].At, at(17*second)) // now >= when, in a cycle of that instant
	if u.Acquired == 0 && other.Acquired == 0 {
		t.Error("nobody has got in after the key has expired")
	}
	if r.Grants.Violated() || r.Exclusion.Violated() {
		t.Errorf("%+v %+v", r.Grants.Findings(), r.Exclusion.Findings())
	}
}

// A SET that never came promised nothing, and there is nothing to release.
func TestLostSet(t *testing.T) {
	r := newRig(t, 1, nil)
	r.At(100*ms, r.Cut(r.Env.Clients[0], r.Server("redis", 0)))
	u := r.Lock(0, 0, 0)
	r.Run(4 * second)
	if got, want := kinds(r.service(u)), []history.Kind{history.Grant, history.BeliefBegin}; !slices.Equal(got, want) {
		t.Errorf("kinds %v, want %v", got, want)
	}
	r.Sound()
}
