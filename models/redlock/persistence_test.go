package redlock

import (
	"testing"

	"fencepost/models/redis"
	"fencepost/sim/history"
	"fencepost/sim/host"
)

// Servers A, B and C of five have the key of client 1, and C loses its power. Without a
// synced file client 2 gets C, D and E (redis.io, Distributed Locks with Redis,
// Performance, Crash Recovery and fsync); with appendfsync always it does not, nor if only
// the process of C dies and the file is everysec's.
func TestPersistenceSavesTheMajority(t *testing.T) {
	for _, c := range []struct {
		p    redis.Persistence
		lost host.Lost
		safe bool
	}{
		{redis.NoPersistence, host.LoseMemory, false},
		{redis.EverySec, host.LoseMemory, true},
		{redis.EverySec, host.LoseUnsynced, false},
		{redis.Always, host.LoseUnsynced, true},
		{redis.Always, host.LoseEverything, false},
	} {
		r := newRig(t, 2, map[string]int64{"persistence": int64(c.p)})
		cutOff(r, 0, 3, 4)
		holder := r.Lock(0, 0, 0)
		crashed := r.Server("redis", 2)
		r.At(100*ms, func() { crashed.Crash(c.lost); crashed.Restart(false) })
		waiter := r.Lock(1, 200*ms, 0)
		r.Run(5 * second)
		r.Want(holder.Hold, history.Grant)
		if safe := waiter.Acquired == 0; safe != c.safe {
			t.Errorf("%v, a crash that takes %v: client 2 acquired at %v", c.p, c.lost, waiter.Acquired)
		}
	}
}
