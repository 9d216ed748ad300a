package peers

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Workloads are what is run, by name, with the unit that is counted.
var Workloads = []struct{ Name, Unit string }{
	{"mm1", "customer"}, {"pingpong", "round"}, {"hold", "event"},
}

// Peer is one way to run the workloads.
type Peer struct {
	Name string
	// Size is how many units it runs at a time.
	Size int
	// Ready installs nothing: it says what is missing, or prepares what can be run. The
	// folder is the peer's own.
	Ready func(ctx context.Context, folder string) error
	// Run runs all workloads with n units each.
	Run func(ctx context.Context, folder string, n int, check bool) ([]Line, error)
}

// Line is what one workload took.
type Line struct {
	Workload  string
	Nanos     float64 // a unit
	Statistic string
}

// All are the kernel and its peers; the kernel comes first.
var All = []Peer{
	{Name: "fencepost", Size: 1_000_000, Run: runKernel},
	{Name: "fencepost, coroutines", Size: 1_000_000, Run: runCoroutines},
	{Name: "container/heap", Size: 1_000_000, Run: runHeap},
	{Name: "testing/synctest", Size: 100_000, Ready: prepareSynctest, Run: runSynctest},
	{Name: "ns-3", Size: 1_000_000, Ready: buildNS3, Run: runNS3},
	{Name: "SimPy", Size: 100_000, Ready: findSimPy, Run: runSimPy},
}

// pendingEvents is how many events the hold workload keeps.
const pendingEvents = 32

// parseLines reads "name nanoseconds statistic", a line a workload.
func parseLines(output string) ([]Line, error) {
	var lines []Line
	for _, text := range strings.Split(output, "\n") {
		fields := strings.Fields(text)
		if len(fields) < 3 || !isWorkload(fields[0]) {
			continue
		}
		nanos, err := strconv.ParseFloat(fields[1], 64)
		if err != nil {
			return nil, fmt.Errorf("%q is no measurement", text)
		}
		lines = append(lines, Line{fields[0], nanos, strings.Join(fields[2:], " ")})
	}
	if len(lines) == 0 {
		return nil, fmt.Errorf("no measurement in %q", output)
	}
	return lines, nil
}

func isWorkload(name string) bool {
	return slices.ContainsFunc(Workloads, func(w struct{ Name, Unit string }) bool { return w.Name == name })
}

// Built are those that need nothing but this program.
func Built() (list []Peer) {
	for _, p := range All {
		if p.Ready == nil {
			list = append(list, p)
		}
	}
	return list
}
