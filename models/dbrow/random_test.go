package dbrow

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fencepost/models/modeltest"
	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
	"fencepost/sim/rng"
)

// stormClients are the clients of a storm; the database's host comes after theirs.
const stormClients = 3

// dealt is what happens to the database in a storm: anything but to its clock and its disk.
func dealt(draw modeltest.Draw, at sim.Time) modeltest.Blow {
	long := draw.Duration("length", ms, 8*second)
	lost := host.Lost(draw("lost", 0, 1))
	client := draw("client", 0, stormClients-1)
	kind := draw("kind", 0, 3)
	return modeltest.Blow{At: at, Class: sim.ClassFault, Deal: func(f *host.Fleet, later func(time.Duration, func())) {
		db := f.Hosts[stormClients]
		switch kind {
		case 0:
			db.Pause(f.World.Now().Add(long))
		case 1:
			db.Crash(lost)
			db.RestartAt(f.World.Now().Add(long), false)
		case 2:
			db.Disk.Stall(f.World.Now().Add(long))
		default:
			a, b := []network.NodeID{db.ID}, []network.NodeID{f.Hosts[client].ID}
			rules := network.TwoWay(nil, network.Rule{Cut: true}, a, b)
			for i := range rules {
				f.Net.Impose(&rules[i])
			}
			later(long, func() {
				for i := range rules {
					f.Net.Lift(&rules[i])
				}
			})
		}
	}}
}

// storm draws a trial: clients that come again and again, and blows to them, to their clocks
// and to the database.
func storm(r *rig, trouble *modeltest.Trouble, draw modeltest.Draw) {
	r.Env.Fsync = rng.Constant(draw.Duration("fsync", 100*µs, 200*ms))
	r.Reset(uint64(draw("seed", 1, 1_000_000)))
	var blows []modeltest.Blow
	for i := range draw("blows", 0, 8) {
		at := at(time.Duration(i)*2*second + draw.Duration("at", ms, 2*second))
		if draw("whose", 0, 1) == 0 {
			blows = append(blows, draw.Blow(at, []int{0, 1, 2}))
		} else {
			blows = append(blows, dealt(draw, at))
		}
	}
	trouble.Reset(blows)
	for client := range stormClients {
		start, while := draw.Duration("start", ms, 2*second), draw.Duration("hold", ms, 6*second)
		r.Env.Clients[client].Go("client", func(p *host.Process) {
			p.Sleep(start)
			for {
				hold := r.Recorder.NewHold(client, history.Executor(client+1))
				if _, err := r.Lockers[client].Acquire(p, hold); err == nil {
					p.Sleep(while)
					r.Recorder.Add(history.Record{Kind: history.ReleaseBegin, Hold: hold})
					_ = r.Lockers[client].Release(p)
				}
				p.Sleep(100 * ms)
			}
		})
	}
	r.Run(40 * second)
}

// stormed checks many storms.
func stormed(t *testing.T, params set, check func(t *rapid.T, r *rig)) {
	all := set{"ttl": "2s", "timeout": "1s", "idle-in-transaction": "3s"}
	for name, v := range params {
		all[name] = v
	}
	r := newRig(t, stormClients, all)
	trouble := modeltest.NewTrouble(r.Fleet)
	grants := 0
	rapid.Check(t, func(t *rapid.T) {
		draw := modeltest.Draw(func(what string, lo, hi int) int { return rapid.IntRange(lo, hi).Draw(t, what) })
		storm(r, trouble, draw)
		for _, rec := range r.Recorder.Records {
			if rec.Kind == history.Grant {
				grants++
			}
		}
		check(t, r)
	})
	t.Logf("%d grants", grants)
}

// Whatever happens to clients, their clocks and the network, and whenever the database
// crashes, it breaks no promise by its own clock, and tokens rise.
func TestPromisesAreKept(t *testing.T) {
	for _, age := range []string{"0s", "1s"} {
		stormed(t, set{"time": "database-clock", "token": "column", "transaction-age": age}, func(t *rapid.T, r *rig) {
			if found := r.Grants.Findings(); len(found) > 0 {
				t.Fatalf("found %+v in %+v", found, r.Recorder.Records)
			}
			token := int64(0)
			for _, rec := range r.Recorder.Records {
				if rec.Kind == history.Grant && rec.Token <= token {
					t.Fatalf("token %d after %d", rec.Token, token)
				} else if rec.Kind == history.Grant {
					token = rec.Token
				}
			}
		})
	}
}

// With the time of transactions the only promises that are broken are those that the record
// has noted, by not more than it noted.
func TestOnlyStaleTimeBreaksPromises(t *testing.T) {
	modeltest.ManyTrials(t)
	for _, params := range []set{{}, {"transaction-age": "1s"}, {"client": "shedlock", "owner": "unique"}} {
		stormed(t, params, func(t *rapid.T, r *rig) {
			for _, f := range r.Grants.Findings() {
				if left := f.To.Sub(f.At); left > r.stale(f.First) {
					t.Fatalf("%v are left of a promise: %+v in %+v", left, f, r.Recorder.Records)
				}
			}
		})
	}
}

// stale is by how much at most a hold's lease was too short, as the record has it.
func (r *rig) stale(hold history.HoldID) (most time.Duration) {
	for _, text := range r.notes(hold) {
		var words string
		if _, err := fmt.Sscanf(text, "the lease counts from %s earlier,", &words); err != nil {
			continue
		}
		if d, err := time.ParseDuration(words); err == nil {
			most = max(most, d)
		}
	}
	return most
}

// A world that is used again is as good as new.
func TestReset(t *testing.T) {
	for _, params := range []set{{"token": "column"}, {"client": "shedlock", "time": "client"}, {"client": "shedlock", "ttl": "30s", "keep-alive": "on"}} {
		digest := func(r *rig) uint64 {
			r.Reset(7)
			r.run(0, 0, 3*second)
			r.run(1, second, 0)
			r.At(2*second, func() { r.db().Disk.Stall(at(4 * second)) })
			r.crash(5*second, host.LoseUnsynced)
			r.Run(60 * second)
			return r.World.Digest().Sum()
		}
		used, fresh := newRig(t, 2, params), newRig(t, 2, params)
		digest(used)
		equal(t, "digest", digest(used), digest(fresh))
	}
}
