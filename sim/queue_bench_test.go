package sim

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// pendings are the numbers of pending events at which queues are measured: lock models
// keep 10 to 200.
var pendings = []int{8, 32, 128, 1024, 65536}

// holdModel replaces the earliest of a number of pending events by a later one, over
// and over: what a simulation does.
func holdModel(b *testing.B, pending int, push func(at Time, n uint64), pop func() Time) {
	random := rand.New(rand.NewPCG(1, 2))
	gaps := make([]Time, 4096)
	for i := range gaps {
		gaps[i] = Time(random.ExpFloat64() * 1e6)
	}
	n := uint64(0)
	for range pending {
		push(gaps[n%4096], n)
		n++
	}
	b.ReportAllocs()
	for b.Loop() {
		push(pop()+gaps[n%4096], n)
		n++
	}
}

func BenchmarkQueue(b *testing.B) {
	for _, pending := range pendings {
		b.Run(fmt.Sprint(pending), func(b *testing.B) {
			var q Queue
			holdModel(b, pending,
				func(at Time, n uint64) { q.Push(Event{At: at, order: n}) },
				func() Time { return q.Pop().At })
		})
	}
}

// BenchmarkBareHeap is a textbook binary heap of values of the same size with a
// typed comparison of one word: what a queue without total order would cost.
func BenchmarkBareHeap(b *testing.B) {
	for _, pending := range pendings {
		b.Run(fmt.Sprint(pending), func(b *testing.B) {
			var h bareHeap
			holdModel(b, pending,
				func(at Time, n uint64) { h.push(bare{at: at, rest: [3]uint64{n}}) },
				func() Time { return h.pop().at })
		})
	}
}

type bare struct {
	at   Time
	rest [3]uint64
}

type bareHeap []bare

func (h *bareHeap) push(e bare) {
	*h = append(*h, e)
	s := *h
	for i := len(s) - 1; i > 0 && s[i].at < s[(i-1)/2].at; i = (i - 1) / 2 {
		s[i], s[(i-1)/2] = s[(i-1)/2], s[i]
	}
}

func (h *bareHeap) pop() bare {
	s := *h
	first, last := s[0], len(s)-1
	s[0] = s[last]
	s = s[:last]
	*h = s
	for i := 0; ; {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(s); child++ {
			if s[child].at < s[least].at {
				least = child
			}
		}
		if least == i {
			return first
		}
		s[i], s[least] = s[least], s[i]
		i = least
	}
}

// BenchmarkCoroutineSwitch is a resume and the suspend that answers it: two switches.
func BenchmarkCoroutineSwitch(b *testing.B) {
	var p Pool
	defer p.Close()
	var c *Coroutine
	c = p.Get(func() {
		for {
			c.Suspend()
		}
	})
	b.ReportAllocs()
	for b.Loop() {
		c.Resume()
	}
}

// ticker schedules its own next event.
type ticker struct {
	w  *World
	id TargetID
}

func (t *ticker) Fire(e Event) {
	e.At += Time(1 + e.Slot)
	t.w.Schedule(ClassTimer, e)
}

// BenchmarkWorld is an event from the queue to its target and back, with 8 pending.
func BenchmarkWorld(b *testing.B) {
	w := &World{MaxEvents: 1 << 62}
	t := &ticker{w: w}
	t.id = w.Register(t)
	for slot := range int32(8) {
		w.Schedule(ClassTimer, Event{At: 1, Target: t.id, Slot: slot})
	}
	b.ReportAllocs()
	for b.Loop() {
		w.MaxEvents = w.fired + 1
		w.Run(Forever - 1)
	}
}
