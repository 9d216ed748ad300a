package cli

import (
	"bytes"
	"context"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fencepost/models/modeltest"
)

// oneCell is a sweep of one cell, to which options are added. One worker finishes batches in their order.
var oneCell = []string{"kleppmann", "--lock", "local", "--guard", "none", "--porcupine", "none", "--workers", "1"}

// sweepInto sweeps into a directory, and returns the exit code and all that was printed.
func sweepInto(dir string, options ...string) (code int, printed string) {
	var out bytes.Buffer
	code = Run(context.Background(), append(append([]string{"sweep", "--out", dir}, oneCell...), options...), Streams{&out, &out})
	return code, out.String()
}

// begun leaves the first n batches of a sweep in a directory.
func begun(t *testing.T, dir string, n int, options ...string) {
	t.Helper()
	e := elsewhere(func(ctx context.Context, work *Work, take func([]byte) error) error {
		work.Batches = work.Batches[:min(n, 1)]
		if n > 0 {
			work.Batches[0].Last = work.Batches[0].First + uint64(n) - 1
		}
		lines, err := linesOf(ctx, work, 1)
		for _, line := range lines {
			if err == nil {
				err = take(line)
			}
		}
		return err
	})
	var out bytes.Buffer
	code := e.Run(context.Background(), append(append([]string{"--out", dir}, oneCell...), options...), Streams{&out, &out})
	if code != ExitUsage || !strings.Contains(out.String(), "did not come back") {
		t.Fatalf("exit %d\n%s", code, out.String())
	}
}

func journalOf(t *testing.T, dir string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(dir, "sweep.batches"))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// TestResumeLosesNothing: a sweep that would leave out what an earlier one has finished does not begin, and
// says what would be lost.
func TestResumeLosesNothing(t *testing.T) {
	modeltest.ManyTrials(t)
	dir := t.TempDir()
	for name, c := range map[string]struct {
		batches       int // 0: the sweep is finished
		first, second string
		says          string
	}{
		"fewer trials than were run": {13, "--trials 100000", "--trials 1000",
			"has 13 finished batches, and some of them would be lost: 11 have other seeds (the file is of 1-100000, this sweep of 1-1000); name another --out, or sweep all that the file has"},
		"fewer trials than were asked for": {0, "--trials 3000", "--trials 700", "5 have other seeds (the file is of 1-3000, this sweep of 1-700)"},
		"other seeds":                      {0, "--trials 1000", "--seed 2-1001", "2 have other seeds"},
		"a last batch that was longer":     {0, "--trials 700", "--trials 600", "1 have other seeds"},
		"fewer cells":                      {0, "--trials 10 --vary ttl=5s,6s,7s,8s,9s,10s", "--trials 10 --vary ttl=5s,6s", "has 6 finished batches, and some of them would be lost: 4 are of cells that this sweep has not"},
		"an earlier stop":                  {0, "--trials 3000", "--trials 3000 --until-budget 0.1", "5 are beyond where --until-… stops"},
	} {
		t.Run(name, func(t *testing.T) {
			out := filepath.Join(dir, strings.ReplaceAll(name, " ", "-"))
			if c.batches > 0 {
				begun(t, out, c.batches, strings.Fields(c.first)...)
			} else if code, printed := sweepInto(out, strings.Fields(c.first)...); code != ExitExpected {
				t.Fatalf("exit %d\n%s", code, printed)
			}
			before := journalOf(t, out)
			code, printed := sweepInto(out, append(strings.Fields(c.second), "--resume")...)
			if code != ExitUsage || !strings.Contains(printed, c.says) {
				t.Errorf("exit %d, %q; want %q", code, printed, c.says)
			}
			if after := journalOf(t, out); after != before {
				t.Errorf("of %d lines %d are left", strings.Count(before, "\n"), strings.Count(after, "\n"))
			}
		})
	}
}

// TestShortBatchesAreToldOf: the last batch of a cell is run again if the sweep goes on behind it, and that
// is said.
func TestShortBatchesAreToldOf(t *testing.T) {
	dir := t.TempDir()
	if code, printed := sweepInto(dir, "--trials", "700"); code != ExitExpected {
		t.Fatalf("exit %d\n%s", code, printed)
	}
	code, printed := sweepInto(dir, "--trials", "1200", "--resume")
	if want := "sweep.batches: 1 batch is run again, with the trials that follow\n"; code != ExitExpected || !strings.Contains(printed, want) {
		t.Errorf("exit %d, %q; want %q", code, printed, want)
	}
}

