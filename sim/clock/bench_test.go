package clock

import (
	"testing"
	"time"

	"fencepost/sim"
)

// sink keeps the readings of a benchmark alive.
var sink int64

// BenchmarkClock reads clocks that run at a constant rate, which is what most runs do.
func BenchmarkClock(b *testing.B) {
	for _, c := range []struct {
		name string
		rate int64
	}{{"perfect", 0}, {"steady", 30_000}} {
		var k Clock
		k.SetRate(0, c.rate)
		b.Run(c.name+"/mono", func(b *testing.B) {
			for i := range b.N {
				sink += int64(k.Mono(sim.Time(i)))
			}
		})
		b.Run(c.name+"/wall", func(b *testing.B) {
			for i := range b.N {
				sink += int64(k.Wall(sim.Time(i)))
			}
		})
		b.Run(c.name+"/when", func(b *testing.B) {
			for i := range b.N {
				sink += int64(k.When(sim.Time(i), Mono(i).Add(time.Second)))
			}
		})
	}
}
