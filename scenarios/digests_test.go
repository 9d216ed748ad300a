package scenarios

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"fencepost/models/modeltest"
)

var archOnly = flag.Bool("arch", false, "compare the digests of the scenarios marked `arch: true` alone")

const (
	digestFile  = "testdata/digests.txt"
	digestSeeds = 1
)

// TestDigests runs every library scenario under every lock and its guards, for a few seeds: each verdict
// is the one that its sources lead to (`fencepost suite --seed 1-20` asks more seeds), and each digest is
// the one in the file that all machines share. A digest covers every event
// and every draw. If one differs, some event does: .ci/arch, or "fencepost replay TOKEN
// --trace" on both machines and "fencepost diff-trace", show the first. UPDATE_GOLDEN=1
// rewrites the file, when a change means to change what happens.
func TestDigests(t *testing.T) {
	modeltest.ManyTrials(t)
	var got strings.Builder
	tokens := map[string]string{} // by run
	add := func(name string, plans []*Plan, seeds int) {
		for _, p := range plans {
			p.SkipLinear = *archOnly // it judges the run, and is no part of it
		}
		for i, r := range digests(t, plans, seeds) {
			p := plans[i/seeds]
			run := fmt.Sprintf("%s %s %s %d", name, p.Describe.Name, p.Guard.Name, r.Seed)
			fmt.Fprintf(&got, "%016x %s\n", r.Digest, run)
			if !*archOnly && !r.AsExpected() {
				t.Errorf("%s: %s\n%s", run, r.Differs, ReplayCommand(p, r.Seed))
			}
			tokens[run] = TokenOf(p, r.Seed).String()
		}
	}
	for _, name := range LibraryNames() {
		s, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		if *archOnly && (!s.Arch || strings.Contains(name, "/")) { // a variant is of its scenario's kind
			continue
		}
		add(name, plansOf(t, name, nil), digestSeeds)
	}
	// A bias draws from tails, which is found by bisection.
	const biasedSeeds = 8
	add("rare-pause?estimate=bias", plansOf(t, "rare-pause", WithBias(nil))[:3], biasedSeeds)
	if os.Getenv("UPDATE_GOLDEN") != "" && !*archOnly {
		if err := os.WriteFile(digestFile, []byte(got.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	compareDigests(t, strings.Split(got.String(), "\n"), tokens)
}

func compareDigests(t *testing.T, got []string, tokens map[string]string) {
	golden, err := os.ReadFile(digestFile)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{} // by run
	for _, line := range strings.Split(strings.TrimSpace(string(golden)), "\n") {
		digest, run, _ := strings.Cut(line, " ")
		want[run] = digest
	}
	ran := 0
	for _, line := range got {
		digest, run, ok := strings.Cut(line, " ")
		if !ok {
			continue
		}
		if want[run] != digest {
			t.Errorf("%s: digest %s on %s/%s, want %q: %s", run, digest, runtime.GOOS, runtime.GOARCH, want[run], tokens[run])
		}
		delete(want, run)
		ran++
	}
	if ran == 0 {
		t.Fatal("nothing was run")
	}
	for run := range want {
		if !*archOnly {
			t.Errorf("%s: it is in %s and was not run", run, digestFile)
		}
	}
	t.Logf("%d runs on %s/%s", ran, runtime.GOOS, runtime.GOARCH)
}
