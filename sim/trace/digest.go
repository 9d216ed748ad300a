package trace

// Digest is a running 64-bit fingerprint of a run: every event and every random
// draw is mixed into it, in order, so two runs with the same digest did the same
// things. It is a checksum for determinism, not a cryptographic hash.
type Digest uint64

// Mix folds one 64-bit word into the digest. It is a multiply-xorshift round (the
// finalizer of SplitMix64), cheap enough to stay on for every event.
func (d *Digest) Mix(word uint64) {
	z := (uint64(*d) ^ word) + 0x9e3779b97f4a7c15
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb
	*d = Digest(z ^ (z >> 31))
}

// Sum returns the digest so far.
func (d Digest) Sum() uint64 { return uint64(d) }
