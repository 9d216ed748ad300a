package raftkv

import (
	"crypto/rand"
	"testing"
	"time"

	"fencepost/sim/rng"
)

// newIdleRig is a rig whose members leave idle heartbeats out.
func newIdleRig(t testing.TB) *rig {
	r := newRig(t, rng.Uniform(0, 2*time.Millisecond))
	r.env.EveryMessage = false
	return r
}

// busyTrial has elections, proposals, reads and fsyncs.
func busyTrial(r *rig, seed uint64) uint64 {
	r.reset(seed)
	for i := range 12 {
		r.runTo(time.Duration(i) * 700 * time.Millisecond)
		m := r.cluster.members[i%3]
		m.Propose([]byte{byte(i)})
		m.Read(i)
		if i == 5 {
			r.leader().host.Pause(r.world.Now().Add(4 * time.Second))
		}
	}
	r.runTo(12 * time.Second)
	return r.world.Digest().Sum()
}

// countingReader is a source of random bytes that are all the same.
type countingReader struct {
	b     byte
	reads int
}

func (c *countingReader) Read(p []byte) (int, error) {
	c.reads++
	for i := range p {
		p[i] = c.b
	}
	return len(p), nil
}

// raft asks crypto/rand for its timeouts; nothing of that may reach a run.
func TestRunsDoNotDependOnCryptoRand(t *testing.T) {
	r := newIdleRig(t)
	want := map[uint64]uint64{}
	for seed := uint64(1); seed <= 5; seed++ {
		want[seed] = busyTrial(r, seed)
	}
	if want[1] == want[2] {
		t.Error("two seeds have one digest")
	}
	original := rand.Reader
	defer func() { rand.Reader = original }()
	for _, source := range []*countingReader{nil, {b: 0}, {b: 1}, {b: 7}} {
		if rand.Reader = original; source != nil {
			rand.Reader = source
		}
		for round := range 4 {
			for seed := uint64(1); seed <= 5; seed++ {
				if got := busyTrial(r, seed); got != want[seed] {
					t.Fatalf("seed %d, round %d: digest %016x, want %016x", seed, round, got, want[seed])
				}
			}
		}
		if source != nil && source.reads == 0 {
			t.Error("raft did not ask the source: the test shows nothing")
		}
	}
	if got := busyTrial(newIdleRig(t), 1); got != want[1] {
		t.Errorf("a new world has digest %016x, want %016x", got, want[1])
	}
}
