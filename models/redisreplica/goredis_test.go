package redisreplica

import (
	"errors"
	"testing"
	"time"

	"fencepost/models"
	"fencepost/models/redis"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
)

// goRedisCall has a client of go-redis, whose Sentinel is the one of a number, send a command at an instant after
// the master has died, and returns what becomes of it, and when.
func goRedisCall(t *testing.T, sentinel int) (ended time.Duration, err error) {
	r := newRig(t, 1, map[string]int64{"client": 1, "down-after": int64(2 * second)})
	client := r.Env.Clients[0]
	// The first answer is that of its Sentinel.
	for i := range r.system().boxes {
		if i != sentinel {
			r.Net.Impose(&network.Rule{From: client.ID, To: r.server(i).ID, Op: opGetMaster, Cut: true})
		}
	}
	r.crash(10*second, 0)
	client.Go("client 1", func(p *host.Process) {
		hold := r.Recorder.NewHold(0, 1)
		_, _ = r.Lockers[0].Acquire(p, hold) // so that it has a connection
		p.Sleep(10*second + 500*ms - time.Duration(p.Now()))
		_, err = r.system().Call(p, 0, network.Body{Op: redis.OpExtend, Value: 1, TTL: second, Hold: hold}, 5*second)
		ended = time.Duration(p.Now())
	})
	r.Run(40 * second)
	return ended, err
}

// TestGoRedisHearsOfTheSwitch: a command waits for the dead master, and ends with the failover, long before its
// timeout of 5 s: its connection is closed, and go-redis sends it again.
func TestGoRedisHearsOfTheSwitch(t *testing.T) {
	ended, err := goRedisCall(t, 1)
	if !errors.Is(err, host.ErrReset) || ended < 12*second || ended > 15*second {
		t.Errorf("it ended at %v: %v", ended, err)
	}
}

// TestGoRedisHoldsOnToItsSentinel: the Sentinel beside the dead master is silent, and no other is asked. The
// command times out after 5 s; the next one waits 5 s for the Sentinel, and is not sent again.
func TestGoRedisHoldsOnToItsSentinel(t *testing.T) {
	ended, err := goRedisCall(t, 0)
	if !errors.Is(err, host.ErrTimeout) || ended != 15*second+500*ms {
		t.Errorf("it ended at %v: %v", ended, err)
	}
	r := newRig(t, 1, map[string]int64{"client": 1, "attempts": 50})
	r.system().links[0] = link{master: nobody, sentinel: 0}
	r.crash(9*second, 0)
	var begun, failed time.Duration
	r.Env.Clients[0].Go("client 1", func(p *host.Process) {
		p.Sleep(10 * second)
		begun = time.Duration(p.Now())
		hold := r.Recorder.NewHold(0, 1)
		r.Recorder.Add(history.Record{Kind: history.Attempt, Hold: hold})
		_, err = r.Lockers[0].Acquire(p, hold)
		failed = time.Duration(p.Now())
	})
	r.Run(60 * second)
	if !errors.Is(err, models.ErrNotAcquired) || failed-begun < 5*second || failed-begun > 5*second+ms {
		t.Errorf("it failed after %v: %v", failed-begun, err)
	}
}
