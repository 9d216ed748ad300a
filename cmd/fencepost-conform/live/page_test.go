//go:build linux

package live

import (
	"errors"
	"strings"
	"testing"
	"time"

	"fencepost/checker"
)

// TestPage: it says what agreed, what did not and in what, and what was not played; and the run fails for the second.
func TestPage(t *testing.T) {
	seen := func(exclusion string) (y tally) {
		y.add(outcome{verdicts: map[string]string{checker.Exclusion: exclusion, checker.ResourceName: "ok"},
			instants: map[instant]time.Duration{{2, gotIn}: 2 * time.Second}})
		return y
	}
	violated := seen("violated")
	agrees := &result{play: one(t, "kleppmann redis none"), seen: violated, simulated: &violated}
	differs := &result{play: one(t, "kleppmann redlock none"), seen: seen("ok"), simulated: &violated}
	differs.differs = differs.seen.differs(differs.simulated, early, early)
	missing := &result{play: one(t, "kleppmann zookeeper none"), missing: "java is missing"}
	failed := &result{play: one(t, "kleppmann etcd none"), err: errors.New("a worker has gone")}
	text := table([]*result{agrees, differs, missing, failed})
	for _, want := range []string{
		"| redis | redislock | none | violated | ok | 2.00 to 2.00 s | 2.00 to 2.00 s | 1 of 1 agree |",
		"| ok (simulated violated) | ok |", "**exclusion is ok, simulated violated**",
		"not played: java is missing", "**could not be played: a worker has gone**",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("it does not say %q:\n%s", want, text)
		}
	}
	for i, c := range []struct {
		results []*result
		good    bool
	}{{[]*result{agrees, missing}, true}, {[]*result{agrees, differs}, false}, {[]*result{agrees, failed}, false}, {[]*result{missing}, false}} {
		if err := judge(c.results); (err == nil) != c.good {
			t.Errorf("%d: %v", i, err)
		}
	}
}
