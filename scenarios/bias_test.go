package scenarios

import (
	"slices"
	"testing"

	"fencepost/models"
	"fencepost/models/resource"
)

// TestBiasedRunsCanBeRepeated: the token of a biased run is another one than that of its seed.
func TestBiasedRunsCanBeRepeated(t *testing.T) {
	r := registry(t)
	redis, _ := r.Find("redis")
	const seeds = 10 // some are drawn as they are
	digests := func(values map[string]string) (list []uint64, token Token) {
		s, err := Load("rare-pause")
		if err != nil {
			t.Fatal(err)
		}
		in, err := s.Instantiate(r, values)
		if err != nil {
			t.Fatal(err)
		}
		plans, err := in.Plans([]models.Lock{redis}, resource.Guards[:1])
		if err != nil {
			t.Fatal(err)
		}
		trial := NewTrial(plans[0])
		defer trial.Close()
		for seed := range uint64(seeds) {
			result, err := trial.RunSafely(seed + 1)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, result.Digest)
		}
		return list, TokenOf(plans[0], 1)
	}
	biased, token := digests(WithBias(nil))
	again, _ := digests(token.Params)
	plain, _ := digests(nil)
	if !slices.Equal(biased, again) || slices.Equal(biased, plain) {
		t.Errorf("digests %x, again %x, without a bias %x; the token is %s", biased, again, plain, token)
	}
	s, _ := Load("rare-pause")
	if _, err := s.Instantiate(r, map[string]string{estimateParam: "crude"}); err == nil {
		t.Error("a run has no other estimate than a biased one")
	}
}
