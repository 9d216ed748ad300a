package checker

import (
	"math/rand/v2"
	"slices"

	"fencepost/sim"
	"fencepost/sim/history"
)

// toy is a small world of clients, a lock with leases and tokens, and a store with a guard.
// Left alone it is sound; a bug is a flag that breaks it in one place. It is as plain as it
// can be, shares no code with the models, and knows nothing of what monitors look for.
type toy struct {
	*run
	random  *rand.Rand
	bug     string
	clients []*toyClient
	queue   []*toyClient
	holder  *toyClient // as the service sees it
	tenant  history.HoldID
	until   sim.Time // of the lease
	counter int64
	store   toyStore
	objects toyObjects
	flight  []toyWrite
}

// Stores of a toy.
const (
	fenced       = ""    // a register that compares tokens
	cas          = "cas" // a register that compares versions
	ofJobs       = "jobs"
	ofReferences = "references"
	ofLogs       = "logs"
)

// Steps of a client.
const (
	idle = iota
	waitsForever
	granted
	reads
	performs
	writes
	ends
	releases
	stopsLate
)

const (
	toyLease = 10 * s
	toyTick  = s / 2
)

type toyClient struct {
	index, life int
	step        int // what it does next, see act
	hold        history.HoldID
	token, seen int64
	version     int
	until       sim.Time
	believes    bool
	away        int   // turns that it lets pass
	cached      int64 // the token before
	object      int   // of several, that it works on
	content     int64 // that it has read there
}

// play runs a toy with a bug, or without one, to its end.
func play(bug, store string, seed uint64) *toy {
	t := &toy{run: newRun(), random: rand.New(rand.NewPCG(seed, 7)), bug: bug, store: toyStore{cas: store == cas}, objects: toyObjects{kind: store}}
	t.Progress.StarvedAfter = 6
	t.SkipSections = store == ofJobs || store == ofReferences
	if store != cas {
		t.Resource.Ordered = []history.Effect{history.ReadEffect, history.WriteEffect}
	}
	for i := range 3 {
		t.clients = append(t.clients, &toyClient{index: i})
	}
	for t.now < 300*s {
		t.now += toyTick
		t.service()
		t.deliver()
		c := t.clients[t.random.IntN(len(t.clients))]
		if c.away > 0 {
			c.away--
			continue
		}
		t.act(c)
	}
	return t
}

// has reports whether the world has a bug, now: some bugs strike once in n times.
func (t *toy) has(bug string, n int) bool { return t.bug == bug && t.random.IntN(n) == 0 }

func (t *toy) record(k history.Kind, c *toyClient) {
	t.add(t.now, history.Record{Kind: k, Hold: c.hold})
}

// service ends leases, first on the client's side and then on its own, and lets the next in.
func (t *toy) service() {
	for _, c := range t.clients {
		if c.believes && t.now >= c.until && t.bug != "a client looks at no deadline" {
			t.disbelieve(c)
		}
	}
	if t.holder != nil && t.now >= t.expiry() {
		t.vacate()
	}
	if t.holder != nil && (t.has("the service forgets its holder", 40)) {
		t.holder = nil
	}
	if t.holder != nil && t.has("the service evicts its holder", 40) {
		t.vacate()
	}
	if len(t.queue) > 0 && (t.holder == nil || t.has("a lock ignores its owner", 10)) {
		t.letIn(t.next())
	}
}

func (t *toy) expiry() sim.Time {
	switch t.bug {
	case "a lease ends early":
		return t.until - 7*s
	case "a lease ends late":
		return t.until + 15*s
	case "a lease never ends":
		return sim.Forever
	}
	return t.until
}

func (t *toy) vacate() {
	t.add(t.now, history.Record{Kind: history.ServiceEnd, Hold: t.tenant})
	t.holder = nil
}

// next takes one out of the queue, which is first in, first out.
func (t *toy) next() *toyClient {
	i := 0
	switch t.bug {
	case "the last one in the queue is let in first":
		i = len(t.queue) - 1
	case "the queue prefers a client":
		i = max(0, slices.IndexFunc(t.queue, func(c *toyClient) bool { return c.index != 2 }))
	case "the queue has no order, and dislikes a client":
		if i = t.random.IntN(len(t.queue)); t.queue[i].index == 1 {
			i = t.random.IntN(len(t.queue))
		}
		if t.queue[i].index == 1 {
			i = t.random.IntN(len(t.queue))
		}
	}
	c := t.queue[i]
	t.queue = slices.Delete(t.queue, i, i+1)
	return c
}

