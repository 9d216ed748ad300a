package hazelcast

import (
	"slices"
	"testing"

	"fencepost/models"
	"fencepost/models/modeltest/script"
)

// TestStories runs the stories in testdata. There, lock= names the lock system, so that the
// parameter of that name has to be chosen by another name of the system: hazelcast or imap.
func TestStories(t *testing.T) {
	script.Run(t, told{New(), "hazelcast", fencedLock}, told{New(), "imap", imapLock})
}

type told struct {
	models.Lock
	name string
	kind int64
}

func (l told) Describe() models.Description {
	d := l.Lock.Describe()
	d.Name = l.name
	d.Params = slices.DeleteFunc(slices.Clone(d.Params), func(p models.Param) bool { return p.Name == "lock" })
	return d
}

func (l told) Build(e *models.Env) models.System {
	e.Params["lock"] = l.kind
	return l.Lock.Build(e)
}
