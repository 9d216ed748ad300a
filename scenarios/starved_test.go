package scenarios

import (
	"fmt"
	"testing"

	"fencepost/checker"
	"fencepost/models"
	"fencepost/models/resource"
)

// crowd is three clients who ask again at once. Clients of redis poll, so that whoever has
// just released may well get in again; those of etcd queue.
const crowd = `name: crowd
lock: {ttl: 10s}
clients:
  - {cycles: 30, between: 300ms}
  - {cycles: 30, between: 300ms}
  - {cycles: 30, between: 300ms}
%s
expect:
  - {progress: %s, tokens: %s}
`

// Who is passed over is starved if the scenario says how often is too often, and only then.
func TestStarvedAfter(t *testing.T) {
	for _, c := range []struct {
		lock, setting    string
		progress, tokens checker.Status
	}{
		{"redis", "", checker.OK, checker.NotApplicable},
		{"redis", "progress: {starved-after: 2}", checker.Violated, checker.NotApplicable},
		{"redis", "progress: {starved-after: 1000}", checker.OK, checker.NotApplicable},
		{"etcd", "progress: {starved-after: 2}", checker.OK, checker.OK},
	} {
		s, err := Parse("crowd.yaml", fmt.Appendf(nil, crowd, c.setting, c.progress, c.tokens))
		if err != nil {
			t.Fatal(err)
		}
		in, err := s.Instantiate(registry(t), nil)
		if err != nil {
			t.Fatal(err)
		}
		lock, _ := registry(t).Find(c.lock)
		plans, err := in.Plans([]models.Lock{lock}, resource.Guards[:1])
		if err != nil {
			t.Fatal(err)
		}
		trial := NewTrial(plans[0])
		r, err := trial.RunSafely(1)
		if err != nil || !r.AsExpected() {
			t.Errorf("%s, %q: %v, %s", c.lock, c.setting, err, r.Differs)
		}
		if kind := trial.Checker.Kinds()[checker.Progress]; c.progress == checker.Violated && kind != "starved" {
			t.Errorf("%s, %q: %s", c.lock, c.setting, kind)
		}
		trial.Close()
	}
}
