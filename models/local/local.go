// Package local is the control: two threads of one process and a true mutex.
//
// The mutex is an object in the process's memory that knows its owner, as POSIX's error-checking
// mutex does. It has no lease, sends no message
// and reads no clock; a pause stops every thread of the process at once, and a crash
// ends holder and mutex together. What goes wrong here goes wrong without a
// distributed lock: a write that was sent and is late, for one.
//
// Waiters queue in order of arrival. The token is a counter in the process, which begins
// again when the process starts anew: a resource that has seen the tokens of the process
// before it rejects the new ones, until they are as high.
package local

import (
	"time"

	"fencepost/models"
	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/host"
)

// Lock is the in-process mutex.
type Lock struct{}

// New returns the lock system.
func New() models.Lock { return Lock{} }

// Describe implements [models.Lock].
func (Lock) Describe() models.Description {
	return models.Description{
		Name:       "local",
		Summary:    "a mutex inside one process: the control",
		Sources:    []string{"POSIX.1-2017, pthread_mutex_lock, type PTHREAD_MUTEX_ERRORCHECK"},
		Promise:    "until the release begins or the process crashes",
		Granted:    "the mutex is handed over",
		Token:      "a counter in the process, raised by each hand-over; a restart begins it again",
		NoRemoval:  "the mutex is in the memory of its process, where nobody else can remove it",
		Notice:     "not needed: the mutex cannot be lost",
		OneProcess: true,
		Steps:      models.StepsOfAcquire,
		Takeover:   func(models.Params) time.Duration { return 0 },
	}
}

// Build implements [models.Lock].
func (Lock) Build(e *models.Env) models.System {
	s := &mutex{env: e}
	for range e.Clients {
		s.threads = append(s.threads, &thread{mutex: s})
	}
	return s
}

// mutex is one mutex and the threads that use it.
type mutex struct {
	env     *models.Env
	threads []*thread
	owner   *thread
	queue   []*thread
	token   int64
	life    uint32 // of the process
}

func (m *mutex) Reset() { m.start(0) }

// start is the memory of a process that has just started.
func (m *mutex) start(life uint32) {
	m.owner, m.queue, m.token, m.life = nil, m.queue[:0], 0, life
	for _, t := range m.threads {
		*t = thread{mutex: m}
	}
}

// Locker implements [models.System]. The threads of a process start together, so the
// first of a new life empties the memory of all.
func (m *mutex) Locker(client int) models.Locker {
	if life := m.env.Clients[client].Incarnation(); life != m.life {
		m.start(life)
	}
	return m.threads[client]
}

// thread is one user of the mutex.
type thread struct {
	mutex   *mutex
	process *host.Process
	hold    history.HoldID
	token   int64
}

func (t *thread) Acquire(p *host.Process, hold history.HoldID) (models.Grant, error) {
	t.process, t.hold = p, hold
	p.Step("acquire.send")
	if t.mutex.owner == nil {
		t.mutex.handTo(t)
	} else {
		t.mutex.queue = append(t.mutex.queue, t)
	}
	for t.mutex.owner != t {
		p.SleepUnlessSignalled(host.Forever)
	}
	p.Step("acquire.reply")
	return models.Grant{Token: t.token}, nil
}

// handTo makes a thread the owner and wakes it.
func (m *mutex) handTo(t *thread) {
	m.token++
	m.owner, t.token = t, m.token
	m.env.Recorder.Add(history.Record{Kind: history.Grant, Hold: t.hold, Token: t.token, Until: sim.Forever})
	t.process.Signal()
}

func (t *thread) Valid(*host.Process) bool { return t.mutex.owner == t }

func (t *thread) Release(p *host.Process) error {
	p.Step("release.send")
	m := t.mutex
	if m.owner != t {
		return models.ErrNotHeld // EPERM
	}
	m.owner = nil
	m.env.Recorder.Add(history.Record{Kind: history.ServiceEnd, Hold: t.hold, Text: "released"})
	if len(m.queue) > 0 {
		next := m.queue[0]
		m.queue = m.queue[:copy(m.queue, m.queue[1:])]
		m.handTo(next)
	}
	p.Step("release.reply")
	return nil
}
