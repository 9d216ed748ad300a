package sweeps

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestSeedsAgainstAList compares ranges with the list of all seeds written out.
func TestSeedsAgainstAList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var parts []string
		var want []uint64
		next := uint64(1)
		for range rapid.IntRange(1, 5).Draw(t, "ranges") {
			first := next + rapid.Uint64Range(0, 5).Draw(t, "gap")
			last := first + rapid.Uint64Range(0, 5).Draw(t, "length")
			parts = append(parts, Seeds{{first, last}}.String())
			for s := first; s <= last; s++ {
				want = append(want, s)
			}
			next = last + 1
		}
		seeds, err := ParseSeeds(strings.Join(parts, ","))
		if err != nil {
			t.Fatal(err)
		}
		if seeds.Len() != uint64(len(want)) {
			t.Fatalf("%d seeds, want %d", seeds.Len(), len(want))
		}
		for i, w := range want {
			if got := seeds.At(uint64(i)); got != w {
				t.Fatalf("seed %d is %d, want %d", i, got, w)
			}
		}
	})
}

func TestBadSeeds(t *testing.T) {
	for _, text := range []string{"", "0", "x", "5-1", "1-", "-3", "1,,2", "1-3,2", "1.5", "99999999999999999999", "1-9999999999999"} {
		if seeds, err := ParseSeeds(text); err == nil {
			t.Errorf("%q is accepted: %v", text, seeds)
		}
	}
}
