package journal

import (
	"fmt"
	"strconv"
	"strings"
)

// Shard is a part of a sweep's batches: each Of-th from the Index-th on, counted from 1. The zero
// value is all of them.
type Shard struct{ Index, Of int }

// MaxShards bounds how many shards a sweep is divided into.
const MaxShards = 100_000

// ParseShard reads i/n.
func ParseShard(text string) (Shard, error) {
	index, of, ok := strings.Cut(text, "/")
	i, errI := strconv.Atoi(index)
	n, errN := strconv.Atoi(of)
	if !ok || errI != nil || errN != nil || n < 1 || n > MaxShards || i < 1 || i > n {
		return Shard{}, fmt.Errorf("%q is not a shard: write i/n with i from 1 to n, such as 3/8, and n up to %d", text, MaxShards)
	}
	return Shard{i, n}, nil
}

// String writes the shard as ParseShard reads it.
func (s Shard) String() string {
	if s.Of == 0 {
		return whole
	}
	return fmt.Sprintf("%d/%d", s.Index, s.Of)
}

const whole = "all"

// Has reports whether a batch is one of the shard's. Batches are numbered through all cells, so that
// each shard gets some of every long cell.
func (s Shard) Has(number int) bool { return s.Of == 0 || number%s.Of == s.Index-1 }

// MarshalText implements [encoding.TextMarshaler].
func (s Shard) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (s *Shard) UnmarshalText(text []byte) (err error) {
	if string(text) == whole {
		*s = Shard{}
		return nil
	}
	*s, err = ParseShard(string(text))
	return err
}
