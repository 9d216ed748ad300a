package consul

import (
	"fmt"
	"testing"

	"fencepost/models/modeltest"
	"fencepost/sim/history"
	"fencepost/sim/host"
)

// cycles has client 0 lock and unlock again and again.
func cycles(t testing.TB, r *modeltest.Rig, n int) {
	t.Helper()
	r.Reset(1)
	done := 0
	r.Env.Clients[0].Go("client", func(p *host.Process) {
		for p.Sleep(second); done < n; done++ {
			hold := r.Recorder.NewHold(0, 1)
			if _, err := r.Lockers[0].Acquire(p, hold); err != nil {
				t.Error(err)
			}
			r.Recorder.Add(history.Record{Kind: history.ReleaseBegin, Hold: hold})
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

// BenchmarkCycle is a lock and an unlock. What they cost must not depend on how many there have
// been.
func BenchmarkCycle(b *testing.B) {
	for _, n := range []int{1_000, 4_000, 16_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			r := modeltest.New(b, New(), 1, nil)
			for b.Loop() {
				cycles(b, r, n)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/cycle")
		})
	}
}

// The library's processes are there once for all holds of a client. Each one more would leave a
// connection behind.
func TestProcessesAreKept(t *testing.T) {
	r := newRig(t, 1, nil)
	before := r.client(0).Ports()
	cycles(t, r.Rig, 100)
	if n := r.client(0).Ports() - before; n != 3 {
		t.Errorf("%d processes, want the client's and two of the library", n)
	}
}
