package linear

import (
	"fmt"
	"testing"

	"fencepost/checker/monitor"
	"fencepost/sim/history"
)

// rounds is a sound run: so many holds, one after the other, with a waiter always.
func rounds(n int) (script, int64) {
	s := newScript(n)
	s.do(history.Attempt, 1)
	for i := 1; i <= n; i++ {
		hold := history.HoldID(i)
		if i < n {
			s.do(history.Attempt, hold+1)
		}
		s.do(history.BeliefBegin, hold)
		s.do(history.Request, hold)
		s.Add(history.Record{Kind: history.Read, Hold: hold, Value: int64(i - 1)})
		s.Add(history.Record{Kind: history.Write, Hold: hold, Value: int64(i), Base: int64(i - 1)})
		s.do(history.BeliefEnd, hold)
		s.do(history.ReleaseEnd, hold)
	}
	return s, int64(n)
}

// BenchmarkLock and BenchmarkResource check one run.
func BenchmarkLock(b *testing.B) {
	for _, n := range []int{2, 10, 100, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s, _ := rounds(n)
			var l Checker
			b.ReportAllocs()
			for b.Loop() {
				if l.Lock(s.Recorder) != Linearizable {
					b.Fatal("not linearizable")
				}
			}
		})
	}
}

func BenchmarkResource(b *testing.B) {
	for _, n := range []int{2, 10, 100, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s, audit := rounds(n)
			var l Checker
			b.ReportAllocs()
			for b.Loop() {
				if l.Resource(s.Recorder, audit) != Linearizable {
					b.Fatal("not linearizable")
				}
			}
		})
	}
}

// BenchmarkTenThousandAcquisitions judges one history of 10 000 acquisitions by the
// monitor of exclusion, which can do this alone, and by porcupine, which can do more.
func BenchmarkTenThousandAcquisitions(b *testing.B) {
	s, _ := rounds(10_000)
	b.Run("monitor", func(b *testing.B) {
		var m monitor.Exclusion
		b.ReportAllocs()
		for b.Loop() {
			m.Reset()
			for i := range s.Records {
				m.Observe(&s.Records[i])
			}
			if m.Violated() {
				b.Fatal("beliefs overlap")
			}
		}
	})
	b.Run("porcupine", func(b *testing.B) {
		var l Checker
		b.ReportAllocs()
		for b.Loop() {
			if l.Lock(s.Recorder) != Linearizable {
				b.Fatal("not linearizable")
			}
		}
	})
}
