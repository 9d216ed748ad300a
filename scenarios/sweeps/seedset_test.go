package sweeps

import "testing"

// TestSeedsOneByOne: seeds that follow each other become ranges, in the order in which they come.
func TestSeedsOneByOne(t *testing.T) {
	var some Seeds
	for _, seed := range []uint64{1, 2, 3, 64, 65, 7000, 501, 502} {
		some = some.With(seed)
	}
	if got := some.String(); got != "1-3,64-65,7000,501-502" {
		t.Error(got)
	}
	if !some.Has(2) || some.Has(4) || some.Has(500) || !some.Has(502) {
		t.Error(some)
	}
	if got := some.and(Seeds{{503, 510}, {512, 512}}).String(); got != "1-3,64-65,7000,501-510,512" {
		t.Error(got)
	}
	var back Seeds
	if text, _ := some.MarshalText(); back.UnmarshalText(text) != nil || back.String() != some.String() {
		t.Error(back)
	}
	if text, _ := Seeds(nil).MarshalText(); back.UnmarshalText(text) != nil || back != nil {
		t.Error(back)
	}
}

func TestSetsOfSeeds(t *testing.T) {
	a, b := Seeds{{5, 9}, {1, 2}}, Seeds{{2, 6}, {20, 20}}
	if got := a.Minus(b).String(); got != "7-9,1" {
		t.Error(got)
	}
	if got := a.Union(b).String(); got != "5-9,1-4,20" {
		t.Error(got)
	}
	if got := a.String(); got != "5-9,1-2" {
		t.Errorf("the list itself is now %s", got)
	}
	if Seeds(nil).Minus(a) != nil || len(a.Minus(a)) != 0 {
		t.Error("of nothing nothing is left")
	}
}
