package scenarios

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"fencepost/models/modeltest"
)

var ofSweeps = []string{"vary", "set", "lock", "guard", "trials"}

func sweepFile(t *testing.T, content string) (*SweepFile, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.yaml")
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return ReadSweepFile(path, ofSweeps)
}

// TestSweepFile: settings are read as on a command line, whatever byte order mark the file has.
func TestSweepFile(t *testing.T) {
	f, err := sweepFile(t, "\ufeffsweep: kleppmann\nvary: {ttl: [5s, 10s], fault.pause: 1s..3s/3}\nlock: [redis, etcd]\n")
	if err != nil || f == nil || f.Scenario != "kleppmann" {
		t.Fatalf("%+v, %v", f, err)
	}
	got := ""
	for _, s := range f.Settings {
		got += " --" + s.Name + " " + s.Value
	}
	if want := " --vary ttl=5s,10s --vary fault.pause=1s..3s/3 --lock redis,etcd"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if f, err := sweepFile(t, minimal); f != nil || err != nil {
		t.Errorf("a scenario: %+v, %v", f, err)
	}
}

// TestFilesHaveABound: no file, however it is made, takes more than seconds, or a gigabyte in all.
func TestFilesHaveABound(t *testing.T) {
	modeltest.ManyTrials(t)
	long := func(head, unit string) string { return head + strings.Repeat(unit, (maxFile-100)/len(unit)) }
	for name, c := range map[string]struct{ content, says string }{
		"brackets":            {"sweep: kleppmann\nvary: " + strings.Repeat("[", 20_000), "more than 500 brackets are open here"},
		"brackets in quotes":  {long("sweep: kleppmann\nvary: ", "[\"]\","), "these are more than 10000 brackets"},
		"lists in lists":      {"sweep: kleppmann\nvary:\n  " + strings.Repeat("- ", 50_000), "these are more than 500 lists or keys inside each other"},
		"keys":                {"sweep: kleppmann\nvary:\n" + strings.Repeat("  a: 1s\n", 100_000), "these are more than 10000 lines"},
		"lines of old Macs":   {long("sweep: kleppmann\rvary:\r", "  a: 1s\r"), "these are more than 10000 lines"},
		"values":              {"sweep: kleppmann\nvary: {ttl: [" + strings.Repeat("1s,", 300_000) + "]}", ""},
		"commas":              {long("sweep: kleppmann\nlock: [", ","), "a.yaml:2:"},
		"keys in keys":        {long("sweep: kleppmann\nvary: ", "a: "), "a.yaml:2:"},
		"anchors":             {long("sweep: kleppmann\nvary: ", "&a "), "a.yaml:"},
		"a line that is long": {long("sweep: kleppmann #", "c"), ""},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		begin := time.Now()
		_, err := sweepFile(t, c.content)
		took := time.Since(begin)
		runtime.ReadMemStats(&after)
		if c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%s: %.200v; want %q", name, err, c.says)
		}
		if n := (after.TotalAlloc - before.TotalAlloc) >> 20; n > 1000 || took > time.Minute {
			t.Errorf("%s: %d MB and %v", name, n, took)
		}
	}
	if f, err := sweepFile(t, strings.Repeat("#", maxFile+1)); f != nil || err != nil {
		t.Errorf("a file that is too large: %v, %v; it is missed where scenarios are read", f, err)
	}
}

// TestValuesThatAreTheSame: an axis has each value once, in whatever words.
func TestValuesThatAreTheSame(t *testing.T) {
	for text, says := range map[string]string{
		"a=5s,5000ms":                          `the values "5s" and "5000ms" are the same`,
		"a=1m,60s":                             "are the same",
		"a=1,1.0":                              "are the same",
		"a=uniform(1s, 2s),uniform(1000ms,2s)": "are the same",
		"a=5s,5s":                              `the value "5s" is given twice`,
		"a=5s,":                                `the value "" is empty`,
		"a=5s,6s":                              "",
		"a=redis,etcd":                         "",
		"a=1,1s":                               "",
		"a=1s..3s/3,5s":                        "a range and other values cannot be mixed",
		"a=5s,1s..3s/3":                        "a range and other values cannot be mixed",
		"a=" + strings.Repeat("x,", 10_001) + "y": "these are 10002 values: at most 10000",
	} {
		if _, err := ParseAxis(text); (err == nil) != (says == "") || err != nil && !strings.Contains(err.Error(), says) {
			t.Errorf("%.60s: %.300v, want %q", text, err, says)
		}
	}
}

// TestBlame: of several values that were given, the one is named that the scenario cannot be run with, and of
// a scenario that is wrong by itself none.
func TestBlame(t *testing.T) {
	values := map[string]string{"ttl": "x"}
	err := check(t, minimal, "", values)
	if want := `ttl=x: ttl: "x" is not a duration: write a number and a unit, such as 250ms, 10s or 1m30s (ttl is used at mine.yaml:6:8)`; err == nil || err.Error() != want {
		t.Errorf("%v, want %q", err, want)
	}
	broken := strings.Replace(minimal, "between: 50ms", "between: 50", 1)
	if err := check(t, broken, "", map[string]string{"ttl": "5s"}); err == nil || !strings.HasPrefix(err.Error(), "mine.yaml:") {
		t.Errorf("%v", err)
	}
	if err := check(t, minimal, "", map[string]string{"ttl": "5s", "nope": "1"}); err == nil || !strings.HasPrefix(err.Error(), `nope=1: "nope" is not a parameter`) {
		t.Errorf("%v", err)
	}
}
