package peers

import (
	"container/heap"
	"context"
	"time"

	"fencepost/sim"
)

// runHeap runs the workloads on the loop that a Go program would write first: pointers to
// events with a callback in a container/heap, in the order of their instants.
func runHeap(_ context.Context, _ string, n int, check bool) ([]Line, error) {
	d := draw(plain)
	if check {
		d = shared
	}
	var lines []Line
	for _, workload := range []struct {
		name string
		run  func(l *loop, d draw, n int) string
	}{{"mm1", heapQueue}, {"pingpong", heapPingPong}, {"hold", heapHold}} {
		start := time.Now()
		statistic := workload.run(&loop{}, d, n)
		lines = append(lines, Line{workload.name, float64(time.Since(start)) / float64(n), statistic})
	}
	return lines, nil
}

type callback struct {
	at time.Duration
	f  func()
}

type callbacks []*callback

func (h callbacks) Len() int           { return len(h) }
func (h callbacks) Less(i, j int) bool { return h[i].at < h[j].at }
func (h callbacks) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *callbacks) Push(x any)        { *h = append(*h, x.(*callback)) }
func (h *callbacks) Pop() any {
	old := *h
	last := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	return last
}

// loop is virtual time and what is to come.
type loop struct {
	now     time.Duration
	pending callbacks
}

func (l *loop) after(d time.Duration, f func()) { heap.Push(&l.pending, &callback{l.now + d, f}) }

func (l *loop) run() {
	for len(l.pending) > 0 {
		e := heap.Pop(&l.pending).(*callback)
		l.now = e.at
		e.f()
	}
}

func heapQueue(l *loop, d draw, n int) string {
	arrival, service := d(arrivalSeed, 0.9), d(serviceSeed, 1)
	var waiting []time.Duration
	var total time.Duration
	first, arrived := 0, 0
	var arrive, depart func()
	arrive = func() {
		waiting = append(waiting, l.now)
		if len(waiting)-first == 1 {
			l.after(service(), depart)
		}
		if arrived++; arrived < n {
			l.after(arrival(), arrive)
		}
	}
	depart = func() {
		total += l.now - waiting[first]
		if first++; first == len(waiting) {
			waiting, first = waiting[:0], 0
			return
		}
		l.after(service(), depart)
	}
	l.after(arrival(), arrive)
	l.run()
	return meanTime(total, n)
}

func heapPingPong(l *loop, _ draw, n int) string {
	rounds := 0
	var ping, pong func()
	ping = func() {
		if rounds++; rounds < n {
			l.after(unit, pong)
		}
	}
	pong = func() { l.after(unit, ping) }
	l.after(unit, pong)
	l.run()
	return roundsAt(rounds, sim.Time(l.now))
}

func heapHold(l *loop, d draw, n int) string {
	delay := d(holdSeed, 1)
	events := 0
	for range pendingEvents {
		left := n / pendingEvents
		var fire func()
		fire = func() {
			events++
			if left--; left > 0 {
				l.after(delay(), fire)
			}
		}
		l.after(delay(), fire)
	}
	l.run()
	return eventsAt(events, l.now)
}
