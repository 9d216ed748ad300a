package checker

import (
	"slices"
	"testing"

	"fencepost/checker/monitor"
)

// planted are bugs, and the kinds of violations by which they have to be found.
var planted = []struct {
	bug   string
	store string // fenced, unless it says another
	kinds []string
}{
	{bug: "the service forgets its holder", kinds: []string{"promise-broken"}},
	{bug: "a lock ignores its owner", kinds: []string{"promise-broken", "overlap"}},
	{bug: "an unlock frees a stranger", kinds: []string{"promise-broken", "lost-early", "overlap"}},
	{bug: "a lease ends early", kinds: []string{"promise-broken", "lost-early"}},
	{bug: "the service evicts its holder", kinds: []string{"promise-broken", "lost-early"}},

	{bug: "a client looks at no deadline", kinds: []string{"overlap"}},
	{bug: "a client believes in a lease that has ended", kinds: []string{"overlap", "belief-order"}},
	{bug: "a client releases before it stops", kinds: []string{"overlap"}},

	{bug: "a store compares versions with <=", store: cas, kinds: []string{"lost-update"}},
	{bug: "the store compares nothing", kinds: []string{"lost-update", "stale-order"}},
	{bug: "the guard compares writes alone", kinds: []string{"lost-update", "stale-order"}},
	{bug: "the store forgets its highest token", kinds: []string{"stale-order"}},
	{bug: "the guard lets a token pass that is one too low", kinds: []string{"stale-order"}},
	{bug: "reads raise no token", kinds: []string{"stale-order"}},
	{bug: "a replica is a write behind", kinds: []string{"stale-read"}},
	{bug: "a client caches what it wrote last", store: cas, kinds: []string{"stale-read"}},
	{bug: "a write is seen though it was rejected", kinds: []string{"stale-read"}},
	{bug: "a restart forgets the last write", kinds: []string{"stale-read", "lost-update"}},

	{bug: "a key is compared with those of the wrong process", store: ofJobs, kinds: []string{"doubled-effect"}},
	{bug: "a key is compared with those of the wrong process", store: ofLogs, kinds: []string{"doubled-effect"}},
	{bug: "keys are forgotten", store: ofJobs, kinds: []string{"doubled-effect"}},
	{bug: "keys are forgotten", store: ofLogs, kinds: []string{"doubled-effect"}},
	{bug: "a job begins while another goes on", store: ofJobs, kinds: []string{"doubled-effect"}},
	{bug: "a prune deletes without reading", store: ofReferences, kinds: []string{"dangling"}},
	{bug: "a reference does not bring back what is gone", store: ofReferences, kinds: []string{"dangling"}},
	{bug: "a client remembers of another object what it read", store: ofReferences, kinds: []string{"dangling"}},
	{bug: "the guard compares writes alone", store: ofReferences, kinds: []string{"dangling"}},
	{bug: "the store compares nothing", store: ofReferences, kinds: []string{"dangling", "stale-order"}},
	{bug: "the store compares nothing", store: ofLogs, kinds: []string{"lost-update"}},

	{bug: "a lease never ends", kinds: []string{"stuck"}},
	{bug: "a release is lost, and the lease is endless", kinds: []string{"stuck"}},
	{bug: "a waiter is forgotten", kinds: []string{"stuck"}},
	{bug: "a lease ends late", kinds: []string{"ended-late"}},
	{bug: "a release is handled late", kinds: []string{"ended-late"}},
	{bug: "a session outlives its client", kinds: []string{"ended-late"}},
	{bug: "the last one in the queue is let in first", kinds: []string{"starved"}},
	{bug: "the queue prefers a client", kinds: []string{"starved"}},
	{bug: "the queue has no order, and dislikes a client", kinds: []string{"starved"}},

	{bug: "a token repeats", kinds: []string{"grant-order", "belief-order"}},
	{bug: "the counter is forgotten", kinds: []string{"grant-order", "belief-order"}},
	{bug: "tokens fall", kinds: []string{"grant-order", "belief-order"}},
	{bug: "a library hands out the token before", kinds: []string{"belief-order"}},
}

// plantedSeeds are enough for each of the bugs.
const plantedSeeds = 30

// Each planted bug is found by the kinds that it has to be found by, for some seed. On the
// way porcupine agrees on every run with the monitors, as [Checker.Verdict] demands.
func TestPlantedBugsAreFound(t *testing.T) {
	finders := map[string]int{}
	for _, p := range planted {
		found := map[string]bool{}
		for seed := range uint64(plantedSeeds) {
			x := play(p.bug, p.store, seed)
			x.judge(t)
			for _, kind := range x.found() {
				found[kind] = true
			}
		}
		for _, kind := range p.kinds {
			finders[kind]++
			if !found[kind] {
				t.Errorf("%s: no %s was found, but %v", p.bug, kind, found)
			}
		}
	}
	for _, kind := range []string{"promise-broken", "overlap", "lost-update", "stale-order", "stale-read", "doubled-effect", "dangling", "stuck", "lost-early",
		"ended-late", "starved", "grant-order", "belief-order"} {
		if finders[kind] < 3 {
			t.Errorf("%s has %d planted bugs, want 3", kind, finders[kind])
		}
	}
}

// Without a bug nothing is found, though clients crash, pause and send late writes.
func TestNothingPlantedNothingFound(t *testing.T) {
	for _, store := range []string{fenced, cas, ofJobs, ofReferences, ofLogs} {
		used := 0
		for seed := range uint64(plantedSeeds) {
			x := play("", store, seed)
			v := x.judge(t)
			for _, p := range Properties {
				if v.Of(p) != OK && !(p == LinearResource && x.SkipSections) {
					t.Fatalf("%s, seed %d: %s is %s: %+v", store, seed, p, v.Of(p), x.Evidence(x.r))
				}
			}
			used += len(x.r.Holds)
		}
		if used < 30*plantedSeeds {
			t.Errorf("only %d holds", used)
		}
	}
}

// judge is the verdict about a toy. Several of its objects are searched by porcupine, too, unless they
// are of a kind that has no sections.
func (t *toy) judge(test *testing.T) Verdict {
	test.Helper()
	v, err := t.Verdict(t.r, t.now, t.audit(), "")
	if err != nil {
		test.Fatalf("%s: %v", t.bug, err)
	}
	return v
}

// found returns the kinds of all findings that were kept.
func (x *run) found() (kinds []string) {
	for _, of := range [][]monitor.Finding{x.Grants.Findings(), x.Exclusion.Findings(), x.Resource.Findings(),
		x.Progress.Findings(), x.Tokens.Findings()} {
		for _, f := range of {
			if !slices.Contains(kinds, f.Kind) {
				kinds = append(kinds, f.Kind)
			}
		}
	}
	return kinds
}
