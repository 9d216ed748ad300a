package local

import (
	"testing"
	"time"

	"fencepost/models/modeltest"
	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/host"
)

const ms = time.Millisecond

// An idle mutex is handed over at once, without a message and without an end.
func TestAcquireAndRelease(t *testing.T) {
	r := modeltest.New(t, New(), 1, nil)
	u := r.Lock(0, 5*ms, 10*ms)
	r.Run(100 * ms)
	if g := r.Want(u.Hold, history.Grant); g.At != sim.Time(5*ms) || g.Until != sim.Forever || g.Token != 1 || u.Token != 1 {
		t.Errorf("granted %+v, token %d", g, u.Token)
	}
	if end := r.Want(u.Hold, history.ServiceEnd); end.At != sim.Time(15*ms) || end.Text != "released" || u.Err != nil {
		t.Errorf("ended %+v, %v", end, u.Err)
	}
}

// Waiters are served in the order in which they came, and tokens rise by one.
func TestFirstInFirstOut(t *testing.T) {
	r := modeltest.New(t, New(), 5, nil)
	for range 2 { // a mutex that has been reset is new
		order := []int{2, 0, 4, 1, 3}
		uses := make([]*modeltest.Use, len(order))
		for i, client := range order {
			uses[i] = r.Lock(client, time.Duration(i)*ms, 10*ms)
		}
		r.Run(100 * ms)
		for i, u := range uses {
			if u.Acquired != sim.Time(time.Duration(i)*10*ms) || u.Token != int64(i+1) {
				t.Errorf("place %d: acquired at %v with token %d", i, u.Acquired, u.Token)
			}
		}
		r.Reset(2)
	}
}

// A thread that comes back queues behind those that wait.
func TestNoBarging(t *testing.T) {
	r := modeltest.New(t, New(), 2, nil)
	var second sim.Time
	r.Env.Clients[0].Go("client 1", func(p *host.Process) {
		l := r.Lockers[0]
		for range 2 {
			_, _ = l.Acquire(p, r.Recorder.NewHold(0, 1))
			second = r.World.Now()
			p.Sleep(10 * ms)
			if !l.Valid(p) {
				t.Error("a mutex cannot be lost")
			}
			_ = l.Release(p)
		}
	})
	waiter := r.Lock(1, ms, 10*ms)
	r.Run(100 * ms)
	if waiter.Acquired != sim.Time(10*ms) || second != sim.Time(20*ms) {
		t.Errorf("the waiter got in at %v, the other again at %v", waiter.Acquired, second)
	}
}

// A pause stops all threads: nobody gets in, and the hand-over waits for its end.
func TestPauseStopsAllThreads(t *testing.T) {
	r := modeltest.New(t, New(), 2, nil)
	r.Lock(0, 0, 10*ms)
	waiter := r.Lock(1, ms, 0)
	r.At(5*ms, func() { r.Env.Clients[0].Pause(sim.Time(50 * ms)) })
	r.Run(100 * ms)
	if waiter.Acquired != sim.Time(50*ms) {
		t.Errorf("acquired at %v, want 50 ms", waiter.Acquired)
	}
}

// A crash ends every thread, and the mutex with them.
func TestCrash(t *testing.T) {
	r := modeltest.New(t, New(), 2, nil)
	holder, waiter := r.Lock(0, 0, 10*ms), r.Lock(1, ms, 0)
	r.At(5*ms, func() { r.Env.Clients[0].Crash(host.LoseUnsynced) })
	r.Run(100 * ms)
	if holder.Released != 0 || waiter.Acquired != 0 || len(r.Records(waiter.Hold, history.Grant)) != 0 {
		t.Errorf("released at %v, acquired at %v", holder.Released, waiter.Acquired)
	}
}
