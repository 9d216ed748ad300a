package clock

import (
	"slices"
	"testing"
	"time"

	"fencepost/sim"
	"fencepost/sim/rng"
	"fencepost/sim/trace"
)

// TestJitter: reads are off by no more than the bound, either way; the clock itself and
// the monotonic clock are not; who else reads, and what, shifts no draw.
func TestJitter(t *testing.T) {
	read := func(every time.Duration, others func(c *Clock)) (offs []time.Duration, sum uint64) {
		var c Clock
		var d trace.Digest
		c.AddJitter(&Jitter{Dist: rng.Uniform(0, ms), Key: 7}, &d)
		for i := range 1000 {
			at := sim.Time(i) * sim.Time(every)
			others(&c)
			if c.Wall(at) != Wall(at) || c.Mono(at) != Mono(at) {
				t.Fatal("the clock itself is off")
			}
			offs = append(offs, c.ReadWall(at).Sub(Wall(at)))
		}
		return offs, d.Sum()
	}
	offs, sum := read(sec, func(*Clock) {})
	ahead, behind := 0, 0
	for _, off := range offs {
		if off > ms || off < -ms {
			t.Errorf("a read is off by %v", off)
		}
		if off > 0 {
			ahead++
		} else if off < 0 {
			behind++
		}
	}
	if ahead < 400 || behind < 400 {
		t.Errorf("%d reads ahead, %d behind", ahead, behind)
	}
	again, sumAgain := read(7*ms, func(c *Clock) { c.Mono(0); c.Wall(0); c.Boottime(0) })
	if !slices.Equal(offs, again) {
		t.Error("others that read shift the draws")
	}
	if sum != sumAgain || sum == 0 {
		t.Error("the digests of the draws differ, or are none")
	}
}

// reads is by how much each of a number of reads is off.
func reads(c *Clock, n int) (offs []time.Duration) {
	for range n {
		offs = append(offs, c.ReadWall(0).Sub(0))
	}
	return offs
}

// TestJittersAddUp: each has its own noise, which no other shifts, and goes on with it if
// it comes back.
func TestJittersAddUp(t *testing.T) {
	alone := func(key uint64, n int) []time.Duration {
		var c Clock
		c.AddJitter(&Jitter{Dist: rng.Uniform(0, ms), Key: key}, nil)
		return reads(&c, n)
	}
	first, second := alone(1, 30), alone(2, 20)
	if slices.Equal(first[:20], second) || slices.Equal(first[:10], first[10:20]) {
		t.Fatal("noise is not keyed by the jitter and its reads")
	}
	var c Clock
	one, two := &Jitter{Dist: rng.Uniform(0, ms), Key: 1}, &Jitter{Dist: rng.Uniform(0, ms), Key: 2}
	c.AddJitter(one, nil)
	got := reads(&c, 10)
	c.AddJitter(two, nil)
	got = append(got, reads(&c, 10)...)
	c.RemoveJitter(one)
	got = append(got, reads(&c, 10)...)
	c.RemoveJitter(one) // once more
	c.RemoveJitter(two)
	got = append(got, reads(&c, 10)...)
	c.AddJitter(one, nil)
	got = append(got, reads(&c, 10)...)
	for i, off := range got {
		var want time.Duration
		switch i / 10 {
		case 0:
			want = first[i]
		case 1:
			want = first[i] + second[i-10]
		case 2:
			want = second[i-10]
		case 4:
			want = first[i-20]
		}
		if off != want {
			t.Errorf("read %d is off by %v, want %v", i, off, want)
		}
	}
	if one.Reads != 30 || two.Reads != 20 {
		t.Errorf("%d and %d reads, want 30 and 20", one.Reads, two.Reads)
	}
	c.Reset()
	if offs := reads(&c, 1); offs[0] != 0 {
		t.Error("a reset does not end a jitter")
	}
}
