package stats

import (
	"fmt"
	"math/big"
	"math/bits"
	"strconv"
	"time"
)

// Buckets are log-linear: each power of two is cut into 2^octaveBits of the same width, and below
// 2^(octaveBits+1) ns each nanosecond has its own.
const (
	octaveBits = 7
	perOctave  = 1 << octaveBits
	buckets    = (63-octaveBits-1)*perOctave + 2*perOctave
)

// Latencies is a sketch of durations: it counts them in buckets of whole nanoseconds, whose width
// is at most 1/128 (0.8 %) of the durations in it. What it answers is exact about the buckets. The
// zero value is empty; each power of two in which there is a duration takes 1 kB, and all of them 60.
// Sketches of parts merge to the sketch of the whole,
// exactly.
//
// The layout is that of G. Tene's HdrHistogram with seven bits per octave.
type Latencies struct {
	pages    []*page // of counts by bucket, as many as the highest needs; nil of one without a count
	count    int64
	min, max int64 // nanoseconds, if count > 0
}

// page has the counts of as many buckets as a power of two has. Most durations of a lock are of a few
// powers, and a grid has thousands of cells with three sketches each.
type page [perOctave]int64

// bucketOf returns the bucket of ns >= 0.
func bucketOf(ns int64) int {
	shift := max(0, bits.Len64(uint64(ns))-octaveBits-1)
	return shift*perOctave + int(ns>>shift)
}

// bucketBounds returns the least and the largest duration in a bucket, in nanoseconds.
func bucketBounds(bucket int) (least, largest int64) {
	shift := max(0, bucket/perOctave-1)
	least = int64(bucket-shift*perOctave) << shift
	return least, least + (1<<shift - 1)
}

// Add counts a duration. It panics if that is negative.
func (l *Latencies) Add(d time.Duration) {
	if d < 0 {
		panic(fmt.Sprintf("stats: a latency of %v", d))
	}
	l.put(bucketOf(int64(d)), 1, int64(d), int64(d))
}

func (l *Latencies) put(bucket int, count, least, largest int64) {
	at := bucket / perOctave
	if at >= len(l.pages) {
		l.pages = append(l.pages, make([]*page, at+1-len(l.pages))...)
	}
	if l.pages[at] == nil {
		l.pages[at] = new(page)
	}
	if l.count == 0 {
		l.min, l.max = least, largest
	}
	l.pages[at][bucket%perOctave] += count
	l.count += count
	l.min, l.max = min(l.min, least), max(l.max, largest)
}

// filled goes through the buckets that have a count, from the lowest on.
func (l *Latencies) filled(yield func(bucket int, count int64) bool) {
	for at, p := range l.pages {
		if p == nil {
			continue
		}
		for i, count := range p {
			if count > 0 && !yield(at*perOctave+i, count) {
				return
			}
		}
	}
}

// Merge adds what other has counted.
func (l *Latencies) Merge(other *Latencies) {
	for bucket, count := range other.filled {
		l.put(bucket, count, other.min, other.max)
	}
}

// Count is how many durations were added.
func (l *Latencies) Count() int64 { return l.count }

// Min is the shortest duration, exactly; 0 of none.
func (l *Latencies) Min() time.Duration { return time.Duration(l.min) }

// Max is the longest duration, exactly; 0 of none.
func (l *Latencies) Max() time.Duration { return time.Duration(l.max) }

// Quantile returns between what durations, both included, the q-quantile of those added lies: the
// least of them that at least a share of q does not exceed (the nearest rank). high is what to
// print: no more than 1/128 above the quantile itself. 0 and 1 give the exact Min and Max, and so
// does a q that the count is too small for: 0.9999 is the maximum of fewer than 10 000.
//
// q is taken for the decimal number that it prints as, so that 0.55 of 100 is the 55th. It panics
// unless 0 <= q <= 1. Of no durations, both are 0.
func (l *Latencies) Quantile(q float64) (low, high time.Duration) {
	if !(0 <= q && q <= 1) {
		panic(fmt.Sprintf("stats: quantile %v is not between 0 and 1", q))
	}
	if l.count == 0 {
		return 0, 0
	}
	rank := nearestRank(q, l.count)
	switch rank {
	case 1:
		return l.Min(), l.Min()
	case l.count:
		return l.Max(), l.Max()
	}
	least, largest := bucketBounds(l.ranked(rank))
	return time.Duration(max(least, l.min)), time.Duration(min(largest, l.max))
}

// ranked is the bucket of the duration of a rank, counted from 1.
func (l *Latencies) ranked(rank int64) int {
	for bucket, count := range l.filled {
		if rank -= count; rank <= 0 {
			return bucket
		}
	}
	panic("stats: a rank beyond the count")
}

// nearestRank is q times count, rounded up, and at least 1.
func nearestRank(q float64, count int64) int64 {
	share, _ := new(big.Rat).SetString(strconv.FormatFloat(q, 'g', -1, 64))
	share.Mul(share, new(big.Rat).SetInt64(count))
	rank, rest := new(big.Int).QuoRem(share.Num(), share.Denom(), new(big.Int))
	if rest.Sign() > 0 {
		rank.Add(rank, big.NewInt(1))
	}
	return max(1, rank.Int64())
}
