package chubby

import (
	"fmt"
	"testing"
	"time"

	"fencepost/checker/monitor"
	"fencepost/models/client"
	"fencepost/models/resource"
	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/rng"
)

// asked is a resource that asks the master before it serves, and two clients that use it.
type asked struct {
	*rig
	machine  *host.Host
	register *resource.Store
	harm     *monitor.Resource
}

func newAsked(t *testing.T, params map[string]int64) *asked {
	x := &asked{rig: newRig(t, 2, params), harm: &monitor.Resource{}}
	x.machine = x.Fleet.NewHost("resource")
	guard, _ := resource.FindGuard("ask-service")
	x.register = resource.NewStore(x.machine, x.Recorder, guard, resource.Settings{})
	x.register.AskWith(x.System.(*System).CheckToken)
	for _, h := range x.Fleet.Hosts {
		x.Net.SetDelay(h.ID, x.machine.ID, rng.Constant(ms))
		x.Net.SetDelay(x.machine.ID, h.ID, rng.Constant(ms))
	}
	x.Reset(1)
	x.register.Reset(1)
	x.Recorder.Observers = append(x.Recorder.Observers, x.harm)
	return x
}

// section has a client hold the lock, and read and write, with work between the two.
func (x *asked) section(i int, start, between time.Duration) {
	c := &client.Client{Index: i, Locker: x.Lockers[i], Resource: x.register.Addr(), Recorder: x.Recorder, OnDone: func() {},
		Workload: client.Workload{Start: start, Cycles: 1, Between: rng.Constant(between), Check: client.CheckNever, RequestTimeout: time.Second}}
	c.Start(x.Env.Clients[i], fmt.Sprintf("client %d", i+1))
}

// check asks the master about a generation, from the resource's machine.
func (x *asked) check(generation int64) (valid bool) {
	answered := false
	x.machine.Go("asking", func(p *host.Process) {
		valid, answered = x.System.(*System).CheckToken(p, 1, generation), true
	})
	x.Run(x.World.Now().Duration() + 30*time.Second)
	if !answered {
		x.t.Fatalf("no answer about generation %d", generation)
	}
	return valid
}

// A sequencer is good as long as the session of its generation holds the lock (2.4), also for
// a master that was elected since; not after a release, and not if the session has ended.
func TestCheckSequencer(t *testing.T) {
	x := newAsked(t, nil)
	first := x.Lock(0, 0, 3*time.Minute)
	x.Run(10 * time.Second)
	if !x.check(1) || x.check(2) || x.check(0) {
		t.Error("generation 1 is held, and no other is")
	}
	heal := x.isolate(x.master())
	if !x.check(1) {
		t.Error("the new master does not know the holder")
	}
	heal()
	x.Run(4 * time.Minute)
	if first.Released == 0 || x.check(1) {
		t.Errorf("released at %v, and generation 1 is good", first.Released)
	}
	x.Lock(1, 0, 24*time.Hour)
	x.Run(5*time.Minute + 10*time.Second)
	if !x.check(2) || x.check(1) {
		t.Error("generation 2 is held, and no other is")
	}
	x.Env.Clients[1].Crash(host.LoseMemory)
	x.Run(8 * time.Minute)
	if x.check(2) {
		t.Error("the session has ended, and its generation is good")
	}
}

// A holder that stood still until another had the lock is refused.
func TestAskingRefusesAFormerHolder(t *testing.T) {
	x := newAsked(t, lease(10*time.Second, 10*time.Second))
	x.section(0, 0, 10*time.Second)
	x.section(1, 5*time.Second, time.Second)
	x.At(5*time.Second, func() { x.Env.Clients[0].Pause(sim.Time(2 * time.Minute)) })
	x.Run(4 * time.Minute)
	if x.harm.Violated() || len(x.Records(1, history.Reject)) != 1 || len(x.Records(2, history.Write)) != 1 {
		t.Errorf("%+v, refused %d", x.harm.Findings(), len(x.Records(1, history.Reject)))
	}
}

// Check and effect are two steps: while the answer is under way the holder gives up waiting and
// releases, the next one reads, and then the write is served that was good when it was checked.
func TestCheckAndEffectAreNotAtomic(t *testing.T) {
	x := newAsked(t, nil)
	x.section(0, 0, 10*time.Second)
	x.section(1, 5*time.Second, 10*time.Second)
	x.OnStep(0, "write.sent", func() {
		x.holdBack(x.Server("chubby", x.master()), x.machine, OpChecked, 12500*ms)
	})
	x.Run(5 * time.Minute)
	if got := len(x.Records(1, history.Write)); got != 1 || x.harm.LostUpdates != 1 {
		t.Errorf("%d stale writes, %+v", got, x.harm.Findings())
	}
}
