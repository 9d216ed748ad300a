package scenarios

import (
	"cmp"
	"strings"
	"testing"

	"fencepost/models"
	"fencepost/models/modeltest"
	"fencepost/models/resource"
	"fencepost/sim/history"
)

// aClient is a scenario to which something is added.
const aClient = "name: a\nclients: [{}]\n"

// planOf returns the plan of a scenario under a lock and a guard.
func planOf(t *testing.T, s *Scenario, lock, guard string) (*Plan, error) {
	t.Helper()
	in, err := s.Instantiate(registry(t), nil)
	if err != nil {
		return nil, err
	}
	l, _ := registry(t).Find(lock)
	g, ok := resource.FindGuard(guard)
	if !ok {
		t.Fatalf("no guard %s", guard)
	}
	plans, err := in.Plans([]models.Lock{l}, []resource.Guard{g})
	if err != nil {
		return nil, err
	}
	return plans[0], nil
}

// What a scenario says of the resource, and what it is like if the scenario says nothing.
func TestResourceSettings(t *testing.T) {
	for text, want := range map[string]resource.Settings{
		"": {},
		"resource: {apply: 2s, check: request}\n":                                       {CheckAtRequest: true},
		"resource: {apply: 2s, check: effect}\n":                                        {},
		"resource: {token: forgotten, idempotency: no}\n":                               {ForgetsToken: true, ServesCopies: true},
		"resource: {token: durable, idempotency: \"yes\"}\n":                            {},
		"resource: {kind: counter, objects: 3}\n":                                       {Kind: resource.Counter, Objects: 3},
		"resource: {kind: object}\n":                                                    {Kind: resource.Object, ContentETag: true},
		"resource: {kind: object, etag: version, states: 3}\n":                          {Kind: resource.Object, States: 3},
		"resource: {kind: effect}\n":                                                    {Kind: resource.Effect},
		"resource: {kind: effect, order: record-first, job-key: true, guarded: true}\n": {Kind: resource.Effect, RecordsFirst: true, JobKey: true, GuardsEffect: true},
	} {
		s, err := Parse("a.yaml", []byte(aClient+text))
		if err != nil {
			t.Fatal(err)
		}
		p, err := planOf(t, s, "local", "none")
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		got := p.Instance.Resource()
		if got.TakesTime() != strings.Contains(text, "apply") {
			t.Errorf("%q: takes time: %t", text, got.TakesTime())
		}
		if text != "" {
			want.Kind, want.Objects = cmp.Or(want.Kind, resource.Register), max(want.Objects, 1)
		}
		if got.Apply, got.Lasts = want.Apply, want.Lasts; got != want {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	}
}

func TestMistakesInResource(t *testing.T) {
	for text, want := range map[string]string{
		"resource: {check: arrival, apply: 1s}": "accepted: effect, request",
		"resource: {check: request}":            "give `apply:` too",
		"resource: {token: lost}":               "accepted: durable, forgotten",
		"resource: {idempotency: maybe}":        "accepted: yes, no",
		"resource: {aply: 1s}":                  "accepted: kind, objects, check, apply, token, idempotency",
		"resource: {kind: queue}":               "accepted: register, counter, log, object, references, effect",
		"resource: {objects: 9}":                "out of range: 1 to 8",
		"resource: {kind: log, states: 2}":      "give `kind: object` too",
		"resource: {kind: object, states: 1}":   "2 to 1000000",
		"resource: {etag: version}":             "give `kind: object` too",
		"resource: {kind: object, etag: md5}":   "accepted: content, version",
		"resource: {kind: log, lasts: 1s}":      "give `kind: effect` too",
		"resource: {kind: effect, order: both}": "accepted: effect-first, record-first",
	} {
		s, err := Parse("a.yaml", []byte(aClient+text))
		if err == nil {
			_, err = planOf(t, s, "local", "none")
		}
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "a.yaml:3:") {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// A fault at a step of the mark is one for guards that want a mark, and n/a for the others.
func TestStepsOfTheMark(t *testing.T) {
	s, err := Parse("a.yaml", []byte(aClient+"faults: [{pause: {client: 1, for: 1s}, when: {client: 1, step: mark.reply}}]\n"))
	if err != nil {
		t.Fatal(err)
	}
	if p, err := planOf(t, s, "local", "mark"); err != nil || p.NotApplicable != "" {
		t.Errorf("%+v, %v", p, err)
	}
	if p, err := planOf(t, s, "local", "none"); err != nil || !strings.Contains(p.NotApplicable, "wants no mark") {
		t.Errorf("alone, a guard without marks: %+v, %v", p, err)
	}
	in, err := s.Instantiate(registry(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	l, _ := registry(t).Find("local")
	plans, err := in.Plans([]models.Lock{l}, resource.Guards)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range plans {
		if p.Guard.Protocol.Marks != (p.NotApplicable == "") && !p.Guard.Asks {
			t.Errorf("%s: %q", p.Name(), p.NotApplicable)
		}
	}
}

// outcomes are what became of each client's write.
func outcomes(t *testing.T, p *Plan) map[int]history.Kind {
	t.Helper()
	trial := NewTrial(p)
	defer trial.Close()
	if _, err := trial.Run(1); err != nil {
		t.Fatal(err)
	}
	became := map[int]history.Kind{}
	for _, r := range trial.Recorder.Records {
		if r.Effect == history.WriteEffect && (r.Kind == history.Write || r.Kind == history.Reject) {
			became[r.Executor.Client()+1] = r.Kind
		}
	}
	return became
}

// What the verdict does not say, since these guards promise no order: who wins. Client 2 has the
// lock, and client 1 has had it.
func TestWhoWins(t *testing.T) {
	modeltest.ManyTrials(t)
	const wins, loses = history.Write, history.Reject
	for _, c := range []struct {
		scenario, guard string
		former, holder  history.Kind
	}{
		{"stale-write-in-between", "if-match", wins, loses},
		{"stale-write-in-between", "random-token-cas", loses, wins},
		{"stale-write-in-between/begins-late", "if-match", wins, loses},
		{"stale-write-in-between/begins-late", "random-token-cas", wins, loses},
		{"stale-write-in-between", "mark", loses, wins},
	} {
		s, err := Load(c.scenario)
		if err != nil {
			t.Fatal(err)
		}
		for _, lock := range []string{"redis", "etcd"} {
			p, err := planOf(t, s, lock, c.guard)
			if err != nil {
				t.Fatal(err)
			}
			if p.NotApplicable != "" {
				continue
			}
			if got := outcomes(t, p); got[1] != c.former || got[2] != c.holder {
				t.Errorf("%s: the former holder %v, the holder %v; want %v and %v", p.Name(), got[1], got[2], c.former, c.holder)
			}
		}
	}
}

// Every guard has a scenario in the library that it survives, but for the one that is none, and
// one that it does not.
func TestEveryGuardSurvivesAndFails(t *testing.T) {
	expected := map[string]map[string]bool{} // by guard, status of the resource
	for _, name := range LibraryNames() {
		s, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range s.file.Expect {
			for _, g := range part.Guards {
				if expected[g.raw()] == nil {
					expected[g.raw()] = map[string]bool{}
				}
				expected[g.raw()][part.Resource.raw()] = true
			}
		}
	}
	for _, g := range resource.Guards {
		if survives := expected[g.Name]["ok"]; !survives && g.Name != "none" || !expected[g.Name]["violated"] {
			t.Errorf("%s: the library expects %v of it", g.Name, expected[g.Name])
		}
	}
}

// A run does not end while a write is being applied.
func TestARunWaitsForEffects(t *testing.T) {
	s, err := Parse("a.yaml", []byte("name: a\nresource: {apply: 30s}\nclients: [{request-timeout: 1s}]\n"))
	if err != nil {
		t.Fatal(err)
	}
	p, err := planOf(t, s, "local", "none")
	if err != nil {
		t.Fatal(err)
	}
	if got := outcomes(t, p); got[1] != history.Write {
		t.Errorf("the write of client 1: %v", got[1])
	}
}
