package models

import (
	"fmt"
	"time"

	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/rng"
)

// Env is the world in which a lock system is built, with the parameters of the run.
type Env struct {
	Fleet    *host.Fleet
	Recorder *history.Recorder
	Params   Params
	// Clients are the clients' hosts, by index. Threads of one process share one.
	Clients []*host.Host
	// Fsync is the time that a server's disk takes to make a write durable.
	Fsync rng.Dist
	// RhoPPB bounds the rate error of every clock, in parts per billion; a promise
	// of d may last only d·(1−ρ) of true time.
	RhoPPB int64
	// EveryMessage has those messages sent, too, that make no difference to anything: heartbeats of
	// consensus clusters (package raftkv), and attempts to get a lock that cannot succeed (package
	// redis).
	EveryMessage bool
	// Seed is that of the current trial.
	Seed uint64
}

// Servers makes the hosts of a role: "redis/1", "redis/2", and so on.
func (e *Env) Servers(role string, n int) []*host.Host {
	hosts := make([]*host.Host, n)
	for i := range hosts {
		hosts[i] = e.Fleet.NewHost(fmt.Sprintf("%s/%d", role, i+1))
	}
	return hosts
}

// Stream returns a named stream of the current trial. Streams with other names or
// indices do not disturb it.
func (e *Env) Stream(name string, index int) rng.Stream {
	return rng.New(rng.Hash(e.Seed, rng.HashString(name), uint64(index)), e.Fleet.World.Digest())
}

// PromiseEnd returns when a promise of length ttl that starts at an instant of true
// time is sure to be over for nobody: the length is reduced by the clock bound and by
// the granularity of the clock that measures it.
func (e *Env) PromiseEnd(start sim.Time, ttl, granularity time.Duration) sim.Time {
	shrink := time.Duration(int64(ttl)/1_000_000_000*e.RhoPPB + int64(ttl)%1_000_000_000*e.RhoPPB/1_000_000_000)
	return start.Add(ttl - shrink - granularity)
}

// Note puts a remark about a hold into the record, with the time of the host on which it was
// made.
func (e *Env) Note(h *host.Host, hold history.HoldID, text string) {
	e.Recorder.Add(history.Record{Kind: history.Note, Hold: hold, Local: time.Duration(h.Mono()), Text: text})
}
