package redisreplica

import (
	"testing"

	"fencepost/models/modeltest"
)

// BenchmarkIdleMinute is a minute of three servers and Sentinels without clients.
func BenchmarkIdleMinute(b *testing.B) {
	r := modeltest.New(b, New(), 1, nil)
	b.ReportAllocs()
	for b.Loop() {
		r.Reset(1)
		r.Run(60 * second)
	}
}
