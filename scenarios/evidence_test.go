package scenarios

import (
	"strings"
	"testing"

	"fencepost/models"
	"fencepost/models/resource"
)

// shows runs the minimal scenario once, with an expectation, and says in what it differs. Client
// 1 has a lease of 10 s and stops for 15 s; client 2 is let in meanwhile and works for a second.
func shows(t *testing.T, lock, guard, expect string) (string, error) {
	t.Helper()
	content := strings.Replace(minimal, "start: 1s", "{start: 1s, between: 1s}", 1) + "expect:\n  - " + expect + "\n" +
		"for: {zookeeper: {lock: {token: sequence}}}\n"
	s, err := Parse("mine.yaml", []byte(content))
	if err != nil {
		return "", err
	}
	r := registry(t)
	in, err := s.Instantiate(r, nil)
	if err != nil {
		return "", err
	}
	l, _ := r.Find(lock)
	g, _ := resource.FindGuard(guard)
	plans, err := in.Plans([]models.Lock{l}, []resource.Guard{g})
	if err != nil {
		return "", err
	}
	return digests(t, plans, 1)[0].Differs, nil
}

// Each demand is met, or the run is not as expected and says why.
func TestEvidence(t *testing.T) {
	for _, c := range []struct{ lock, guard, evidence, differs string }{
		{"redis", "none", "{exclusion: {kind: overlap, lasts: at least 900ms, clients: 1 then 2}}", ""},
		{"redis", "none", "{exclusion: {lasts: 900ms to 1100ms}, resource: {kind: lost-update}}", ""},
		{"redis", "none", "{exclusion: {lasts: at most 900ms}}", "exclusion: the first violation lasts 1.00"},
		{"redis", "none", "{exclusion: {lasts: at least 5s}}", ", expected at least 5s"},
		{"redis", "none", "{exclusion: {clients: 2 then 1}}", "exclusion: the first violation is of clients 1 then 2, expected 2 then 1"},
		{"redis", "none", "{exclusion: {tokens: none}}", ""},
		{"redis", "none", "{exclusion: {tokens: rising}}", "exclusion: the first violation has tokens 0 then 0, expected rising"},
		{"redis", "none", "{resource: {kind: stale-order}}", "resource: the first violation is lost-update, expected stale-order"},
		{"redis", "none", "{progress: {kind: stuck}}", "progress is ok, expected violated"},
		{"redis", "none", "{rejected: 0}", ""},
		{"redis", "none", "{rejected: 1}", "the guard rejected 0 requests, expected 1"},
		{"redis", "none", "{stopped: 0}", ""},
		{"redis", "none", "{stopped: 1}", "0 sections ended early, since their clients took the lock for lost, expected 1"},
		// Client 2 asks at 1 s, and the lease ends at 10 s.
		{"redis", "none", "{waited: 9s to 9500ms}", ""},
		{"redis", "none", "{waited: at least 10s}", "the longest wait for the lock lasts 9."},
		{"redis", "none", "{waited: at most 8s, stopped: 0}", ", expected at most 8s"},
		{"etcd", "none", "{exclusion: {tokens: rising}}", ""},
		{"etcd", "none", "{exclusion: {tokens: equal}}", "expected equal"},
		{"etcd", "none", "{exclusion: {tokens: 33 then 34}}", "expected 33 then 34"},
		{"etcd", "fence-writes", "{rejected: 1}", ""},
		// The token is the suffix of the node's name, which counts from 0, and 1.
		{"zookeeper", "none", "{exclusion: {tokens: 1 then 2}}", ""},
	} {
		got, err := shows(t, c.lock, c.guard, "evidence: "+c.evidence)
		if err != nil || (c.differs == "") != (got == "") || !strings.Contains(got, c.differs) {
			t.Errorf("%s/%s %s: %q, want %q (%v)", c.lock, c.guard, c.evidence, got, c.differs, err)
		}
	}
}

// A later entry takes back what an earlier one asked for, and adds to it.
func TestEvidenceOfLaterEntries(t *testing.T) {
	for _, c := range []struct{ guard, later, differs string }{
		{"fence-writes", "{guards: [fence-writes], resource: ok}", ""},
		{"none", "{guards: [fence-writes], resource: ok}", "expected stale-order"},
		{"none", "{evidence: {resource: {kind: lost-update}}}", ""},
	} {
		got, err := shows(t, "etcd", c.guard, "evidence: {resource: {kind: stale-order, clients: 2 then 1}}\n  - "+c.later)
		if err != nil || (c.differs == "") != (got == "") || !strings.Contains(got, c.differs) {
			t.Errorf("%s: %q, want %q (%v)", c.later, got, c.differs, err)
		}
	}
}

func TestMistakesInEvidence(t *testing.T) {
	for _, c := range []struct{ entry, want string }{
		{"evidence: {exclusion: {lasts: 5s}}", `mine.yaml:14:35: "5s" is not a span: write at least 5s`},
		{"evidence: {exclusion: {lasts: at least soon}}", `mine.yaml:14:35: "at least soon" is not a span`},
		{"evidence: {exclusion: {lasts: 6s to 4s}}", "mine.yaml:14:35: no time is within"},
		{"evidence: {exclusion: {kind: stuck}}", `mine.yaml:14:34: "stuck" is not known here; accepted: overlap`},
		{"evidence: {exclusion: {clients: both}}", `mine.yaml:14:37: "both" is not a number or two`},
		{"evidence: {exclusion: {tokens: rise}}", "or one of: rising, equal, falling, none"},
		{"evidence: {tokens: {lasts: at least 1s}}", "mine.yaml:14:32: `lasts:` says nothing here"},
		{"{exclusion: ok, evidence: {exclusion: {lasts: at least 1s}}}", "mine.yaml:14:17: `evidence:` asks for a violation of exclusion"},
		{"{kind: lost-update, evidence: {resource: {kind: lost-update}}}", "mine.yaml:14:12: the kind of harm is asked for twice"},
		{"evidence: {stopped: some}", `mine.yaml:14:25: "some" is not a whole number`},
		{"evidence: {waited: 5s}", `mine.yaml:14:24: "5s" is not a span`},
		{"evidence: {rejected: some}", `mine.yaml:14:26: "some" is not a whole number`},
		{"evidence: {overlap: 3s}", `mine.yaml:14:16: unknown field "overlap"; accepted: grants, exclusion`},
	} {
		if _, err := shows(t, "redis", "none", c.entry); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.entry, err, c.want)
		}
	}
}
