package spec_test

import (
	"math/rand/v2"

	"github.com/anishathalye/porcupine"

	"fencepost/checker/linear/spec"
)

const (
	limit   = 2
	permits = 3
	lease   = 12 // ticks
)

var lockSubjects = []subject{
	{"Mutex", spec.Mutex(), []string{"lets a second in", "release ignores the owner", "holder gets in twice"}, startMutex},
	{"StrictMutex", spec.StrictMutex(), []string{"lets a second in", "release ignores the owner", "holder gets in twice",
		"refused release frees", "refuses when free"}, startStrict},
	{"ReentrantMutex", spec.ReentrantMutex(limit), []string{"no limit", "one release frees all", "release ignores the owner",
		"lets a second in"}, startReentrant},
	{"FencedMutex", spec.FencedMutex(), []string{"token repeats", "token falls", "release ignores the owner",
		"stale resume", "lets a second in"}, startFenced},
	{"ReentrantFencedMutex", spec.ReentrantFencedMutex(limit), []string{"token repeats", "token rises within a hold",
		"one release frees all", "no limit"}, startReentrantFenced},
	{"RWLock", spec.RWLock(), []string{"writer ignores readers", "reader ignores the writer", "one reader frees all",
		"reader frees another"}, startRW},
	{"Semaphore", spec.Semaphore(permits), []string{"one permit too many", "release gives one back too many", "release leaks a permit",
		"release ignores the owner"}, startSemaphore},
	{"Lease", spec.Lease(), []string{"ends early", "renews what is lost", "release ignores the owner", "renewal is forgotten"}, startLease},
}

// oneOf makes clients ask for a random one of some operations, each as itself.
func oneOf(random *rand.Rand, ops ...spec.LockOp) func(int) any {
	return func(client int) any {
		return spec.LockInput{Op: ops[random.IntN(len(ops))], Owner: spec.Owner(client)}
	}
}

func unknown(any) any { return spec.Unknown }

// holds is a lock as its bugs see it: who holds it and how many times.
type holds struct {
	bug   string
	owner spec.Owner
	depth int
	most  int
}

func (h *holds) acquire(o spec.Owner) bool {
	free := h.depth == 0 || h.bug == "lets a second in"
	again := h.owner == o && (h.depth < h.most || h.bug == "no limit" || h.bug == "holder gets in twice")
	if !free && !again {
		return false
	}
	if h.owner != o {
		h.depth = 0
	}
	h.owner = o
	h.depth++
	return true
}

func (h *holds) release(o spec.Owner) bool {
	if h.depth == 0 || h.owner != o && h.bug != "release ignores the owner" {
		if h.bug == "refused release frees" {
			h.depth = 0
		}
		return false
	}
	h.depth--
	if h.bug == "one release frees all" {
		h.depth = 0
	}
	return true
}

func (h *holds) ask(op *porcupine.Operation) bool {
	in := op.Input.(spec.LockInput)
	if in.Op == spec.Acquire {
		return h.acquire(in.Owner)
	}
	return h.release(in.Owner)
}

func startMutex(random *rand.Rand, bug string) system {
	h := &holds{bug: bug, most: 1}
	return system{next: oneOf(random, spec.Acquire, spec.Release), do: func(op *porcupine.Operation, _ int64) bool { return h.ask(op) }}
}

func startReentrant(random *rand.Rand, bug string) system {
	h := &holds{bug: bug, most: limit}
	return system{next: oneOf(random, spec.Acquire, spec.Acquire, spec.Release),
		do: func(op *porcupine.Operation, _ int64) bool { return h.ask(op) }}
}

func startStrict(random *rand.Rand, bug string) system {
	h := &holds{bug: bug, most: 1}
	do := func(op *porcupine.Operation, now int64) bool {
		op.Output = spec.Failed
		if bug == "refuses when free" && now%7 == 0 {
			return true
		}
		if h.ask(op) {
			op.Output = spec.OK
		}
		return true
	}
	return system{next: oneOf(random, spec.Acquire, spec.Release), do: do, lost: unknown}
}

func startFenced(random *rand.Rand, bug string) system {
	return fencedSystem(oneOf(random, spec.Acquire, spec.Acquire, spec.Release, spec.Resume), &holds{bug: bug, most: 1})
}

func startReentrantFenced(random *rand.Rand, bug string) system {
	return fencedSystem(oneOf(random, spec.Acquire, spec.Acquire, spec.Release), &holds{bug: bug, most: limit})
}

func fencedSystem(next func(int) any, h *holds) system {
	token, last := int64(100), map[spec.Owner]int64{}
	rise := map[string]int64{"token repeats": 0, "token falls": -1}
	acquire := func(o spec.Owner) bool {
		first := h.depth == 0 || h.bug == "token rises within a hold"
		if !h.acquire(o) {
			return false
		}
		if by, bad := rise[h.bug]; first && bad {
			token += by
		} else if first {
			token++
		}
		last[o] = token
		return true
	}
	resume := func(o spec.Owner) bool {
		stale := h.owner != o || last[o] == 0
		if stale && (h.bug != "stale resume" || last[o] == 0) {
			return false
		}
		return h.depth == 0 && h.acquire(o)
	}
	do := func(op *porcupine.Operation, _ int64) (ok bool) {
		in := op.Input.(spec.LockInput)
		switch in.Op {
		case spec.Acquire:
			ok = acquire(in.Owner)
		case spec.Resume:
			ok = resume(in.Owner)
		default:
			return h.release(in.Owner)
		}
		op.Output = last[in.Owner]
		return ok
	}
	return system{next: next, do: do}
}

