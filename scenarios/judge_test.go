package scenarios

import (
	"slices"
	"testing"
	"time"

	"fencepost/checker"
	"fencepost/checker/linear"
	"fencepost/models/modeltest"
	"fencepost/models/resource"
	"fencepost/sim"
	"fencepost/sim/history"
)

// judged is the record of one trial of the Kleppmann case, and what judges it.
type judged struct {
	*history.Recorder
	end     sim.Time
	audit   []int64
	checker *checker.Checker
	verdict checker.Verdict
}

// judgedTrial runs one seed under a lock and a guard.
func judgedTrial(t testing.TB, lock, guard string) *judged {
	t.Helper()
	for _, p := range plansOf(t, "kleppmann", nil) {
		if p.Describe.Name != lock || p.Guard.Name != guard {
			continue
		}
		trial := NewTrial(p)
		defer trial.Close()
		r, err := trial.RunSafely(1)
		if err != nil {
			t.Fatal(err)
		}
		j := &judged{Recorder: trial.Recorder, end: r.End, audit: slices.Clone(trial.audit), verdict: r.Verdict}
		j.Observers = nil
		j.checker = checker.New(j.Recorder, 10*time.Second, p.ordered())
		j.checker.SkipLinear = true
		return j
	}
	t.Fatalf("no lock %q", lock)
	return nil
}

// monitors shows the record to all monitors and asks for the verdict.
func (j *judged) monitors(t testing.TB) {
	c := j.checker
	c.Reset()
	for i := range j.Records {
		for _, o := range j.Observers {
			o.Observe(&j.Records[i])
		}
	}
	v, err := c.Verdict(j.Recorder, j.end, j.audit, "")
	if err != nil || v.Exclusion != j.verdict.Exclusion || v.Resource != j.verdict.Resource {
		t.Fatalf("%+v, %v", v, err)
	}
}

// four shows the record to the monitors of the four questions alone.
func (j *judged) four(t testing.TB) {
	c := j.checker
	c.Grants.Reset()
	c.Exclusion.Reset()
	c.Resource.Reset()
	c.Progress.Reset()
	for i := range j.Records {
		r := &j.Records[i]
		c.Grants.Observe(r)
		c.Exclusion.Observe(r)
		c.Resource.Observe(r)
		c.Progress.Observe(r)
	}
	c.Progress.Finish(j.end)
	if !c.Exclusion.Violated() || !c.Resource.Violated() || c.Grants.Violated() || c.Progress.Violated() {
		t.Fatalf("%v", c.Kinds())
	}
}

// BenchmarkJudge is the verdict over one trial's record: by the monitors of the four
// questions, by all monitors, which is also the tokens, the usage and who was touched by
// faults, and by porcupine, which answers two.
func BenchmarkJudge(b *testing.B) {
	for _, lock := range []string{"redis", "etcd"} {
		j := judgedTrial(b, lock, resource.Guards[0].Name)
		b.Run(lock+"/four", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				j.four(b)
			}
		})
		b.Run(lock+"/all", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				j.monitors(b)
			}
			b.ReportMetric(float64(len(j.Records)), "records/op")
		})
		b.Run(lock+"/porcupine", func(b *testing.B) {
			var l linear.Checker
			b.ReportAllocs()
			for b.Loop() {
				if l.Lock(j.Recorder) != linear.NotLinearizable || l.Resource(j.Recorder, j.audit...) != linear.NotLinearizable {
					b.Fatal("linearizable")
				}
			}
		})
	}
}

// The verdict by monitors over a trial's record allocates nothing.
func TestJudgingDoesNotAllocate(t *testing.T) {
	if modeltest.Raced {
		t.Skip("the race detector allocates on its own")
	}
	for _, lock := range []string{"redis", "etcd"} {
		j := judgedTrial(t, lock, resource.Guards[0].Name)
		j.monitors(t)
		if n := testing.AllocsPerRun(20, func() { j.monitors(t) }); n != 0 {
			t.Errorf("%s: %v allocations", lock, n)
		}
	}
}
