package stats

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

const latenciesHead = "latencies/7"

// MarshalText encodes the sketch as one line without its end: a head that names the layout, then, if
// it is not empty, min and max in nanoseconds, and one word for each run of neighbouring buckets
// that are not empty, with the first one's number and all their counts:
//
//	latencies/7 3000 1004500 699:1 1780:2,1
//
// The same durations give the same bytes, in whatever order and parts they were added and merged.
// The error is always nil.
func (l *Latencies) MarshalText() ([]byte, error) {
	text := []byte(latenciesHead)
	if l.count == 0 {
		return text, nil
	}
	text = fmt.Appendf(text, " %d %d", l.min, l.max)
	next := -1
	for bucket, count := range l.filled {
		if bucket == next {
			text = append(text, ',')
		} else {
			text = fmt.Appendf(text, " %d:", bucket)
		}
		next = bucket + 1
		text = strconv.AppendInt(text, count, 10)
	}
	return text, nil
}

// UnmarshalText replaces the sketch by the one that [Latencies.MarshalText] encoded as text. An
// error wraps [ErrEncoding] and leaves the sketch as it was.
func (l *Latencies) UnmarshalText(text []byte) error {
	read, err := readLatencies(string(text))
	if err != nil {
		return fmt.Errorf("%w of latencies: %w", ErrEncoding, err)
	}
	if err := written(text, "latencies", &read); err != nil {
		return err
	}
	*l = read
	return nil
}

func readLatencies(text string) (Latencies, error) {
	var l Latencies
	words := strings.Split(text, " ")
	switch {
	case words[0] != latenciesHead:
		return l, fmt.Errorf("it begins with %.20q instead of %q", words[0], latenciesHead)
	case len(words) == 1:
		return l, nil
	case len(words) < 4:
		return l, fmt.Errorf("%d words instead of min, max and at least one run of buckets", len(words)-1)
	}
	least, err := readCount("min", words[1], 0, math.MaxInt64)
	if err != nil {
		return l, err
	}
	largest, err := readCount("max", words[2], least, math.MaxInt64)
	if err != nil {
		return l, err
	}
	first, next := int64(-1), int64(0) // of the buckets
	for _, run := range words[3:] {
		begin, counts, _ := strings.Cut(run, ":")
		bucket, err := readCount("bucket", begin, next, buckets-1)
		if err != nil {
			return l, err
		}
		if first < 0 {
			first = bucket
		}
		for number := range strings.SplitSeq(counts, ",") {
			if bucket >= buckets {
				return l, fmt.Errorf("more than %d buckets", buckets)
			}
			count, err := readCount("count", number, 1, math.MaxInt64-l.count)
			if err != nil {
				return l, err
			}
			l.put(int(bucket), count, least, largest)
			bucket++
		}
		next = bucket
	}
	if first != int64(bucketOf(least)) || next != int64(bucketOf(largest)+1) {
		return l, fmt.Errorf("min %d and max %d are not in the first and in the last bucket", least, largest)
	}
	if l.count == 1 && least != largest {
		return l, fmt.Errorf("one latency with min %d and max %d", least, largest)
	}
	return l, nil
}
