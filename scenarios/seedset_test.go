package scenarios

import "testing"

// TestSeedSet: seeds come back in the order of the sweep, in ranges, whatever the order in which
// they were found.
func TestSeedSet(t *testing.T) {
	all, err := ParseSeeds("1-100,7000,500-502")
	if err != nil {
		t.Fatal(err)
	}
	var s seedSet
	for _, i := range []uint64{102, 64, 0, 63, 2, 1, 100, 103} {
		s.add(i)
	}
	some := s.of(all)
	if got := some.String(); got != "1-3,64-65,7000,501-502" {
		t.Error(got)
	}
	if !some.Has(2) || some.Has(4) || some.Has(500) || !some.Has(502) {
		t.Error(some)
	}
	if got := (seedSet)(nil).of(all); got != nil {
		t.Error(got)
	}
}