// TestShortBatchesAreKept: until the longer batch is finished in which its trials are run again, the last
// batch of a cell is in the file, also if that is made longer twice. Who goes back to the shorter sweep
// has it.
func TestShortBatchesAreKept(t *testing.T) {
	modeltest.ManyTrials(t)
	dir := t.TempDir()
	cells := []string{"--vary", "ttl=5s,6s,7s,8s"}
	sweep := func(trials string, more ...string) (int, string) {
		return sweepInto(dir, slices.Concat(cells, []string{"--trials", trials}, more)...)
	}
	if code, printed := sweep("300"); code != ExitExpected {
		t.Fatalf("exit %d\n%s", code, printed)
	}
	finished := journalOf(t, dir)
	begun(t, dir, 1, slices.Concat(cells, []string{"--trials", "400", "--resume"})...)
	begun(t, dir, 0, slices.Concat(cells, []string{"--trials", "900", "--resume"})...)
	lines := strings.Split(finished, "\n")
	for _, line := range lines[2:] {
		if !strings.Contains(journalOf(t, dir), line) {
			t.Fatalf("a finished batch is lost: %.60s", line)
		}
	}
	if code, printed := sweep("900"); code != ExitUsage || !strings.Contains(printed, "of a sweep that was not finished: go on from them with --resume") {
		t.Errorf("exit %d, %q", code, printed)
	}
	if code, printed := sweep("300", "--resume"); code != ExitUsage || !strings.Contains(printed, "would be lost") {
		t.Errorf("exit %d, %q; one batch has 400 trials", code, printed)
	}
	if code, printed := sweep("900", "--resume"); code != ExitExpected {
		t.Fatalf("exit %d\n%s", code, printed)
	}
	went := journalOf(t, dir)
	dir = t.TempDir()
	if code, printed := sweep("900"); code != ExitExpected || journalOf(t, dir) != went {
		t.Errorf("exit %d, and another file than without what was before\n%s", code, printed)
	}
}

// TestUnfinishedStopIsKept: a sweep whose cells may stop is not begun again over one that has not stopped,
// and may be over one that has.
func TestUnfinishedStopIsKept(t *testing.T) {
	modeltest.ManyTrials(t)
	dir := t.TempDir()
	stop := []string{"--trials", "100000", "--until-budget", "0.001"}
	begun(t, dir, 3, stop...)
	code, printed := sweepInto(dir, stop...)
	if want := "has 3 of 200 batches of a sweep that was not finished: go on from them with --resume"; code != ExitUsage || !strings.Contains(printed, want) {
		t.Errorf("exit %d, %q; want %q", code, printed, want)
	}
	for _, resume := range [][]string{{"--resume"}, nil} {
		if code, printed := sweepInto(dir, append(resume, stop...)...); code != ExitExpected {
			t.Errorf("%v: exit %d\n%s", resume, code, printed)
		}
	}
}

// TestUnreadableJournalStays: whatever is wrong with a header, no file that has a whole line is replaced,
// with --resume or without.
func TestUnreadableJournalStays(t *testing.T) {
	dir := t.TempDir()
	begun(t, dir, 3, "--trials", "5000")
	path, whole := filepath.Join(dir, "sweep.batches"), journalOf(t, dir)
	head, batches, _ := strings.Cut(whole, "\n")
	changed := func(old, new string) string { return withCRC(strings.Replace(head[9:], old, new, 1)) + batches }
	for name, c := range map[string]struct{ content, says string }{
		"one bit flipped":       {strings.Replace(whole, "kleppmann", "kleppmaon", 1), "it is no journal of a sweep, or its header is not whole"},
		"a form of the future":  {changed(`"schema":"fencepost/batches/v1","fencepost":"`, `"schema":"fencepost/batches/v2","more":1,"fencepost":"9.`), "it was written by fencepost 9.0.1.0 in the form fencepost/batches/v2, and this program reads fencepost/batches/v1"},
		"a field of the future": {changed(`"schema"`, `"more":1,"schema"`), `it was written by fencepost 0.1.0, and its line 1 has something that is not known here (unknown field "more")`},
		"no batch size":         {changed(`"batch_trials":500`, `"batch_trials":0`), "its line 1 says what no sweep is: batch_trials 0"},
		"another thing":         {"The notes of a user.\nThey are long.\n", "it is no journal of a sweep"},
	} {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile(path, []byte(c.content), 0o644); err != nil {
				t.Fatal(err)
			}
			for _, options := range [][]string{{"--trials", "5000", "--resume"}, {"--trials", "5000"}} {
				code, printed := sweepInto(dir, options...)
				if code != ExitUsage || !strings.Contains(printed, c.says) || !strings.Contains(printed, "the file stays as it is: name another --out") {
					t.Errorf("%v: exit %d, %q; want %q", options, code, printed, c.says)
				}
				if journalOf(t, dir) != c.content {
					t.Fatalf("%v: the file was changed", options)
				}
			}
		})
	}
	// What was ended before it had begun is begun again.
	if err := os.WriteFile(path, []byte(whole[:20]), 0o644); err != nil {
		t.Fatal(err)
	}
	if code, printed := sweepInto(dir, "--trials", "600", "--resume"); code != ExitExpected {
		t.Errorf("exit %d\n%s", code, printed)
	}
}

