package raftkv

import (
	"testing"
	"time"

	"fencepost/sim/rng"
)

// benchRig is a cluster that stands.
func benchRig(b *testing.B, every bool) *rig {
	r := newRig(b, rng.Uniform(0, 2*time.Millisecond))
	r.env.EveryMessage = every
	b.ReportAllocs()
	r.reset(1)
	r.runTo(time.Second)
	return r
}

// BenchmarkStart is the start of a cluster, with its election.
func BenchmarkStart(b *testing.B) {
	r := benchRig(b, false)
	for i := range b.N {
		r.reset(uint64(i))
		r.runTo(20 * time.Millisecond)
		r.leader()
	}
}

// BenchmarkProposal is a proposal, from one that leads to all having applied it, in a
// cluster that is never quiet for long.
func BenchmarkProposal(b *testing.B) {
	r := benchRig(b, false)
	for range b.N {
		r.leader().Propose([]byte("x"))
		r.runTo(r.world.Now().Duration() + 6*time.Millisecond)
	}
}

// BenchmarkIdle is 30 s of three members that have nothing to do. The work of the first
// is done again and again by the second.
func BenchmarkIdle(b *testing.B) {
	for _, mode := range []struct {
		name  string
		every bool
		wakes int // how often somebody needs to know, in 30 s
	}{{"every", true, 0}, {"elided", false, 0}, {"elided-wake-30", false, 30}} {
		b.Run(mode.name, func(b *testing.B) {
			r := benchRig(b, mode.every)
			before := r.world.Fired()
			for range b.N {
				for range max(1, mode.wakes) {
					r.runTo(r.world.Now().Duration() + 30*time.Second/time.Duration(max(1, mode.wakes)))
					r.cluster.wake()
					r.cluster.settle()
				}
			}
			b.ReportMetric(float64(r.world.Fired()-before)/float64(b.N), "events/op")
		})
	}
}
