package redlock

import (
	"slices"
	"testing"
	"time"

	"fencepost/models/redis"
	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/network"
	"fencepost/sim/rng"
)

// node-redlock 5.0.0-beta.2 takes the start before its first attempt (issues 296 and 299): a
// lock that it gets late has little validity, or none, although its keys are fresh. With the
// start of each attempt, as later on its main branch, it has all of it.
func TestStartOfTheFirstAttempt(t *testing.T) {
	for start, want := range map[int64]bool{1: true, 2: false} { // 1: attempt, 2: call
		r := newClientRig(t, 2, nodeV5, map[string]int64{"ttl": int64(second), "start": start})
		r.Lock(0, 0, 1500*ms) // its key expires after 1 s
		u := try(r, 1, 50*ms)
		r.Run(1049 * ms)
		answer := valid(r, 1, 250*ms)
		r.Run(2 * second)
		within(t, "client 2 is let in", u.got, sim.Time(1001*ms), sim.Time(1303*ms))
		until := r.Want(u.hold, history.Grant).Until
		if start == 2 {
			equal(t, "promised until", until, sim.Time(50*ms+second-12*ms))
		} else {
			within(t, "promised until", until, u.got.Add(second-12*ms-2*ms), u.got.Add(second-12*ms))
		}
		if late := until <= u.got; late == want || *answer != want {
			t.Errorf("start %d: expired when it was acquired: %t; valid: %t", start, late, *answer)
		}
	}
}

// farther is twice the way.
var farther = rng.Constant(2 * ms)

// Two clients get two servers each, and the fifth is down. Who gives back what it has tries
// again at another moment than the other and gets it. node-redlock v5 keeps it between its
// attempts and is refused by its own keys, so that both are refused until the retries of
// one end: after eleven attempts, ten delays of 100 to 299 ms.
func TestOwnLeftovers(t *testing.T) {
	split := func(client clientLibrary, undo int64) (one, other *tried) {
		r := newClientRig(t, 2, client, map[string]int64{"timeout": int64(50 * ms), "undo": undo})
		cutOff(r, 0, 4)
		cutOff(r, 1, 4)
		for i := range 2 { // A and B are nearer to client 1, C and D to client 2
			r.Net.SetDelay(r.Env.Clients[0].ID, r.Server("redis", 2+i).ID, farther)
			r.Net.SetDelay(r.Env.Clients[1].ID, r.Server("redis", i).ID, farther)
		}
		one, other = try(r, 0, 0), try(r, 1, 0)
		r.Run(9 * second)
		return one, other
	}
	for client, name := range clientParam.Choices[:redisson] {
		if clientLibrary(client) == redlockRB || clientLibrary(client) == antirez {
			continue // one after the other: the first server decides
		}
		one, other := split(clientLibrary(client), 0)
		if quick := max(one.got, other.got) > 0 && min(one.got, other.got) == 0 && max(one.got, other.got) < sim.Time(second); quick != (clientLibrary(client) != nodeV5) {
			t.Errorf("%s: acquired at %v and %v", name, one.got, other.got)
		}
	}
	one, other := split(nodeV5, 0)
	if one.got != 0 && other.got != 0 || len(one.sent) < 5 || len(other.sent) < 5 || one.ended == 0 && other.ended == 0 {
		t.Errorf("node-v5: acquired at %v and %v, gave up at %v and %v", one.got, other.got, one.ended, other.ended)
	}
	first := max(one.ended, other.ended)
	if one.ended != 0 && other.ended != 0 {
		first = min(one.ended, other.ended)
	}
	within(t, "the first gave up", first, sim.Time(10*100*ms), sim.Time(11*(299+50)*ms+50*ms))
	if one, other := split(nodeV5, 1); max(one.got, other.got) == 0 || max(one.got, other.got) > sim.Time(second) {
		t.Errorf("node-v5 with undo: each acquired at %v and %v", one.got, other.got)
	}
}

// Of four servers two are for client 1 and two for client 2. node-redlock v5 waits for three
// of either kind, and for ever; v4 and the others see that it is no majority.
func TestTie(t *testing.T) {
	for client, name := range clientParam.Choices[:redisson] {
		if clientLibrary(client) == redlockRB || clientLibrary(client) == antirez {
			continue
		}
		r := newClientRig(t, 2, clientLibrary(client), map[string]int64{"servers": 4})
		for i := range 2 {
			r.Net.SetDelay(r.Env.Clients[0].ID, r.Server("redis", 2+i).ID, farther)
			r.Net.SetDelay(r.Env.Clients[1].ID, r.Server("redis", i).ID, farther)
		}
		one, other := try(r, 0, 0), try(r, 1, 0)
		r.Run(3600 * second)
		if hangs := len(one.sent) == 1 && len(other.sent) == 1 && max(one.got, other.got, one.ended, other.ended) == 0; hangs != (clientLibrary(client) == nodeV5) {
			t.Errorf("%s: acquired at %v and %v, attempts at %v and %v", name, one.got, other.got, one.sent, other.sent)
		}
		if said := slices.Contains(notes(r), "a tie: the library waits for ever"); said != (clientLibrary(client) == nodeV5) {
			t.Errorf("%s: notes %v", name, notes(r))
		}
	}
}

