package peers

import (
	"context"

	"fencepost/sim"
)

// runCoroutines runs the players as sequential programs, as the simulator's clients are.
func runCoroutines(_ context.Context, _ string, n int, check bool) ([]Line, error) {
	return timed(n, check, map[string]func(w *sim.World, d draw, n int) string{"pingpong": coroutinePingPong}), nil
}

// program is a sequential player that a message wakes.
type program struct {
	world     *sim.World
	coroutine *sim.Coroutine
	other     sim.TargetID
}

// Fire implements [sim.Target].
func (p *program) Fire(sim.Event) { p.coroutine.Resume() }

func (p *program) send() {
	p.world.Schedule(sim.ClassDelivery, sim.Event{At: p.world.Now().Add(unit), Target: p.other})
}

// receive waits for a message.
func (p *program) receive() { p.coroutine.Suspend() }

func coroutinePingPong(w *sim.World, _ draw, n int) string {
	var pool sim.Pool
	defer pool.Close()
	ping, pong := &program{world: w}, &program{world: w}
	ping.other, pong.other = w.Register(pong), w.Register(ping)
	rounds := 0
	ping.coroutine = pool.Get(func() {
		for rounds < n {
			ping.send()
			ping.receive()
			rounds++
		}
	})
	pong.coroutine = pool.Get(func() {
		for {
			pong.receive()
			pong.send()
		}
	})
	pong.coroutine.Resume() // to where it waits
	ping.coroutine.Resume()
	w.Run(sim.Forever)
	return roundsAt(rounds, w.Now())
}
