package peers

import (
	"context"
	"fmt"
	"time"

	"fencepost/sim"
)

// draw makes a source of exponential times with a rate per time unit.
type draw func(seed uint64, rate float64) func() time.Duration

// runKernel runs the workloads on the simulator's kernel with handlers, as its servers
// are; the digest is on, as it always is.
func runKernel(_ context.Context, _ string, n int, check bool) ([]Line, error) {
	return timed(n, check, map[string]func(w *sim.World, d draw, n int) string{
		"mm1": kernelQueue, "pingpong": kernelPingPong, "hold": kernelHold,
	}), nil
}

// timed runs workloads in a fresh world each.
func timed(n int, check bool, run map[string]func(w *sim.World, d draw, n int) string) (lines []Line) {
	for _, workload := range Workloads {
		f := run[workload.Name]
		if f == nil {
			continue
		}
		w := &sim.World{MaxEvents: 1 << 62}
		w.Reset(1)
		d := draw(ours(w.Digest()))
		if check {
			d = shared
		}
		start := time.Now()
		statistic := f(w, d, n)
		lines = append(lines, Line{workload.Name, float64(time.Since(start)) / float64(n), statistic})
	}
	return lines
}

// queue is an M/M/1 queue.
type queue struct {
	world            *sim.World
	target           sim.TargetID
	arrival, service func() time.Duration
	waiting          []sim.Time // instants of arrival; the first is in service
	first            int
	arrived, wanted  int
	total            time.Duration
}

const (
	kindArrive uint16 = iota
	kindDepart
)

func kernelQueue(w *sim.World, d draw, n int) string {
	q := &queue{world: w, arrival: d(arrivalSeed, 0.9), service: d(serviceSeed, 1), wanted: n}
	q.target = w.Register(q)
	q.after(q.arrival(), kindArrive)
	w.Run(sim.Forever)
	return meanTime(q.total, n)
}

func meanTime(total time.Duration, n int) string {
	return fmt.Sprintf("mean_time_in_system=%.6f", total.Seconds()/float64(n))
}

func (q *queue) after(d time.Duration, kind uint16) {
	q.world.Schedule(sim.ClassTimer, sim.Event{At: q.world.Now().Add(d), Target: q.target, Kind: kind})
}

// Fire implements [sim.Target].
func (q *queue) Fire(e sim.Event) {
	if e.Kind == kindArrive {
		q.arrive()
	} else {
		q.depart()
	}
}

func (q *queue) arrive() {
	q.waiting = append(q.waiting, q.world.Now())
	if len(q.waiting)-q.first == 1 {
		q.after(q.service(), kindDepart)
	}
	if q.arrived++; q.arrived < q.wanted {
		q.after(q.arrival(), kindArrive)
	}
}

func (q *queue) depart() {
	q.total += q.world.Now().Sub(q.waiting[q.first])
	if q.first++; q.first == len(q.waiting) {
		q.waiting, q.first = q.waiting[:0], 0
		return
	}
	q.after(q.service(), kindDepart)
}

// player answers each message that it gets.
type player struct {
	world  *sim.World
	other  sim.TargetID
	pings  bool
	rounds int
	wanted int
}

func kernelPingPong(w *sim.World, _ draw, n int) string {
	a, b := &player{world: w, pings: true, wanted: n}, &player{world: w}
	a.other = w.Register(b)
	b.other = w.Register(a)
	a.send()
	w.Run(sim.Forever)
	return roundsAt(a.rounds, w.Now())
}

func roundsAt(rounds int, end sim.Time) string {
	return fmt.Sprintf("rounds=%d end_time=%d", rounds, end.Duration()/unit)
}

func (p *player) send() {
	p.world.Schedule(sim.ClassDelivery, sim.Event{At: p.world.Now().Add(unit), Target: p.other})
}

// Fire implements [sim.Target].
func (p *player) Fire(sim.Event) {
	if p.pings {
		if p.rounds++; p.rounds == p.wanted {
			return
		}
	}
	p.send()
}

// chains are events, each of which schedules its successor.
type chains struct {
	world  *sim.World
	target sim.TargetID
	delay  func() time.Duration
	events int
	left   [pendingEvents]int
}

func kernelHold(w *sim.World, d draw, n int) string {
	c := &chains{world: w, delay: d(holdSeed, 1)}
	c.target = w.Register(c)
	for i := range c.left {
		c.left[i] = n / pendingEvents
		c.schedule(int32(i))
	}
	w.Run(sim.Forever)
	return eventsAt(c.events, w.Now().Duration())
}

func eventsAt(events int, end time.Duration) string {
	return fmt.Sprintf("events=%d end_time=%.6f", events, end.Seconds())
}

func (c *chains) schedule(chain int32) {
	c.world.Schedule(sim.ClassTimer, sim.Event{At: c.world.Now().Add(c.delay()), Target: c.target, Slot: chain})
}

// Fire implements [sim.Target].
func (c *chains) Fire(e sim.Event) {
	c.events++
	if c.left[e.Slot]--; c.left[e.Slot] > 0 {
		c.schedule(e.Slot)
	}
}
