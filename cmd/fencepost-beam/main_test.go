package main

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"fencepost/cmd/cli"
)

var files = []string{"sweep.batches", "sweep.csv", "sweep.json"}

// sweeps are small ones with several cells, some of which are not applicable, and a last batch that is not
// a whole one. Rates of the second are sums of weights, which add up to other bits in another order
// unless they are exact.
var sweeps = map[string][]string{
	"crude": {"kleppmann", "--vary", "fault.pause=5s,10s", "--lock", "redis,local", "--guard", "none,fence-writes", "--trials", "1100"},
	"bias":  {"rare-pause", "--estimate", "bias", "--vary", "ttl=5s,10s", "--lock", "redis", "--guard", "none", "--trials", "700"},
}

// twice makes each part three times, in no order, as a runner does that loses workers.
func twice(s beam.Scope, parts int) beam.PCollection {
	var all []int
	for range 3 {
		for part := range parts {
			all = append(all, part)
		}
	}
	random := rand.New(rand.NewPCG(1, uint64(parts)))
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return beam.CreateList(s, all)
}

// TestSameAsLocal: a pipeline writes the files of a local run, byte for byte, whatever the number of parts,
// and if parts are run more than once and in another order.
func TestSameAsLocal(t *testing.T) {
	for name, sweep := range sweeps {
		t.Run(name, func(t *testing.T) {
			local := filepath.Join(t.TempDir(), "local")
			var out bytes.Buffer
			if code := cli.Run(context.Background(), append([]string{"sweep", "--out", local}, sweep...), cli.Streams{Out: &out, Err: &out}); code != cli.ExitExpected {
				t.Fatalf("exit %d\n%s", code, out.String())
			}
			for _, parts := range []int{1, 7, 64} {
				compare(t, local, piped(t, expand, parts, sweep...))
			}
			compare(t, local, piped(t, twice, 7, sweep...))
		})
	}
}

// TestShardsAndResume: a pipeline does the shards of a sweep, and goes on with one that was begun without it.
func TestShardsAndResume(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	sweep := sweeps["crude"]
	run := func(args ...string) {
		t.Helper()
		var out bytes.Buffer
		if code := cli.Run(context.Background(), args, cli.Streams{Out: &out, Err: &out}); code != cli.ExitExpected {
			t.Fatalf("%v: exit %d\n%s", args, code, out.String())
		}
	}
	run(append([]string{"sweep", "--out", in("local")}, sweep...)...)
	run(append([]string{"sweep", "--out", in("2"), "--shard", "2/2"}, sweep...)...)
	first := piped(t, expand, 3, append(sweep, "--shard", "1/2")...)
	run("merge", in("2"), first, "--out", in("merged"))
	compare(t, in("local"), in("merged"))
	compare(t, in("local"), piped(t, expand, 3, append(sweep, "--resume", "--out", in("2"))...))
}

// piped runs a sweep as a pipeline, and returns the directory of its files.
func piped(t *testing.T, from source, parts int, sweep ...string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "piped")
	args := append([]string{"--out", out, "--parts", strconv.Itoa(parts)}, sweep...)
	for i, a := range args {
		if a == "--out" {
			out = args[i+1]
		}
	}
	var text bytes.Buffer
	if code := program(from).Run(context.Background(), args, cli.Streams{Out: &text, Err: &text}); code != cli.ExitExpected {
		t.Fatalf("%v: exit %d\n%s", args, code, text.String())
	}
	return out
}

func compare(t *testing.T, wanted, got string) {
	t.Helper()
	for _, name := range files {
		want, err := os.ReadFile(filepath.Join(wanted, name))
		if err != nil {
			t.Fatal(err)
		}
		if is, err := os.ReadFile(filepath.Join(got, name)); err != nil || !bytes.Equal(is, want) {
			t.Errorf("%s is another one than of a local run (%v)", name, err)
		}
	}
}

// TestWorker: a worker needs no file of the scenario, and refuses the sweep of another build.
func TestWorker(t *testing.T) {
	file := filepath.Join(t.TempDir(), "mine.yaml")
	if err := os.WriteFile(file, []byte("name: mine\nclients: [{}, {}]\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	var work *cli.Work
	e := program(expand)
	e.Do = func(_ context.Context, w *cli.Work, _ func([]byte) error) error {
		work = w
		return nil
	}
	var out bytes.Buffer
	if code := e.Run(context.Background(), []string{file, "--lock", "redis", "--trials", "3000"}, cli.Streams{Out: &out, Err: &out}); code != cli.ExitUsage {
		t.Errorf("exit %d", code)
	}
	if want := "fencepost-beam: 6 batches did not come back\n"; out.String() != want {
		t.Errorf("it says %q, want %q", out.String(), want)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	worker, err := work.Begin()
	if err != nil {
		t.Fatal(err)
	}
	lines := 0
	if err := worker.Part(context.Background(), 1, 4, func(int, []byte) error { lines++; return nil }); err != nil || lines != 2 {
		t.Errorf("%d lines of the second of four parts, want 2 (%v)", lines, err)
	}
	work.Header.Build = "another"
	if _, err := work.Begin(); err == nil || !strings.Contains(err.Error(), "and the sweep is of 0.1.0, build another") {
		t.Errorf("another build is met with %v", err)
	}
}

// TestOneResult: two lines of one batch that differ are no result.
func TestOneResult(t *testing.T) {
	once := func(lines ...string) (string, error) {
		return (&onceFn{}).ProcessElement(1, func(line *string) bool {
			if len(lines) == 0 {
				return false
			}
			*line, lines = lines[0], lines[1:]
			return true
		})
	}
	if line, err := once("a", "a", "a"); line != "a" || err != nil {
		t.Errorf("three equal lines are %q, %v", line, err)
	}
	if _, err := once("a", "a", "b"); err == nil {
		t.Error("two results of one batch are taken for one")
	}
}

// TestRemoteNeedsLines: workers elsewhere need a way back, and a sweep waits for them.
func TestRemoteNeedsLines(t *testing.T) {
	for wrong, args := range map[string][]string{
		"--lines is missing: with --runner universal": {"--runner", "universal", "--environment_type", "docker", "--endpoint", "localhost:1"},
		"--async: a sweep waits for its batches":      {"--async"},
		"--parts 0: at least 1":                       {"--parts", "0"},
	} {
		t.Run(args[0], func(t *testing.T) {
			keepFlags(t)
			var out bytes.Buffer
			code := program(expand).Run(context.Background(), append([]string{"kleppmann", "--lock", "redis"}, args...), cli.Streams{Out: &out, Err: &out})
			if code != cli.ExitUsage || !strings.Contains(out.String(), wrong) {
				t.Errorf("exit %d, %q; want %q", code, out.String(), wrong)
			}
		})
	}
}

// keepFlags puts the flags back after a test: Beam's are of the process.
func keepFlags(t *testing.T) {
	for _, name := range []string{"runner", "environment_type", "endpoint", "async", "parts"} {
		f := flags().Lookup(name)
		was := f.Value.String()
		t.Cleanup(func() { _ = f.Value.Set(was) })
	}
}
