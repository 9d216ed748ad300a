package dynamodb

import (
	"fmt"
	"testing"

	"fencepost/models/modeltest"
	"fencepost/sim/host"
)

// cycles has client 0 acquire and release again and again, with a session monitor.
func cycles(t testing.TB, r *modeltest.Rig, n int) {
	t.Helper()
	r.Reset(1)
	done := 0
	r.Env.Clients[0].Go("client", func(p *host.Process) {
		for ; done < n; done++ {
			hold := r.Recorder.NewHold(0, 1)
			if _, err := r.Lockers[0].Acquire(p, hold); err != nil {
				t.Error(err)
			}
			if err := r.Lockers[0].Release(p); err != nil {
				t.Error(err)
			}
			p.Sleep(10 * ms)
		}
	})
	for done < n {
		r.Run(r.World.Now().Duration() + second)
	}
}

// BenchmarkCycle is an acquire and a release. What they cost must not depend on how many there
// have been.
func BenchmarkCycle(b *testing.B) {
	for _, n := range []int{1_000, 4_000, 16_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			r := modeltest.New(b, New(), 1, given{"session-monitor": int64(15 * second)})
			for b.Loop() {
				cycles(b, r, n)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/cycle")
		})
	}
}

// One session monitor does for all holds of a client: one for each would sleep on for the safe
// time after the release.
func TestProcessesAreKept(t *testing.T) {
	r := newRig(t, 1, given{"session-monitor": int64(15 * second)})
	before := r.Env.Clients[0].Ports()
	cycles(t, r.Rig, 100)
	if n := r.Env.Clients[0].Ports() - before; n != 3 {
		t.Errorf("%d processes, want the client's, the heartbeat and the session monitor", n)
	}
}
