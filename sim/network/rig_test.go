package network

import (
	"time"

	"fencepost/sim"
	"fencepost/sim/rng"
)

const ms = time.Millisecond

var (
	opA = NewOp("test.a")
	opB = NewOp("test.b")
)

// rig is a network of hosts that note what they get, and of actions at instants.
type rig struct {
	world   *sim.World
	net     *Network
	hosts   []*sink
	target  sim.TargetID
	actions []func()
}

// sink is a host that notes what it gets.
type sink struct {
	rig         *rig
	id          NodeID
	incarnation uint32
	got         []got
	on          func(m *Message)
}

type got struct {
	from  NodeID
	op    *Op
	value int64
	at    time.Duration
}

func (s *sink) Incarnation() uint32 { return s.incarnation }

func (s *sink) Deliver(m *Message) {
	s.got = append(s.got, got{m.From.Node, m.Op, m.Value, s.rig.world.Now().Duration()})
	if s.on != nil {
		s.on(m)
	}
}

func newRig(hosts ...string) *rig {
	r := &rig{world: &sim.World{}}
	r.world.Reset(1)
	r.net = New(r.world)
	r.target = r.world.Register(r)
	for _, name := range hosts {
		s := &sink{rig: r}
		s.id = r.net.Attach(name, s)
		r.hosts = append(r.hosts, s)
	}
	r.net.Reset(1)
	return r
}

// Fire implements [sim.Target].
func (r *rig) Fire(e sim.Event) { r.actions[e.Slot]() }

// do runs an action at an instant, before what arrives then.
func (r *rig) do(at time.Duration, action func()) {
	r.actions = append(r.actions, action)
	r.world.Schedule(sim.ClassFault, sim.Event{At: sim.Time(at), Target: r.target, Slot: int32(len(r.actions) - 1)})
}

func (r *rig) send(from, to NodeID, op *Op, value int64) {
	r.net.Send(Addr{Node: from}, Addr{Node: to}, 0, &Body{Op: op, Value: value})
}

// sendAt sends at an instant, after the faults of that instant.
func (r *rig) sendAt(at time.Duration, from, to NodeID, op *Op, value int64) {
	r.actions = append(r.actions, func() { r.send(from, to, op, value) })
	r.world.Schedule(sim.ClassTimer, sim.Event{At: sim.Time(at), Target: r.target, Slot: int32(len(r.actions) - 1)})
}

func (r *rig) delays(d rng.Dist) {
	for _, from := range r.hosts {
		for _, to := range r.hosts {
			r.net.SetDelay(from.id, to.id, d)
		}
	}
}

func (r *rig) run() { r.world.Run(sim.Forever) }

// values returns what a host got from another, in order.
func (s *sink) values(from NodeID) []int64 {
	var v []int64
	for _, g := range s.got {
		if g.from == from {
			v = append(v, g.value)
		}
	}
	return v
}
