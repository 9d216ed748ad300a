package zookeeper

import (
	"testing"

	"fencepost/sim/trace"
)

// Every step that is listed is reached.
func TestSteps(t *testing.T) {
	r := newRig(t, 2, nil)
	sink := &trace.Memory{}
	r.World.Sink = sink
	r.Lock(0, second, 5*second)
	r.Lock(1, 2*second, second)
	r.Run(20 * second)
	seen := map[string]bool{}
	for _, rec := range sink.Records {
		if rec.What == "step" {
			for _, s := range steps {
				if len(rec.Text) > len(s.Name) && rec.Text[len(rec.Text)-len(s.Name)-1:] == " "+s.Name {
					seen[s.Name] = true
				}
			}
		}
	}
	for _, s := range steps {
		if !seen[s.Name] {
			t.Errorf("step %q is not reached", s.Name)
		}
	}
}

// BenchmarkTrial is a trial as scenarios have it: a holder sleeps past its session of 10 s,
// and another client is let in.
func BenchmarkTrial(b *testing.B) {
	r := newBench(b)
	b.ReportAllocs()
	for i := range b.N {
		r.Reset(uint64(i))
		r.Lock(0, 0, 25*second)
		waiter := r.Lock(1, second, second)
		r.Run(5 * second)
		r.Env.Clients[0].Pause(at(25 * second))
		r.Run(30 * second)
		if waiter.Released == 0 {
			b.Fatal("the waiter was not served")
		}
	}
	b.ReportMetric(float64(r.World.Fired()), "events/op")
}
