package peers

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Options say how to measure.
type Options struct {
	Peers []Peer
	// Rounds is how often each peer runs; they take turns, so that a slow minute of the
	// machine hits all of them.
	Rounds int
	// Scale divides the number of units; 1 is a full measurement.
	Scale int
	// Progress, if set, is called after each of the Steps.
	Progress func()
}

// Steps is how many there are if no peer is left out.
func (o *Options) Steps() int { return len(o.Peers) * (o.Rounds + 1) }

// Result is what one peer took.
type Result struct {
	Peer string
	// Skipped says why it was left out.
	Skipped string
	// Nanos are those of each round, by workload; a peer need not run all of them.
	Nanos map[string][]float64
	// Statistic is what the check found, by workload.
	Statistic map[string]string
}

// checkUnits is how many units are run to compare statistics.
const checkUnits = 100_000

// Measure runs every peer that there is. It first makes sure that all of them simulate the
// same, and fails if they do not.
func Measure(ctx context.Context, o Options) ([]*Result, error) {
	m := &measurement{Options: o, ctx: ctx}
	m.folder, m.noFolder = os.MkdirTemp("", "fencepost-peers-")
	if m.noFolder == nil {
		defer os.RemoveAll(m.folder)
	}
	for i := range o.Peers {
		if err := m.prepare(&o.Peers[i]); err != nil {
			return nil, err
		}
	}
	if err := m.compare(); err != nil {
		return nil, err
	}
	for range o.Rounds {
		for i, r := range m.results {
			if r.Skipped != "" {
				continue
			}
			lines, err := m.run(i, max(o.Peers[i].Size/o.Scale/pendingEvents, 1)*pendingEvents, false)
			if err != nil {
				return nil, err
			}
			for _, l := range lines {
				r.Nanos[l.Workload] = append(r.Nanos[l.Workload], l.Nanos)
			}
		}
	}
	return m.results, nil
}

type measurement struct {
	Options
	ctx     context.Context
	folder  string
	results []*Result
	// noFolder says why there is no place for the peers' programs, if there is none.
	noFolder error
}

// prepare makes a peer's folder and program; a peer that is not there is left out.
func (m *measurement) prepare(p *Peer) error {
	r := &Result{Peer: p.Name, Nanos: map[string][]float64{}, Statistic: map[string]string{}}
	m.results = append(m.results, r)
	if p.Ready == nil {
		return nil
	}
	if m.noFolder != nil {
		r.Skipped = fmt.Sprintf("there is no folder for its program (%v); TMPDIR says where", m.noFolder)
		return nil
	}
	folder := m.folderOf(len(m.results) - 1)
	if err := os.Mkdir(folder, 0o777); err != nil {
		return err
	}
	if err := p.Ready(m.ctx, folder); err != nil {
		if m.ctx.Err() != nil {
			return m.ctx.Err()
		}
		r.Skipped = err.Error()
	}
	return nil
}

func (m *measurement) folderOf(peer int) string { return filepath.Join(m.folder, fmt.Sprint(peer)) }

func (m *measurement) run(peer, n int, check bool) ([]Line, error) {
	if m.Progress != nil {
		defer m.Progress()
	}
	lines, err := m.Peers[peer].Run(m.ctx, m.folderOf(peer), n, check)
	if m.ctx.Err() != nil {
		return nil, m.ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.Peers[peer].Name, err)
	}
	return lines, nil
}

// compare runs every peer with the shared random numbers. Of n units each has to find the
// same statistics.
func (m *measurement) compare() error {
	for i, r := range m.results {
		if r.Skipped != "" {
			continue
		}
		lines, err := m.run(i, checkUnits, true)
		if err != nil {
			return err
		}
		for _, l := range lines {
			r.Statistic[l.Workload] = l.Statistic
			if want, ok := m.results[0].Statistic[l.Workload]; ok && want != l.Statistic {
				return fmt.Errorf("%s does not simulate the same: %s comes to %s, and to %s on %s", r.Peer, l.Workload, l.Statistic, want, m.results[0].Peer)
			}
		}
	}
	return nil
}

// Best is the least of the rounds, which disturbances of the machine can only raise; false
// if the peer does not run the workload.
func (r *Result) Best(workload string) (nanos float64, ok bool) {
	if len(r.Nanos[workload]) == 0 {
		return 0, false
	}
	return slices.Min(r.Nanos[workload]), true
}

// Raw are all rounds of a workload, for whoever doubts the best.
func (r *Result) Raw(workload string) string {
	var texts []string
	for _, n := range r.Nanos[workload] {
		texts = append(texts, fmt.Sprintf("%.0f", n))
	}
	return strings.Join(texts, " ")
}
