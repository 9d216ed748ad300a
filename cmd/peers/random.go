package peers

import (
	"math"
	"math/rand/v2"
	"time"

	"fencepost/sim/rng"
	"fencepost/sim/trace"
)

// unit is one time unit of the workloads.
const unit = time.Second

// Seeds of the draws in check mode, the same in every program.
const (
	arrivalSeed = 12345
	serviceSeed = 987654321
	holdSeed    = 55555
)

// shared is the generator of check mode, the "minimal standard" of S. Park and K. Miller
// (Communications of the ACM, October 1988) with the multiplier 48271.
func shared(seed uint64, rate float64) func() time.Duration {
	state := seed
	return func() time.Duration {
		state = state * 48271 % 2147483647
		return nanos(-math.Log(float64(state)/2147483647) / rate)
	}
}

// plain draws with Go's own generator.
func plain(seed uint64, rate float64) func() time.Duration {
	random := rand.New(rand.NewPCG(seed, seed))
	return func() time.Duration { return nanos(random.ExpFloat64() / rate) }
}

// ours draws with the simulator's own streams, into the digest.
func ours(digest *trace.Digest) func(seed uint64, rate float64) func() time.Duration {
	return func(seed uint64, rate float64) func() time.Duration {
		stream := rng.New(seed, digest)
		dist := rng.Exponential(nanos(1 / rate))
		return func() time.Duration { return dist.Sample(&stream) }
	}
}

func nanos(units float64) time.Duration { return time.Duration(math.Round(units * float64(unit))) }
