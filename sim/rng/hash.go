package rng

// golden is 2^64 divided by the golden ratio, rounded to odd: the increment of
// SplitMix64. Adding it moves a zero or a small seed to a word with many bits set.
const golden = 0x9e3779b97f4a7c15

// mix is the output function of SplitMix64 (Steele, Lea and Flood, "Fast Splittable
// Pseudorandom Number Generators", OOPSLA 2014, with Stafford's constants, variant
// 13). It is a bijection in which each input bit flips about half the output bits.
func mix(z uint64) uint64 {
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb
	return z ^ (z >> 31)
}

// Hash mixes a seed and any number of keys into one 64-bit key. Order and number of
// keys matter: Hash(s, 1, 2), Hash(s, 2, 1) and Hash(s, 1, 2, 0) are unrelated.
//
// Use it for the seed of a stream (one per link, disk, client) and for noise keyed by
// a counter, where the n-th value must not depend on how often others were asked.
// It is not a cryptographic hash. It does not allocate.
func Hash(seed uint64, keys ...uint64) uint64 {
	// The count of keys enters first, or Hash(s, k) could be continued into Hash(s, k, 0).
	h := mix(seed + golden*(uint64(len(keys))+1))
	for _, k := range keys {
		h = mix((h ^ k) + golden)
	}
	return h
}

// HashString maps a name to a 64-bit key for [Hash]: 64-bit FNV-1a (Fowler, Noll, Vo;
// RFC 9923), then a mixing round, because FNV's high bits are weak for short names.
// The mapping is part of the replay format and does not change.
func HashString(s string) uint64 {
	h := uint64(0xcbf29ce484222325)
	for i := 0; i < len(s); i++ {
		h = (h ^ uint64(s[i])) * 0x100000001b3
	}
	return mix(h + golden)
}
