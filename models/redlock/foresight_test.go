package redlock

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"fencepost/models"
	"fencepost/models/modeltest"
	"fencepost/models/redis"
	"fencepost/sim"
	"fencepost/sim/clock"
	"fencepost/sim/history"
	"fencepost/sim/network"
	"fencepost/sim/rng"
)

// waiting is a lock whose waiting clients pass over attempts that are certain to be refused.
type waiting struct {
	lock    models.Lock
	clients int
	params  map[string]int64
}

var waitings = []waiting{
	{redis.New(), 2, map[string]int64{"timeout": int64(40 * ms)}},
	{redis.New(), 3, map[string]int64{"ttl": int64(9 * second), "retry-base": int64(300 * ms), "retry-jitter": 0}},
	{redis.New(), 2, map[string]int64{"expiry-clock": 1, "ttl": int64(2 * second), "attempts": 7}},
	{New(), 2, map[string]int64{"timeout": int64(40 * ms)}},
	{New(), 3, map[string]int64{"client": int64(redsync), "context-timeout": 1}},
	{New(), 2, map[string]int64{"client": int64(redsync)}},
	{New(), 2, map[string]int64{"value": int64(perCall) + 1, "clock": int64(wall) + 1}},
	{New(), 2, map[string]int64{"servers": 3, "ttl": int64(1500 * ms), "attempts": 5}},
}

// delaysOf are those of links: as short as in a data centre, and such that some replies come later than
// anybody waits for them.
var delaysOf = []rng.Dist{
	rng.LogNormal(50*time.Microsecond, 0.3), rng.LogNormal(50*time.Microsecond, 0.3), rng.Constant(ms),
	rng.Uniform(0, 10*ms), rng.Exponential(8 * ms), rng.Pareto(300*time.Microsecond, 0.9),
}

// TestForesight: whatever happens, and however clocks run, a run in which attempts are passed over is the
// one in which they are made.
func TestForesight(t *testing.T) {
	modeltest.ManyTrials(t)
	for i, w := range waitings {
		t.Run(fmt.Sprintf("%s %v", w.lock.Describe().Name, w.params), func(t *testing.T) {
			r := modeltest.New(t, w.lock, w.clients, w.params)
			r.Fleet.OnRestart = r.Restarts
			trouble := modeltest.NewTrouble(r.Fleet)
			saved, total := uint64(0), uint64(0)
			for seed := uint64(1); seed <= 60; seed++ {
				var got [2][]history.Record
				var sent, fired [2]uint64
				for k, every := range []bool{true, false} {
					r.Env.EveryMessage = every
					ordeal(r, trouble, seed)
					got[k], fired[k], sent[k] = append(got[k], r.Recorder.Records...), r.World.Fired(), messages(r)
				}
				if !reflect.DeepEqual(got[0], got[1]) || sent[0] != sent[1] {
					t.Fatalf("seed %d: %d messages and\n%+v\nwant %d and\n%+v", seed, sent[1], got[1], sent[0], got[0])
				}
				saved, total = saved+fired[0]-fired[1], total+fired[0]
			}
			t.Logf("%d of %d events were saved", saved, total)
			if i != 4 && saved < total/20 || i == 4 && saved > 0 {
				t.Error("too little was passed over for the test to mean anything, or too much")
			}
		})
	}
}

// ordeal is a trial of clients that hold the lock for a while, again and again, on clocks of any rate, in
// a minute of drawn blows.
func ordeal(r *modeltest.Rig, trouble *modeltest.Trouble, seed uint64) {
	draw := r.Begin(seed)
	delay := delaysOf[draw("delay", 0, len(delaysOf)-1)]
	for _, from := range r.Fleet.Hosts {
		for _, to := range r.Fleet.Hosts {
			r.Net.SetDelay(from.ID, to.ID, delay)
		}
		if draw("even", 0, 1) == 0 {
			from.SetRate(int64(draw("rate", -200, 200)) * 1_000_000)
		}
		if draw("jitter", 0, 9) == 0 { // each read draws, so that none may be left out
			from.AddJitter(&clock.Jitter{Dist: rng.Uniform(0, 300*ms), Key: seed})
		}
	}
	r.Fleet.StepCost = time.Duration(draw("step cost", 0, 1)) * time.Microsecond
	var blows []modeltest.Blow
	for at := time.Duration(0); at < time.Minute; at += time.Duration(draw("gap", 200, 20_000)) * ms {
		blows = append(blows, draw.Blow(sim.Time(at), r.Everywhere()))
	}
	trouble.Reset(blows)
	for client := range r.Env.Clients {
		r.Work(client)
	}
	r.LongPauses(draw, time.Minute)
	r.Run(90 * second)
}

// messages is how many were sent between anybody.
func messages(r *modeltest.Rig) (sum uint64) {
	for _, from := range r.Fleet.Hosts {
		for _, to := range r.Fleet.Hosts {
			if from != to {
				sum += r.Net.Sent(from.ID, to.ID, func(*network.Op) bool { return true })
			}
		}
	}
	return sum
}
