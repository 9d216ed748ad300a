package host

import (
	"time"

	"fencepost/sim"
	"fencepost/sim/network"
	"fencepost/sim/rng"
)

var (
	opAsk    = network.NewOp("test.ask")
	opAnswer = network.NewOp("test.answer")
)

// rig is a world with a fleet, for tests.
type rig struct {
	world *sim.World
	net   *network.Network
	fleet *Fleet
}

func newRig() *rig {
	r := &rig{world: &sim.World{}}
	r.net = network.New(r.world)
	r.fleet = NewFleet(r.world, r.net)
	r.world.Reset(1)
	return r
}

// reset prepares for another run, in the order in which a trial does it.
func (r *rig) reset(seed uint64) {
	r.fleet.Reset()
	r.world.Reset(seed)
	r.net.Reset(seed)
}

// run runs up to an instant.
func (r *rig) run(until time.Duration) sim.Outcome { return r.world.Run(at(until)) }

// delays sets one delay for all links.
func (r *rig) delays(d rng.Dist) {
	for _, from := range r.fleet.Hosts {
		for _, to := range r.fleet.Hosts {
			r.net.SetDelay(from.ID, to.ID, d)
		}
	}
}

// echo is a server that answers every message with its value, and notes the instants.
type echo struct {
	host   *Host
	heard  []int64
	timers []int
	whens  []sim.Time
}

func (s *echo) Receive(m *network.Message) {
	s.heard = append(s.heard, m.Value)
	s.host.Reply(m, network.Body{Op: opAnswer, Value: m.Value})
}

func (s *echo) Timer(tag int) {
	s.timers = append(s.timers, tag)
	s.whens = append(s.whens, s.host.World().Now())
}

func (r *rig) echo(name string) *echo {
	s := &echo{host: r.fleet.NewHost(name)}
	s.host.Server = s
	return s
}

func at(d time.Duration) sim.Time { return sim.Time(0).Add(d) }

const ms = time.Millisecond
