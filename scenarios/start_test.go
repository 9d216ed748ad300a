package scenarios

import (
	"testing"

	"fencepost/models/resource"
)

// TestStart: the scenario to start from has no mistake, says what it expects, and comes out so.
func TestStart(t *testing.T) {
	r := registry(t)
	for _, m := range Validate(r, "start.yaml", []byte(Start("outage"))) {
		t.Error(m)
	}
	s, err := Parse("start.yaml", []byte(Start("outage")))
	if err != nil {
		t.Fatal(err)
	}
	in, err := s.Instantiate(r, nil)
	if err != nil {
		t.Fatal(err)
	}
	plans, err := in.Plans(r.Locks(), resource.Guards)
	if err != nil {
		t.Fatal(err)
	}
	var runnable []*Plan
	expecting := 0
	for _, p := range plans {
		if p.NotApplicable == "" {
			runnable = append(runnable, p)
			expecting += min(1, len(p.Expect.Status))
		}
	}
	if s.Name != "outage" || expecting < 3 {
		t.Errorf("scenario %s expects something of %d plans", s.Name, expecting)
	}
	for i, got := range digests(t, runnable, 3) {
		if !got.AsExpected() {
			t.Errorf("%s seed %d: %s", runnable[i/3].Name(), got.Seed, got.Differs)
		}
	}
}

// A name that no scenario can have is not taken.
func TestNameOfStart(t *testing.T) {
	s, err := Parse("start.yaml", []byte(Start("My Outage")))
	if err != nil || s.Name != nameOfStart {
		t.Errorf("%v, %v", s, err)
	}
}
