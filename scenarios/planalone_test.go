package scenarios

import (
	"strings"
	"testing"

	"fencepost/models/resource"
)

// TestPlanAlone: a fault that a lock cannot have makes it n/a, where the lock is alone and among
// others; it has no server that could stand at both ends of a link either.
func TestPlanAlone(t *testing.T) {
	in := instanceOf(t, "assume/leader-isolated")
	for lock, reason := range map[string]string{"local": "local has no server", "redis": "redis has no leader", "etcd": ""} {
		l, _ := registry(t).Find(lock)
		p, err := in.PlanAlone(l, resource.Guards[0])
		if err != nil || p.NotApplicable != reason {
			t.Errorf("%s: %v, %q", lock, err, p.NotApplicable)
		}
	}
	if _, err := in.Plans(registry(t).Locks(), resource.Guards[:1]); err != nil {
		t.Error(err)
	}
	l, _ := registry(t).Find("local")
	if _, err := instanceOf(t, "assume/cut-off").PlanAlone(l, resource.Guards[0]); err != nil {
		t.Error(err)
	}
}

// TestProbesAreNotListed: a probe is found by its name alone.
func TestProbesAreNotListed(t *testing.T) {
	for _, name := range LibraryNames() {
		if strings.HasPrefix(name, "assume") {
			t.Errorf("%s is listed", name)
		}
	}
	if s, err := Load("assume/pause"); err != nil || !s.Library || s.Path() != "assume/pause" {
		t.Error(err)
	}
}
