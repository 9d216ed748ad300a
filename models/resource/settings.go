package resource

import (
	"time"

	"fencepost/sim/network"
	"fencepost/sim/rng"
)

// Settings are what a resource is like, whatever its guard. The zero value compares as a request
// takes effect, applies at once, keeps the token through crashes and serves each request once.
type Settings struct {
	// Kind is what it is; empty is a [Register].
	Kind Kind
	// Objects is how many of the kind a holder reads and writes; 0 is one.
	Objects int
	// CheckAtRequest: the guard compares when a request arrives, and not again when it takes
	// effect. Otherwise comparison and effect are one step.
	CheckAtRequest bool
	// Apply is how long a write takes from its arrival to its effect. Other requests, which
	// change no data, take effect as they arrive.
	Apply rng.Dist
	// ForgetsToken: a crash of the resource's host takes the token that the guard compares with,
	// as if it were kept in memory beside data on a disk.
	ForgetsToken bool
	// ServesCopies: a write, a mark or an effect that arrives twice is served twice. Otherwise a key
	// of its own tells the copy of a write and of an effect (IETF,
	// draft-ietf-httpapi-idempotency-key-header), and of a mark the number of its call that of the
	// network, but not one that the client sends again.
	ServesCopies bool
	// States is how many contents an [Object] goes through, again and again; 0 is that each is new.
	States int
	// ContentETag: the version of an [Object] is a digest of its content, as an ETag of Amazon S3
	// is, and not a number of its own, as a generation of Google Cloud Storage.
	ContentETag bool
	// RecordsFirst: a holder records an [Effect] as done before it has it done.
	RecordsFirst bool
	// JobKey: what does an [Effect] does each job once.
	JobKey bool
	// GuardsEffect: the guard compares the request for an [Effect] as it does a write.
	GuardsEffect bool
	// Lasts is how long an [Effect] goes on, whatever becomes of who began it.
	Lasts rng.Dist
}

// Count is how many objects there are.
func (s *Settings) Count() int { return max(1, s.Objects) }

// TakesTime reports whether a write may take time.
func (s Settings) TakesTime() bool {
	constant, is := s.Apply.IsConstant()
	return !is || constant > 0
}

// applyTime draws how long a request takes.
func (s *Store) applyTime(m *network.Message) time.Duration {
	if m.Op != OpWrite {
		return 0
	}
	return s.draw(s.settings.Apply, "resource.apply")
}

// draw draws a time that is keyed by how many were drawn before it.
func (s *Store) draw(d rng.Dist, what string) time.Duration {
	if constant, is := d.IsConstant(); is {
		return constant
	}
	s.drawn++
	stream := rng.New(rng.Hash(s.seed, rng.HashString(what), s.drawn), s.host.World().Digest())
	return d.Sample(&stream)
}
