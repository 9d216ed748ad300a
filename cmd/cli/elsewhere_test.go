package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var elsewhereSweep = []string{"kleppmann", "--lock", "redis,local", "--guard", "none", "--vary", "fault.pause=5s,10s", "--trials", "1100"}

// TestElsewhere: batches that were run from what can be sent, in parts, the last first and twice, come to
// the files of a local sweep.
func TestElsewhere(t *testing.T) {
	dir := t.TempDir()
	local, far := filepath.Join(dir, "local"), filepath.Join(dir, "far")
	var out bytes.Buffer
	if code := Run(context.Background(), append([]string{"sweep", "--out", local}, elsewhereSweep...), Streams{&out, &out}); code != ExitExpected {
		t.Fatalf("exit %d\n%s", code, out.String())
	}
	e := elsewhere(func(ctx context.Context, work *Work, take func([]byte) error) error {
		lines, err := linesOf(ctx, work, 5)
		if err != nil {
			return err
		}
		for _, line := range slices.Concat(lines, lines) {
			if err := take(line); err != nil {
				return err
			}
		}
		return nil
	})
	if code := e.Run(context.Background(), append([]string{"--out", far}, elsewhereSweep...), Streams{&out, &out}); code != ExitExpected {
		t.Fatalf("exit %d\n%s", code, out.String())
	}
	for _, name := range []string{"sweep.batches", "sweep.csv", "sweep.json"} {
		want, err := os.ReadFile(filepath.Join(local, name))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(filepath.Join(far, name)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is another one than of a local sweep (%v)", name, err)
		}
	}
}

// linesOf runs a work in parts, each on a worker that has got it as JSON.
func linesOf(ctx context.Context, work *Work, parts int) (lines [][]byte, err error) {
	text, err := json.Marshal(work)
	if err != nil {
		return nil, err
	}
	for part := range parts {
		var sent Work
		if err := json.Unmarshal(text, &sent); err != nil {
			return nil, err
		}
		worker, err := sent.Begin()
		if err != nil {
			return nil, err
		}
		err = worker.Part(ctx, parts-1-part, parts, func(_ int, line []byte) error {
			lines = append(lines, line)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return lines, nil
}

// TestElsewhereRefuses: what comes back has to be whole and a batch of the sweep, and all of them; and a
// worker has to be this program.
func TestElsewhereRefuses(t *testing.T) {
	for want, do := range map[string]func(context.Context, *Work, func([]byte) error) error{
		"far: 12 batches did not come back": func(context.Context, *Work, func([]byte) error) error { return nil },
		"far: a batch's line cannot be read: damaged": func(_ context.Context, _ *Work, take func([]byte) error) error {
			return take([]byte("00000000 {}"))
		},
		"build another": func(_ context.Context, w *Work, _ func([]byte) error) error {
			w.Header.Build = "another"
			_, err := w.Begin()
			return err
		},
		"has the hash": func(_ context.Context, w *Work, _ func([]byte) error) error {
			w.Scenario.Content += "\n# changed\n"
			_, err := w.Begin()
			return err
		},
	} {
		var out bytes.Buffer
		code := elsewhere(do).Run(context.Background(), append([]string{"--format", "csv"}, elsewhereSweep...), Streams{&out, &out})
		if code != ExitUsage || !strings.Contains(out.String(), want) {
			t.Errorf("exit %d, %q; want %q", code, out.String(), want)
		}
	}
}

func elsewhere(do func(context.Context, *Work, func([]byte) error) error) *Elsewhere {
	return &Elsewhere{Name: "far", Flags: flag.NewFlagSet("far", flag.ContinueOnError), Do: do}
}
