package reports

import (
	"maps"

	"fencepost/checker/stats"
	"fencepost/scenarios/sweeps"
)

// SweepCell is what using the lock cost in one cell, whatever became of the properties.
type SweepCell struct {
	Lock         string            `json:"lock"`
	Guard        string            `json:"guard"`
	Params       map[string]string `json:"params"`
	Acquisitions int64             `json:"acquisitions"`
	// Messages are those between clients and servers of the lock and among servers, but for the
	// heartbeats that go on without a client; Fsyncs are those of the servers.
	Messages uint64 `json:"messages"`
	Fsyncs   uint64 `json:"fsyncs"`
	// Waited is how long acquisitions took, Recovered how long after the crash of a holder the next
	// one had the lock.
	Waited    Quantiles `json:"waited"`
	Recovered Quantiles `json:"recovered"`
	// Overlapped is for how long more than one client believed to hold the lock, in each trial.
	Overlapped Quantiles `json:"overlapped"`
}

// Quantiles of durations, in nanoseconds, each the upper end of its bucket: too large by less than
// 1 %. Max is exact. All are 0 if Count is.
type Quantiles struct {
	Count int64 `json:"count"`
	P50   int64 `json:"p50_ns"`
	P90   int64 `json:"p90_ns"`
	P99   int64 `json:"p99_ns"`
	P999  int64 `json:"p99_9_ns"`
	P9999 int64 `json:"p99_99_ns"`
	Max   int64 `json:"max_ns"`
}

func newSweepCell(c *sweeps.Cell) SweepCell {
	cell := SweepCell{Lock: c.Plan.Describe.Name, Guard: c.Plan.Guard.Name, Params: map[string]string{},
		Acquisitions: c.Acquisitions, Messages: c.Messages, Fsyncs: c.Fsyncs,
		Waited: quantilesOf(&c.Waited), Recovered: quantilesOf(&c.Recovered), Overlapped: quantilesOf(&c.Overlapped)}
	maps.Copy(cell.Params, c.Plan.Instance.Values)
	return cell
}

func quantilesOf(l *stats.Latencies) Quantiles {
	q := Quantiles{Count: l.Count()}
	if q.Count == 0 {
		return q
	}
	for _, want := range []struct {
		of float64
		to *int64
	}{{0.5, &q.P50}, {0.9, &q.P90}, {0.99, &q.P99}, {0.999, &q.P999}, {0.9999, &q.P9999}} {
		_, high := l.Quantile(want.of)
		*want.to = int64(high)
	}
	q.Max = int64(l.Max())
	return q
}
