package recorded

import (
	"math"
	"slices"

	"github.com/anishathalye/porcupine"

	"fencepost/checker/external"
	"fencepost/checker/linear/spec"
)

// Failures is what an operation that failed says.
type Failures string

const (
	// Answers: its condition was not met. Somebody held the lock, the caller did not, the
	// value was another.
	Answers Failures = "answers"
	// Nothing: it had no effect, for whatever reason. That is all that Jepsen's :fail means.
	Nothing Failures = "nothing"
)

// Options say what a history is judged by. What is empty or 0 is taken from the header of the
// history, or else has its default.
type Options struct {
	Model    string
	Failures Failures // default Answers, and Nothing for a history of Jepsen
	Limit    int      // how often a holder may hold; no limit by default
	Permits  int      // of a semaphore; has no default
	TTL      int64    // of a lease, in nanoseconds; has no default
	Initial  string   // JSON: a register's first value; null by default
	MaxSteps int      // bound on the steps of the search for each key; 1 000 000 by default
}

// model is what a history may be a history of.
type model struct {
	name, about string
	ops         []operation
	build       func(*Options) porcupine.Model
	record      func(*recording, *prepared, external.Outcome)
	whole       func([]prepared) *wrong // what has to hold of a key's operations together, as they come
	takes       string                  // the parameter that it has, if it has one
	beliefs     bool                    // it asks what was believed: failures say nothing
	state       string                  // words before a state
	fenced      string                  // the model that judges tokens as well, if this one does not
}

// operation is one that a model knows, with the fields that it has to have, those that it
// has to have if it succeeded, and those that it may have.
type operation struct {
	name                   string
	needs, answers, allows []string
	hint                   string // what else to know of an answer that is missing
	prepare                func(*external.Operation) (in, out any, err error)
}

func lockOp(name string, op spec.LockOp) operation {
	return operation{name: name, allows: []string{"token"}, prepare: func(o *external.Operation) (any, any, error) {
		return spec.LockInput{Key: o.Key, Op: op}, spec.OK, nil
	}}
}

// fencedOp is an operation that is answered with a token.
func fencedOp(name string, op spec.LockOp) operation {
	return operation{name: name, answers: []string{"token"}, prepare: func(o *external.Operation) (any, any, error) {
		return spec.LockInput{Key: o.Key, Op: op}, o.Token, nil
	}}
}

var (
	mutexOps  = []operation{lockOp("acquire", spec.Acquire), lockOp("release", spec.Release)}
	fencedOps = []operation{
		fencedOp("acquire", spec.Acquire), lockOp("release", spec.Release), fencedOp("resume", spec.Resume),
	}
	sharedOps    = append(slices.Clone(mutexOps), lockOp("acquire-shared", spec.AcquireShared), lockOp("release-shared", spec.ReleaseShared))
	leaseOps     = append(slices.Clone(mutexOps), lockOp("renew", spec.Renew))
	semaphoreOps = []operation{
		{name: "acquire", allows: []string{"permits", "token"}, prepare: permits(spec.Acquire)},
		{name: "release", allows: []string{"permits", "token"}, prepare: permits(spec.Release)},
	}
)

var models = []model{
	{name: "mutex", about: "one holder", ops: mutexOps, record: (*recording).mutex, fenced: "fenced-mutex",
		build: func(o *Options) porcupine.Model {
			if o.Failures == Nothing {
				return spec.Mutex()
			}
			return spec.StrictMutex()
		}},
	{name: "reentrant-mutex", about: "one holder, who may acquire again", ops: mutexOps, record: (*recording).hold, beliefs: true, takes: "limit", fenced: "reentrant-fenced-mutex",
		build: func(o *Options) porcupine.Model { return spec.ReentrantMutex(o.limit()) }},
	{name: "fenced-mutex", about: "one holder, and tokens that rise", ops: fencedOps, record: (*recording).hold, beliefs: true,
		build: func(*Options) porcupine.Model { return spec.FencedMutex() }},
	{name: "reentrant-fenced-mutex", about: "one holder, who may acquire again under one token", ops: fencedOps, record: (*recording).hold, beliefs: true, takes: "limit",
		build: func(o *Options) porcupine.Model { return spec.ReentrantFencedMutex(o.limit()) }},
	{name: "rwlock", about: "one writer or many readers", ops: sharedOps, record: (*recording).hold, beliefs: true,
		build: func(*Options) porcupine.Model { return spec.RWLock() }},
	{name: "semaphore", about: "so many permits", ops: semaphoreOps, record: (*recording).hold, beliefs: true, takes: "permits",
		build: func(o *Options) porcupine.Model { return spec.Semaphore(o.Permits) }},
	{name: "lease", about: "one holder until the lease ends", ops: leaseOps, record: (*recording).lease, takes: "ttl",
		build: func(*Options) porcupine.Model { return spec.Lease() }},
	{name: "register", about: "a value: read, write, cas", ops: registerOps, record: (*recording).value, takes: "initial", state: "the value is ",
		build: func(o *Options) porcupine.Model { return spec.Section(o.Initial) }},
	{name: "counter", about: "a number: add, read", ops: counterOps, record: (*recording).value, whole: inRange, state: "the number is ",
		build: func(*Options) porcupine.Model { return spec.Counter() }},
	{name: "log", about: "a list: append, read", ops: logOps, record: (*recording).value, state: "the entries are ",
		build: func(*Options) porcupine.Model { return spec.Log[string]() }},
	{name: "object", about: "a value with an ETag: get, put, delete", ops: objectOps, record: (*recording).value, state: "the object is ",
		build: func(*Options) porcupine.Model { return spec.Object[string]() }},
}

// limit is how often a holder may hold.
func (o *Options) limit() int {
	if o.Limit == 0 {
		return math.MaxInt
	}
	return o.Limit
}

// Models returns the names of the models.
func Models() []string {
	names := make([]string, len(models))
	for i, m := range models {
		names[i] = m.name
	}
	return names
}

// About says in a few words what a model is of.
func About(name string) string {
	for _, m := range models {
		if m.name == name {
			return m.about
		}
	}
	return ""
}

func (m *model) find(op string) *operation {
	for i := range m.ops {
		if m.ops[i].name == op {
			return &m.ops[i]
		}
	}
	return nil
}