func startRW(random *rand.Rand, bug string) system {
	writer, readers := spec.Nobody, map[spec.Owner]int{}
	do := func(op *porcupine.Operation, _ int64) bool {
		in := op.Input.(spec.LockInput)
		switch in.Op {
		case spec.Acquire:
			if writer != spec.Nobody || len(readers) > 0 && bug != "writer ignores readers" {
				return false
			}
			writer = in.Owner
		case spec.AcquireShared:
			if writer != spec.Nobody && bug != "reader ignores the writer" {
				return false
			}
			readers[in.Owner]++
		case spec.Release:
			if writer != in.Owner {
				return false
			}
			writer = spec.Nobody
		case spec.ReleaseShared:
			return releaseReader(readers, in.Owner, bug)
		}
		return true
	}
	return system{next: oneOf(random, spec.Acquire, spec.AcquireShared, spec.Release, spec.ReleaseShared), do: do}
}

func releaseReader(readers map[spec.Owner]int, o spec.Owner, bug string) bool {
	if readers[o] == 0 {
		return bug == "reader frees another" && len(readers) > 0
	}
	if readers[o]--; readers[o] == 0 {
		delete(readers, o)
	}
	if bug == "one reader frees all" {
		clear(readers)
	}
	return true
}

func startSemaphore(random *rand.Rand, bug string) system {
	free, held := permits, map[spec.Owner]int{}
	if bug == "one permit too many" {
		free++
	}
	back := map[string]int{"release gives one back too many": 1, "release leaks a permit": -1}[bug]
	next := func(client int) any {
		op := []spec.LockOp{spec.Acquire, spec.Release, spec.Available}[random.IntN(3)]
		return spec.LockInput{Op: op, Owner: spec.Owner(client), Permits: 1 + random.IntN(2)}
	}
	do := func(op *porcupine.Operation, _ int64) bool {
		in := op.Input.(spec.LockInput)
		switch {
		case in.Op == spec.Available:
			op.Output = free
		case in.Op == spec.Acquire && free >= in.Permits:
			free -= in.Permits
			held[in.Owner] += in.Permits
		case in.Op == spec.Release && (held[in.Owner] >= in.Permits || bug == "release ignores the owner"):
			free += in.Permits + back
			held[in.Owner] -= in.Permits
		default:
			return false
		}
		return true
	}
	return system{next: next, do: do}
}

// leased is a lock with a lease, on the server's side.
type leased struct {
	bug   string
	owner spec.Owner
	until int64
}

func (l *leased) serve(in spec.LockInput, now int64) bool {
	length := int64(lease)
	if l.bug == "ends early" {
		length /= 3
	}
	held := now < l.until
	switch in.Op {
	case spec.Acquire:
		if held {
			return false
		}
		l.owner, l.until = in.Owner, now+length
	case spec.Renew:
		if l.bug == "renews what is lost" {
			return true
		}
		if !held || l.owner != in.Owner {
			return false
		}
		if l.bug != "renewal is forgotten" {
			l.until = now + length
		}
	case spec.Release:
		if !held || l.owner != in.Owner && l.bug != "release ignores the owner" {
			return false
		}
		l.until = 0
	}
	return true
}

func startLease(random *rand.Rand, bug string) system {
	l := &leased{bug: bug}
	hold, holds := [clients]spec.Owner{0, 1, 2}, spec.Owner(clients)
	next := func(client int) any {
		op := []spec.LockOp{spec.Acquire, spec.Renew, spec.Release}[random.IntN(3)]
		if op == spec.Acquire {
			hold[client] = holds
			holds++
		}
		return spec.LockInput{Op: op, Owner: hold[client]}
	}
	do := func(op *porcupine.Operation, now int64) bool {
		op.Output = spec.Failed
		if l.serve(op.Input.(spec.LockInput), now) {
			op.Output = spec.OK
		}
		return true
	}
	lost := func(in any) any {
		if in.(spec.LockInput).Op == spec.Renew {
			return nil
		}
		return spec.Unknown
	}
	return system{next: next, do: do, lost: lost, after: expire}
}

// expire adds the ends of the leases.
func expire(history []porcupine.Operation) []porcupine.Operation {
	from := map[spec.Owner]int64{}
	for _, op := range history {
		if in := op.Input.(spec.LockInput); in.Op != spec.Release && op.Output != spec.Failed {
			from[in.Owner] = max(from[in.Owner], op.Call)
		}
	}
	for o := range spec.Owner(ticks) {
		if call, held := from[o]; held {
			history = append(history, porcupine.Operation{
				Input: spec.LockInput{Op: spec.Expire, Owner: o}, Call: call + lease, Return: spec.Never})
		}
	}
	return history
}
