package etcd

import (
	"crypto/rand"
	"testing"
	"time"

	"fencepost/sim"
	"fencepost/sim/host"
	"fencepost/sim/trace"
)

// troubledTrial has contention, a pause of a holder and a crash of the leader.
func troubledTrial(r *rig, seed uint64) uint64 {
	r.reset(seed)
	for client := range r.clients {
		r.lock(client, time.Duration(client)*time.Second, seconds(4))
	}
	r.runTo(seconds(2))
	r.clients[0].Pause(sim.Time(seconds(9)))
	r.runTo(seconds(12))
	if leader := r.leader(); leader != nil {
		leader.Crash(host.LoseUnsynced)
	}
	r.runTo(seconds(40))
	return r.world.Digest().Sum()
}

// sameByte is a source of random bytes that are all the same.
type sameByte byte

func (s sameByte) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(s)
	}
	return len(p), nil
}

func TestSameSeedSameDigest(t *testing.T) {
	r := newRig(t, 3, seconds(5))
	var want [4]uint64
	for seed := range want {
		want[seed] = troubledTrial(r, uint64(seed))
	}
	original := rand.Reader
	defer func() { rand.Reader = original }()
	for _, b := range []byte{0, 1, 5} {
		rand.Reader = sameByte(b)
		for seed := range want {
			if got := troubledTrial(r, uint64(seed)); got != want[seed] {
				t.Errorf("seed %d again, in the same world: digest %016x, want %016x", seed, got, want[seed])
			}
		}
	}
	if got := troubledTrial(newRig(t, 3, seconds(5)), 1); got != want[1] {
		t.Errorf("in a new world: digest %016x, want %016x", got, want[1])
	}
}

// fullTrace is all that happens in a trial, the numbers of calls included.
func fullTrace(r *rig, seed uint64) []trace.Record {
	sink := &trace.Memory{}
	r.world.Sink = sink
	troubledTrial(r, seed)
	storm(r, seed)
	r.world.Sink = nil
	return sink.Records
}

// Nothing of one trial is left in the next, not even a number that no step depends on.
func TestReusedWorldLeavesNoTrace(t *testing.T) {
	r := newRig(t, 3, seconds(5))
	for seed := uint64(1); seed <= 3; seed++ {
		storm(r, seed)
	}
	got, want := fullTrace(r, 4), fullTrace(newRig(t, 3, seconds(5)), 4)
	if len(got) != len(want) {
		t.Errorf("%d records, in a new world %d", len(got), len(want))
	}
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Fatalf("record %d:\n%v\nin a new world:\n%v", i, got[i], want[i])
		}
	}
}

// BenchmarkTrial is a trial as scenarios have it: a holder sleeps past its lease of
// 10 s, and another client is let in. Every heartbeat is sent, or the idle ones are
// left out.
func BenchmarkTrial(b *testing.B) {
	for _, every := range []bool{true, false} {
		b.Run(map[bool]string{true: "every", false: "elided"}[every], func(b *testing.B) { benchmarkTrial(b, every) })
	}
}

func benchmarkTrial(b *testing.B, every bool) {
	r := newRig(b, 2, seconds(10))
	r.env.EveryMessage = every
	b.ReportAllocs()
	for i := range b.N {
		r.reset(uint64(i))
		r.lock(0, 0, seconds(25))
		waiter := r.lock(1, time.Second, seconds(1))
		r.runTo(seconds(5))
		r.clients[0].Pause(sim.Time(seconds(25)))
		r.runTo(seconds(30))
		if waiter.released == 0 {
			b.Fatal("the waiter was not served")
		}
	}
	b.ReportMetric(float64(r.world.Fired()), "events/op")
}

// BenchmarkContention is five clients that want the lock at once.
func BenchmarkContention(b *testing.B) {
	r := newRig(b, 5, seconds(60))
	b.ReportAllocs()
	for i := range b.N {
		r.reset(uint64(i))
		var last *use
		for client := range r.clients {
			last = r.lock(client, 0, 100*ms)
		}
		r.runTo(seconds(2))
		if last.released == 0 {
			b.Fatal("the last client was not served")
		}
	}
}
