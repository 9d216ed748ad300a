// Package rng holds the simulator's randomness: seeded streams of draws and
// distributions of durations that give the same nanosecond on every machine.
//
// # Streams
//
// A [Stream] is a small value made by [New] from a 64-bit seed. Derive one seed per
// concern (a link, a disk, a client) with [Hash] and [HashString], so that adding a
// node does not shift what the others draw:
//
//	s := rng.New(rng.Hash(seed, rng.HashString("net/link"), from, to), &digest)
//	delay := rng.LogNormal(45*time.Microsecond, 0.3).Sample(&s)
//
// Every 64-bit word drawn is folded into the digest given to New, so two runs with
// one digest made the same draws in the same order.
//
// # Distributions
//
// A [Dist] is built by a constructor or read by [Parse] from the text form used in
// scenario files, and printed back by [Dist.String]. [Presets] lists distributions
// taken from published measurements, each with its source.
// [Chance] is a probability as a ratio of whole numbers.
//
// # Portability
//
// This is the one place on the replay path where floating point is allowed. IEEE 754
// fixes the result of +, -, *, / and square root, so those give the same bits
// everywhere; what differs between machines is the library's exponential and
// logarithm (assembly on some, Go on others) and fused multiply-add, which the
// language lets a compiler use for x*y + z. The package therefore carries its own
// exponential, logarithm and normal quantile, wraps every product that may meet a sum
// in an explicit float64 conversion (which forbids the fusion), and rounds to whole
// nanoseconds before a value leaves it.
package rng
