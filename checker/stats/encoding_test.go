package stats_test

import (
	"errors"
	"testing"

	"fencepost/checker/stats"
)

// FuzzUnmarshalText: whatever is not refused is the one text of what was read.
func FuzzUnmarshalText(f *testing.F) {
	for _, seed := range []string{
		"latencies/7", "latencies/7 3000 1004500 699:1 1780:2,1", "latencies/7 1 3 1:1 3:1",
		"weighted 0 0 0 0 0 0 0 0", "weighted 2 7p-2 19p-4 1.5 1 3p-1 9p-2 1.5", "conditional 2 3p-2 5p-4 0.5", "conditional 1 1p1 1p2 2",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, v := range []interface {
			UnmarshalText([]byte) error
			MarshalText() ([]byte, error)
		}{new(stats.Latencies), new(stats.Weighted), new(stats.Conditional)} {
			if err := v.UnmarshalText([]byte(text)); err != nil {
				if !errors.Is(err, stats.ErrEncoding) {
					t.Errorf("%q: %v", text, err)
				}
				continue
			}
			if got := encoded(t, v); got != text {
				t.Errorf("%q is read as %q", text, got)
			}
		}
	})
}
