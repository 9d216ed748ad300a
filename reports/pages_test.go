package reports

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"

	"fencepost/checker"
	"fencepost/scenarios"
)

// A page is written of each history that is not linearizable, and of no other, and it is
// about that history.
func TestPages(t *testing.T) {
	plan := failover(t)
	trial := scenarios.NewTrial(plan)
	defer trial.Close()
	result, err := trial.RunSafely(1)
	if err != nil {
		t.Fatal(err)
	}
	run := NewRun(trial, result)
	for _, c := range []struct {
		lock, resource checker.Status
		want           []string
	}{
		{run.Linearizable.Lock, run.Linearizable.Resource, []string{"lock-redis-replica-none.html", "resource-redis-replica-none.html"}},
		{checker.Violated, checker.OK, []string{"lock-redis-replica-none.html"}},
		{checker.Unknown, checker.Violated, []string{"resource-redis-replica-none.html"}},
		{checker.NotApplicable, checker.NotApplicable, nil},
	} {
		r := run
		r.Linearizable = Linearizable{c.lock, c.resource}
		files := Pages(plan, &r)
		if got := slices.Sorted(maps.Keys(files)); !slices.Equal(got, c.want) {
			t.Errorf("%s, %s: %q, want %q", c.lock, c.resource, got, c.want)
		}
		for name, write := range files {
			var b bytes.Buffer
			if err := write(&b); err != nil {
				t.Fatal(err)
			}
			if isLock := strings.Contains(b.String(), "acquire"); isLock != strings.HasPrefix(name, "lock-") {
				t.Errorf("%s is of another history", name)
			}
		}
	}
}

// A report links to the pages that are beside it.
func TestPageLinks(t *testing.T) {
	r := &Run{Lock: "redis", Guard: "none"}
	for _, c := range []struct {
		beside string
		want   []string
	}{
		{"lock-redis-none.html resource-redis-none.html lock-etcd-none.html", []string{"[lock](lock-redis-none.html)", "[resource](resource-redis-none.html)"}},
		{"lock.html tokens.html resource.html", []string{"[lock](lock.html)", "[tokens](tokens.html)", "[resource](resource.html)"}},
		{"lock-redis-fence-writes.html", nil},
	} {
		beside := map[string]bool{}
		for _, name := range strings.Fields(c.beside) {
			beside[name] = true
		}
		if got := pageLinks(r, beside); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.beside, got, c.want)
		}
	}
}
