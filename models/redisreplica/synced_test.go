package redisreplica

import (
	"errors"
	"testing"

	"fencepost/models"
	"fencepost/sim/history"
	"fencepost/sim/host"
)

// Redisson waits by itself for all replicas that are connected, for up to a second, and is
// content with one. The lock is granted at 10.003 s, WAIT is there at 10.005 s and answered 2 ms
// later, when both have acknowledged; or, if one of them lacks the lock, a second later; or at
// once, if none is connected. If both lack it, the lock is taken back.
func TestSyncedEval(t *testing.T) {
	for _, c := range []struct {
		name     string
		stage    func(r *rig)
		acquired int64 // in milliseconds, 0 is not
	}{
		{"both have it", func(*rig) {}, 10_008},
		{"one has it", func(r *rig) { r.unreplicated(5*second, 0, 2) }, 11_006},
		{"none has it", func(r *rig) { r.unreplicated(5*second, 0, 1, 2) }, 0},
		{"none is connected", func(r *rig) { r.unconnected() }, 10_006},
	} {
		r := newRig(t, 1, map[string]int64{"client": 2, "persistence": 1})
		c.stage(r)
		hold := r.Recorder.NewHold(0, 1)
		var err error
		var acquired int64
		r.Env.Clients[0].Go("client 1", func(p *host.Process) {
			p.Sleep(10 * second)
			if _, err = r.Lockers[0].Acquire(p, hold); err == nil {
				acquired = r.World.Now().Duration().Milliseconds()
			}
		})
		r.Run(15 * second)
		if acquired != c.acquired {
			t.Errorf("%s: acquired at %d ms, %v", c.name, acquired, err)
		}
		if taken := len(r.Records(hold, history.ReleaseBegin)) == 1; taken != (c.acquired == 0) || taken != errors.Is(err, models.ErrNotAcquired) {
			t.Errorf("%s: taken back: %t, %v", c.name, taken, err)
		}
	}
}

// unconnected restarts the master, and has what its replicas say lost.
func (r *rig) unconnected() {
	for i := 1; i < 3; i++ {
		r.cutOp(500*ms, opSync, i, 0)
		r.cutOp(500*ms, opAck, i, 0)
	}
	r.crash(second, 0)
	r.At(1100*ms, func() { r.server(0).Restart(false) })
}

// Who asks for one does not get it where none is connected, and who asks for none does not
// wait. The documentation's client asks for none by itself.
func TestWaitingIsTheClientsOwn(t *testing.T) {
	for _, c := range []struct {
		client, replicas int64
		acquired         bool
	}{{0, 0, true}, {0, -1, true}, {0, 1, false}, {1, 0, true}, {1, -1, true}, {2, 0, false}, {2, -1, true}, {2, 1, false}} {
		r := newRig(t, 1, map[string]int64{"client": c.client, "wait-replicas": c.replicas})
		r.unreplicated(5*second, 0, 1, 2)
		u := r.Lock(0, 10*second, 0)
		r.Run(10*second + 500*ms)
		if got := u.Acquired != 0; got != c.acquired {
			t.Errorf("%+v: acquired at %v", c, u.Acquired)
		}
	}
	r := newRig(t, 1, map[string]int64{"client": 2, "wait-replicas": 1, "persistence": 1})
	r.unconnected()
	u := r.Lock(0, 10*second, 0)
	r.Run(15 * second)
	if u.Acquired != 0 {
		t.Errorf("acquired at %v without a replica", u.Acquired)
	}
}

// A link that has been silent for repl-timeout is no connection any more.
func TestConnectedReplicas(t *testing.T) {
	r := newRig(t, 1, nil)
	r.cutOp(10*second, opAck, 1, 0)
	r.Run(69 * second)
	if n := r.box(0).connected(); n != 2 {
		t.Errorf("%d connected after a minute, want 2", n)
	}
	r.Run(72 * second)
	if n := r.box(0).connected(); n != 1 {
		t.Errorf("%d connected after more than a minute, want 1", n)
	}
}
