package resource

import (
	"time"

	"fencepost/sim/network"
	"fencepost/sim/rng"
)

// Settings are what a resource is like, whatever its guard. The zero value compares as a request
// takes effect, applies at once, keeps the token through crashes and serves each request once.
type Settings struct {
	// CheckAtRequest: the guard compares when a request arrives, and not again when it takes
	// effect. Otherwise comparison and effect are one step.
	CheckAtRequest bool
	// Apply is how long a write takes from its arrival to its effect. Other requests, which
	// change no data, take effect as they arrive.
	Apply rng.Dist
	// ForgetsToken: a crash of the resource's host takes the token that the guard compares with,
	// as if it were kept in memory beside data on a disk.
	ForgetsToken bool
	// ServesCopies: a request that arrives twice takes effect twice. Otherwise a key of its own
	// tells the copy (IETF, draft-ietf-httpapi-idempotency-key-header).
	ServesCopies bool
}

// TakesTime reports whether a write may take time.
func (s Settings) TakesTime() bool {
	constant, is := s.Apply.IsConstant()
	return !is || constant > 0
}

// Set changes what the resource is like. Seed, with the number of the write, keys the times that
// writes take; it is set before each run.
func (s *Register) Set(to Settings) { s.settings = to }

// Seed keys what is drawn in the run that begins.
func (s *Register) Seed(seed uint64) { s.seed = seed }

// applyTime draws how long a request takes.
func (s *Register) applyTime(m *network.Message) time.Duration {
	if m.Op != OpWrite {
		return 0
	}
	if constant, is := s.settings.Apply.IsConstant(); is {
		return constant
	}
	s.writes++
	stream := rng.New(rng.Hash(s.seed, rng.HashString("resource.apply"), s.writes), s.host.World().Digest())
	return s.settings.Apply.Sample(&stream)
}