// withCRC is the line of an object.
func withCRC(object string) string {
	return fmt.Sprintf("%08x %s\n", crc32.Checksum([]byte(object), crc32.MakeTable(crc32.Castagnoli)), object)
}

// TestJournalsBehindEachOther: files that were put together with cat are a journal, too.
func TestJournalsBehindEachOther(t *testing.T) {
	dir := t.TempDir()
	all, one := filepath.Join(dir, "all"), filepath.Join(dir, "one")
	if err := os.Mkdir(all, 0o755); err != nil {
		t.Fatal(err)
	}
	content := ""
	for i := 1; i <= 2; i++ {
		part := filepath.Join(dir, fmt.Sprint(i))
		if code, printed := sweepInto(part, "--trials", "1300", "--shard", fmt.Sprintf("%d/2", i)); code != ExitExpected {
			t.Fatalf("exit %d\n%s", code, printed)
		}
		content += journalOf(t, part)
	}
	if err := os.WriteFile(filepath.Join(all, "sweep.batches"), []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	for dir, options := range map[string][]string{all: {"--trials", "1300", "--resume"}, one: {"--trials", "1300"}} {
		if code, printed := sweepInto(dir, options...); code != ExitExpected {
			t.Fatalf("exit %d\n%s", code, printed)
		}
	}
	if journalOf(t, all) != journalOf(t, one) {
		t.Error("it comes to another file than of one machine")
	}
}

// TestImplausibleBatches: what no trials can have come to is refused, with where it stands, though its
// checksum is right.
func TestImplausibleBatches(t *testing.T) {
	dir := t.TempDir()
	begun(t, dir, 2, "--trials", "5000")
	whole := journalOf(t, dir)
	lines := strings.SplitAfter(whole, "\n")
	for change, says := range map[string]string{
		`"counts":[{"trials":500,"violations":0` + "→" + `"counts":[{"trials":500,"violations":9999`: "grants: 9999 violations and 0 unknown in 500 trials",
		`"counts":[{"trials":500,"violations":0` + "→" + `"counts":[{"trials":500,"violations":-5`:   "grants: -5 violations and 0 unknown in 500 trials",
		`"counts":[{"trials":500` + "→" + `"counts":[{"trials":501`:                                  "grants: 501 trials of 500",
		`"counts":[{"trials":500,"violations":0` + "→" + `"counts":[{"trials":500,"violations":9`:    "grants: 0 seeds for 9 violations",
		`"acquisitions":1000` + "→" + `"acquisitions":-1`:                                            "acquisitions is -1",
		`"violated":""` + "→" + `"violated":"7000"`:                                                  "1 seeds for 0 violations",
		`"lock":"local"` + "→" + `"lock":"redis"`:                                                    "what is covered is of redis, not of local",
		`"cell":0` + "→" + `"cell":7`:                                                                "there is no batch 0 of cell 7",
	} {
		old, new, _ := strings.Cut(change, "→")
		if !strings.Contains(lines[1], old) {
			t.Fatalf("the batch has no %s: %s", old, lines[1])
		}
		content := lines[0] + withCRC(strings.Replace(strings.TrimSuffix(lines[1][9:], "\n"), old, new, 1)) + lines[2]
		if err := os.WriteFile(filepath.Join(dir, "sweep.batches"), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		code, printed := sweepInto(dir, "--trials", "5000", "--resume")
		if code != ExitUsage || !strings.Contains(printed, says) || !strings.Contains(printed, "the file was changed: name another --out, or remove the line") {
			t.Errorf("%s: exit %d, %q; want %q", change, code, printed, says)
		}
	}
}

// TestFolderIsOfOne: a directory that a sweep writes to is no other's until that has ended.
func TestFolderIsOfOne(t *testing.T) {
	probe, err := lockFolder(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer probe.unlock()
	if err := lock(probe.file); err != nil {
		t.Skip("there are no locks here: ", err)
	}
	dir := t.TempDir()
	refused := func() {
		for _, args := range [][]string{{"sweep", "--resume", "--trials", "600", "--shard", "1/2"}, {"sweep", "--trials", "600"}} {
			var out bytes.Buffer
			code := Run(context.Background(), append(append(args, oneCell...), "--out", dir), Streams{&out, &out})
			if want := "another fencepost is at work in " + dir + ": wait until it has ended, or name another --out"; code != ExitUsage || !strings.Contains(out.String(), want) {
				t.Errorf("%v: exit %d, %q; want %q", args, code, out.String(), want)
			}
		}
	}
	e := elsewhere(func(ctx context.Context, work *Work, take func([]byte) error) error {
		refused()
		lines, err := linesOf(ctx, work, 1)
		for _, line := range lines {
			if err == nil {
				err = take(line)
			}
		}
		return err
	})
	var out bytes.Buffer
	if code := e.Run(context.Background(), append([]string{"--out", dir, "--trials", "600"}, oneCell...), Streams{&out, &out}); code != ExitExpected {
		t.Fatalf("exit %d\n%s", code, out.String())
	}
	if code, printed := sweepInto(dir, "--trials", "600", "--resume"); code != ExitExpected {
		t.Errorf("after it has ended: exit %d\n%s", code, printed)
	}
}

// TestFolderThatGoesAway: a sweep stops at the next batch when nobody would find it, and shows the
// cells that were finished.
func TestFolderThatGoesAway(t *testing.T) {
	modeltest.ManyTrials(t)
	for name, change := range map[string]func(dir string) error{
		"removed":  os.RemoveAll,
		"renamed":  func(dir string) error { return os.Rename(dir, dir+"-moved") },
		"emptied":  func(dir string) error { return os.Truncate(filepath.Join(dir, "sweep.batches"), 0) },
		"replaced": func(dir string) error { return replaceWithCopy(filepath.Join(dir, "sweep.batches")) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "out")
			taken := 0
			e := elsewhere(func(ctx context.Context, work *Work, take func([]byte) error) error {
				lines, err := linesOf(ctx, work, 1)
				for _, line := range lines {
					if taken == 2 && err == nil {
						err = change(dir)
					}
					if err != nil {
						return err
					}
					taken++
					err = take(line)
				}
				return err
			})
			var out bytes.Buffer
			code := e.Run(context.Background(), append([]string{"--out", dir, "--trials", "1000", "--vary", "ttl=5s,6s"}, oneCell...), Streams{&out, &out})
			if want := filepath.Join(dir, "sweep.batches") + ": it was removed, replaced or changed meanwhile; the sweep was stopped"; code != ExitUsage || taken != 3 || !strings.Contains(out.String(), want) {
				t.Errorf("exit %d after %d batches, %q; want %q", code, taken, out.String(), want)
			}
			if !strings.Contains(out.String(), "of 1000 trials (95 %)") {
				t.Errorf("the cell that was finished is not shown: %s", out.String())
			}
		})
	}
}

// replaceWithCopy puts a file with the same content into the place of another.
func replaceWithCopy(path string) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := os.WriteFile(path+".copy", content, 0o644); err != nil {
		return err
	}
	return os.Rename(path+".copy", path)
}

// TestOutIsChecked: that nothing can be written is told before anything is run, and nothing is made.
func TestOutIsChecked(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	cases := map[string]string{
		"":                             "",
		dir:                            "",
		filepath.Join(dir, "a", "b"):   "",
		file:                           "is a file; name a directory, which need not exist",
		filepath.Join(file, "x", "y"):  file + " is a file",
		filepath.Join(dir, "a", "..*"): "",
	}
	if _, err := os.Stat("/proc/self"); err == nil {
		cases["/proc/x"] = "--out /proc/x: nothing can be written there: "
	}
	for out, says := range cases {
		if err := outIsDirectory(out); (err == nil) != (says == "") || err != nil && !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", out, err, says)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("left are %v, %v", entries, err)
	}
}

// TestMadeDirectories: what is missing above a directory is made, too.
func TestMadeDirectories(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b", "c")
	for range 2 {
		if err := makeDirectory(dir); err != nil {
			t.Fatal(err)
		}
	}
	if err := syncDirectory(filepath.Join(dir, "none")); err == nil {
		t.Error("a directory that is not there was brought to the disk")
	}
}