// It has its result as soon as a majority agrees: after one round trip, although the others
// do not answer at all.
func TestResolvesAtQuorum(t *testing.T) {
	r := newClientRig(t, 2, nodeV5, nil)
	cutOff(r, 0, 3, 4)
	cutOff(r, 1, 3, 4)
	holder, refused := try(r, 0, 0), try(r, 1, second)
	r.Run(second + 50*ms)
	equal(t, "acquired", holder.got, sim.Time(2*ms))
	if len(refused.sent) != 1 { // refused at 1.002 s, and asks again 100 to 299 ms later
		t.Errorf("%d attempts", len(refused.sent))
	}
	r.Run(second + 302*ms)
	if len(refused.sent) < 2 {
		t.Error("it has not asked again")
	}
}

// using() extends 500 ms before the deadline, again and again, and stops with the section.
func TestUsing(t *testing.T) {
	r := newClientRig(t, 2, nodeV5, map[string]int64{"using": 1, "attempts": 1_000_000})
	u := r.Lock(0, 0, 25*second)
	waiter := try(r, 1, second)
	r.Run(40 * second)
	// The deadline of 9.898 s is the start and the validity of 9.898 s, and so on.
	promises := r.Records(u.Hold, history.Promise)
	if len(promises) != 2 {
		t.Fatalf("%d extensions in 25 s, want 2: %+v", len(promises), promises)
	}
	equal(t, "extended", promises[0].At, sim.Time(9398*ms+2*ms))
	equal(t, "promised until", promises[0].Until, sim.Time(9398*ms+9898*ms))
	equal(t, "extended", promises[1].At, sim.Time(2*9398*ms+2*ms))
	within(t, "the waiter is let in", waiter.got, u.Released, u.Released.Add(303*ms))
	if u.Err != nil {
		t.Errorf("released with %v", u.Err)
	}
}

// The holder wakes up after its lease: its timer is overdue, sees that the lock has expired,
// and aborts the signal at once. A program that only uses acquire() sees it by the
// expiration.
func TestUsingNoticesAtOnce(t *testing.T) {
	r := newClientRig(t, 1, nodeV5, map[string]int64{"using": 1})
	u := try(r, 0, 0)
	r.At(5*second, func() { r.Env.Clients[0].Pause(sim.Time(15 * second)) })
	before, after := valid(r, 0, 4*second), valid(r, 0, 15*second)
	r.Run(15 * second)
	if !*before || *after || u.got == 0 {
		t.Errorf("valid before the pause: %t, right after it: %t", *before, *after)
	}
}

// Cut off from a majority, using() tries until the lock has expired; then it aborts.
func TestUsingAborts(t *testing.T) {
	r := newClientRig(t, 1, nodeV5, map[string]int64{"using": 1, "timeout": int64(50 * ms), "attempts": 1})
	try(r, 0, 0)
	r.At(second, func() { cutOff(r, 0, 0, 1, 2) })
	before, after := valid(r, 0, 9898*ms), valid(r, 0, 9950*ms)
	r.Run(20 * second)
	if !*before || *after {
		t.Errorf("valid before it has expired: %t, after: %t", *before, *after)
	}
	if n := len(r.Records(1, history.Promise)); n != 0 {
		t.Errorf("%d promises", n)
	}
}

// A release waits for an extension that is under way, which otherwise would come after it.
func TestUsingReleasesAfterItsExtension(t *testing.T) {
	r := newClientRig(t, 1, nodeV5, map[string]int64{"using": 1})
	for i := range 5 {
		r.Net.Hold(&network.Hold{From: r.Env.Clients[0].ID, To: r.Server("redis", i).ID, Op: redis.OpExtend, Until: sim.Time(9700 * ms)})
	}
	u := r.Lock(0, 0, 9500*ms) // the extension begins at 9.398 s
	r.Run(20 * second)
	within(t, "released", u.Released, sim.Time(9700*ms), sim.Time(9710*ms))
	if u.Err != nil || keys(r, u) != 0 {
		t.Errorf("released with %v, %d keys are left", u.Err, keys(r, u))
	}
}

// An extension that has failed in a retry of its own keeps the lock until the deadline, and
// v5 does not look whether the new lease is over already: its promise starts before the
// first try.
func TestNode5ExtendsWithoutALook(t *testing.T) {
	r := newClientRig(t, 1, nodeV5, map[string]int64{"ttl": int64(second)})
	u := r.Lock(0, 0, 0)
	renewal := r.Renew(0, 500*ms)
	r.At(501*ms+500*time.Microsecond, func() { r.Env.Clients[0].Pause(sim.Time(3 * second)) })
	r.Run(4 * second)
	if renewal.Err != nil || len(r.Records(u.Hold, history.Promise, history.Grant)) != 2 {
		t.Errorf("extended with %v", renewal.Err)
	}
	late := r.Renew(0, 0)
	r.Run(5 * second)
	if late.Err == nil {
		t.Error("it extends what has expired by its own clock")
	}
}