func (t *toy) letIn(c *toyClient) {
	if t.has("a waiter is forgotten", 4) {
		c.step = waitsForever
		return
	}
	t.counter++
	token := t.counter
	switch {
	case t.has("a token repeats", 4):
		t.counter--
		token = max(1, t.counter)
	case t.has("the counter is forgotten", 8):
		t.counter, token = 1, 1
	case t.bug == "tokens fall":
		token = 10_000 - t.counter
	}
	t.holder, t.tenant, t.until = c, c.hold, t.now+toyLease
	t.add(t.now, history.Record{Kind: history.Grant, Hold: c.hold, Token: token, Until: t.until})
	c.step, c.token, c.until = granted, token, t.until
	if t.random.IntN(4) == 0 {
		c.away = t.random.IntN(12) // the reply is on its way, or the client is paused
	}
	if t.bug == "a library hands out the token before" {
		c.token, c.cached = max(c.cached, 1), token
	}
}

// reads is the first step of a section, and writes the last.
func (t *toy) reads(c *toyClient) (served bool) {
	if t.objects.several() {
		return t.look(c)
	}
	t.read(c)
	return true // as far as it looks
}

func (t *toy) writes(c *toyClient) {
	if t.objects.several() {
		t.change(c)
	} else {
		t.write(c)
	}
}

// disbelieve ends a belief.
func (t *toy) disbelieve(c *toyClient) {
	t.record(history.BeliefEnd, c)
	c.believes, c.step = false, releases
}

// act is the next step of a client.
func (t *toy) act(c *toyClient) {
	switch c.step {
	case idle:
		c.hold = t.r.NewHold(c.index, history.ExecutorOf(c.index, c.life))
		c.step = waitsForever // until it is let in
		t.queue = append(t.queue, c)
		t.record(history.Attempt, c)
	case granted:
		t.reply(c)
	case reads, performs, writes, ends:
		t.section(c)
	case releases:
		t.release(c)
	case stopsLate:
		t.disbelieve(c)
		c.step = idle
	}
}

// reply is the grant's arrival. It is worth nothing if the lease has ended meanwhile.
func (t *toy) reply(c *toyClient) {
	if t.now >= c.until && t.bug != "a client believes in a lease that has ended" {
		t.record(history.GiveUp, c)
		c.step = releases
		return
	}
	c.step, c.believes = reads, true
	if t.now >= c.until {
		c.until = t.now + toyLease // it counts from the reply
	}
	t.add(t.now, history.Record{Kind: history.BeliefBegin, Hold: c.hold, Token: c.token})
}

// section is a read, a write, and an end, now and then with a crash or a pause.
func (t *toy) section(c *toyClient) {
	if t.random.IntN(40) == 0 {
		t.crash(c)
		return
	}
	if t.random.IntN(8) == 0 {
		c.away = t.random.IntN(20)
		return
	}
	switch c.step {
	case reads:
		switch served := t.reads(c); {
		case !served:
			c.step = ends
		case t.objects.kind == ofJobs:
			c.step = performs
		default:
			c.step = writes
		}
	case performs:
		t.perform(c)
		c.step = writes
	case writes:
		t.writes(c)
		c.step = ends
	case ends:
		if t.bug == "a client releases before it stops" {
			t.unlock(c)
			c.step, c.away = stopsLate, 2
			return
		}
		t.disbelieve(c)
	}
}

func (t *toy) crash(c *toyClient) {
	t.add(t.now, history.Record{Kind: history.Crash, Executor: history.ExecutorOf(c.index, c.life)})
	if t.bug == "a session outlives its client" && t.tenant == c.hold {
		t.until += 20 * s
	}
	*c = toyClient{index: c.index, life: c.life + 1, cached: c.cached, away: 2}
}

// release gives the lock back, or what is left of it.
func (t *toy) release(c *toyClient) {
	t.unlock(c)
	c.step = idle
}

func (t *toy) unlock(c *toyClient) {
	t.record(history.ReleaseBegin, c)
	mine := t.holder != nil && t.tenant == c.hold
	switch {
	case mine && t.has("a release is lost, and the lease is endless", 4):
		t.until = sim.Forever
	case mine && t.has("a release is handled late", 4):
		t.until = t.now + 14*s
	case mine, t.holder != nil && t.bug == "an unlock frees a stranger":
		t.vacate()
	}
	t.record(history.ReleaseEnd, c)
}
