package peers

import (
	"context"
	"errors"
	"math"
	"strconv"
	"strings"
	"testing"

	"fencepost/models/modeltest"
)

// TestBuiltInPeersSimulateTheSame: handlers, coroutines and the plain loop come to the
// same statistics, which Measure insists on, and those are of the right size.
func TestBuiltInPeersSimulateTheSame(t *testing.T) {
	results, err := Measure(context.Background(), Options{Peers: Built(), Rounds: 1, Scale: 100})
	if err != nil {
		t.Fatal(err)
	}
	kernel := results[0]
	mean, err := strconv.ParseFloat(strings.TrimPrefix(kernel.Statistic["mm1"], "mean_time_in_system="), 64)
	// The theory says 10; of 100 000 customers the mean is within 1.5 of it.
	if err != nil || math.Abs(mean-10) > 1.5 {
		t.Errorf("%q, want a mean near 10", kernel.Statistic["mm1"])
	}
	if got := kernel.Statistic["pingpong"]; got != "rounds=100000 end_time=200000" {
		t.Errorf("ping-pong: %q", got)
	}
	for _, r := range results {
		for workload := range r.Statistic {
			if best, ok := r.Best(workload); !ok || best <= 0 {
				t.Errorf("%s: %s took %v", r.Peer, workload, best)
			}
		}
	}
	if len(results) != 3 || len(results[1].Statistic) != 1 || len(results[2].Statistic) != 3 {
		t.Errorf("%d peers, with %v and %v", len(results), results[1].Statistic, results[2].Statistic)
	}
}

func fake(name string, ready error, lines ...Line) Peer {
	p := Peer{Name: name, Size: 32, Run: func(context.Context, string, int, bool) ([]Line, error) { return lines, nil }}
	if ready != nil {
		p.Ready = func(context.Context, string) error { return ready }
	}
	return p
}

func TestAPeerThatSimulatesSomethingElseIsRefused(t *testing.T) {
	_, err := Measure(context.Background(), Options{Rounds: 1, Scale: 1, Peers: []Peer{
		fake("one", nil, Line{"mm1", 1, "mean=10"}), fake("two", nil, Line{"mm1", 1, "mean=11"})}})
	if err == nil || !strings.Contains(err.Error(), "two does not simulate the same: mm1 comes to mean=11, and to mean=10 on one") {
		t.Errorf("error %v", err)
	}
}

func TestAPeerThatIsMissingIsLeftOut(t *testing.T) {
	results, err := Measure(context.Background(), Options{Rounds: 3, Scale: 1, Peers: []Peer{
		fake("one", nil, Line{"mm1", 1, "mean=10"}), fake("two", errors.New("not installed"))}})
	if err != nil {
		t.Fatal(err)
	}
	if got := results[1].Skipped; got != "not installed" || len(results[1].Nanos) > 0 || len(results[0].Nanos["mm1"]) != 3 {
		t.Errorf("%+v and %+v", results[0], results[1])
	}
}

func TestParseLines(t *testing.T) {
	lines, err := parseLines("noise\nmm1 12.5 mean=10 x\nhold 3 events=1\nPASS\n")
	if err != nil || len(lines) != 2 || lines[0] != (Line{"mm1", 12.5, "mean=10 x"}) {
		t.Errorf("%v, %v", lines, err)
	}
	for _, bad := range []string{"", "PASS", "mm1 x y"} {
		if _, err := parseLines(bad); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}

// TestInstalledPeers runs those peers that the machine has.
func TestInstalledPeers(t *testing.T) {
	if testing.Short() || modeltest.Raced {
		t.Skip("it compiles other programs")
	}
	results, err := Measure(context.Background(), Options{Peers: All, Rounds: 1, Scale: 100})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		if r.Skipped != "" {
			t.Logf("%s: %s", r.Peer, r.Skipped)
		}
	}
	if synctest := results[3]; synctest.Skipped != "" {
		t.Errorf("%s was left out, though tests have a toolchain: %s", synctest.Peer, synctest.Skipped)
	}
}
