package fault

import (
	"slices"
	"time"

	"fencepost/sim"
	"fencepost/sim/clock"
	"fencepost/sim/host"
	"fencepost/sim/network"
)

// strike is one action that has fired once: what it imposed, so that just that is lifted
// again, and what came of it.
type strike struct {
	slot   int // its place in the pool
	open   bool
	fault  int // index in the plan
	number int // of the firing
	line   int // of the ledger
	action *Action

	host   *host.Host
	client int              // whose host it is, or -1
	side   []network.NodeID // hosts on its side of the links that it disturbs
	peers  []network.NodeID // and at their other ends
	length time.Duration
	until  sim.Time
	by     time.Duration // of a moved clock

	shadowed bool   // what is in force already does as much, and for as long
	changed  bool   // it made a difference at once
	covered  uint64 // what had been made late on the host before
	rules    []network.Rule
	hold     network.Hold
	disk     host.Slowdown
	jitter   clock.Jitter
}

// pool keeps strikes for reuse. A strike stays where it is while the network refers to
// its rules.
type pool struct {
	list []*strike
	free []int
}

func (p *pool) get() *strike {
	var s *strike
	if k := len(p.free); k > 0 {
		s, p.free = p.list[p.free[k-1]], p.free[:k-1]
	} else {
		s = &strike{slot: len(p.list)}
		p.list = append(p.list, s)
	}
	*s = strike{slot: s.slot, open: true, side: s.side[:0], peers: s.peers[:0], rules: s.rules[:0]}
	return s
}

func (p *pool) put(s *strike) {
	s.open = false
	p.free = append(p.free, s.slot)
}

// reset frees every strike; the first ones are used first again.
func (p *pool) reset() {
	p.free = p.free[:0]
	for slot := len(p.list) - 1; slot >= 0; slot-- {
		p.put(p.list[slot])
	}
}

// state is what the strikes in force do to one host together.
type state struct {
	down               int               // crashes
	rates              [layers][]*strike // of its clock, the latest last
	slews              []*strike         // of its clocks
	throttles          []*strike         // of its processor
	binding            *strike           // the strictest of them
	rate               int64             // what they come to, parts per billion
	frozen, wallFrozen int               // of its clocks, both and one
}

// reset keeps the memory.
func (s *state) reset() {
	rates := s.rates
	for layer := range rates {
		rates[layer] = rates[layer][:0]
	}
	*s = state{rates: rates, slews: s.slews[:0], throttles: s.throttles[:0]}
}

// without removes a strike from a list.
func without(list []*strike, s *strike) []*strike {
	if i := slices.Index(list, s); i >= 0 {
		return slices.Delete(list, i, i+1)
	}
	return list
}

// changed: what an action did, it did at once.
func changed(s *strike) bool { return s.changed }
