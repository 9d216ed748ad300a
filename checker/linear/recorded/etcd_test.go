package recorded

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"fencepost/checker/external"
	"fencepost/checker/linear/spec"
	"fencepost/models/modeltest"
)

var (
	verdictLine = regexp.MustCompile(`checkJepsen\(t, (\d+), (true|false)\)`)
	logLine     = regexp.MustCompile(`^INFO\s+jepsen\.util\s+-\s+(\d+)\s+:(\w+)\s+:(\w+)\s+(\S.*?)\s*$`)
)

// TestEtcdHistories judges what Jepsen recorded of a real etcd in 2014. porcupine has the
// histories, and says in its own tests which of them are linearizable.
func TestEtcdHistories(t *testing.T) {
	if modeltest.Raced {
		t.Skip("a search of many steps, and nothing that could race")
	}
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/anishathalye/porcupine").Output()
	if err != nil {
		t.Fatal(err)
	}
	porcupine := strings.TrimSpace(string(dir))
	source, err := os.ReadFile(filepath.Join(porcupine, "porcupine_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[spec.Answer]int{}
	for _, m := range verdictLine.FindAllStringSubmatch(string(source), -1) {
		var n int
		fmt.Sscan(m[1], &n)
		log, err := os.ReadFile(filepath.Join(porcupine, "test_data", "jepsen", fmt.Sprintf("etcd_%03d.log", n)))
		if err != nil {
			t.Fatal(err)
		}
		h, err := external.Read("etcd", asEDN(string(log)), external.Options{Format: external.Jepsen})
		if err != nil {
			t.Fatal(err)
		}
		// A compare-and-set that failed was compared with another value there.
		r, err := Judge(h, Options{Model: "register", Failures: Answers, MaxSteps: 10_000_000})
		if err != nil {
			t.Fatal(err)
		}
		want := spec.NotLinearizable
		if m[2] == "true" {
			want = spec.Linearizable
		}
		if r.Verdict != want {
			t.Errorf("history %d is %v, want %v", n, r.Verdict, want)
		}
		seen[r.Verdict]++
	}
	if seen[spec.Linearizable] < 20 || seen[spec.NotLinearizable] < 20 {
		t.Errorf("the histories are of one kind: %v", seen)
	}
}

// asEDN writes Jepsen's old log in its newer form.
func asEDN(log string) string {
	var b strings.Builder
	for line := range strings.Lines(log) {
		if m := logLine.FindStringSubmatch(line); m != nil {
			fmt.Fprintf(&b, "{:process %s, :type :%s, :f :%s, :value %s}\n", m[1], m[2], m[3], m[4])
		}
	}
	return b.String()
}
