package stats_test

import (
	"slices"

	"pgregory.net/rapid"
)

func encoded(t interface{ Fatal(...any) }, v interface{ MarshalText() ([]byte, error) }) string {
	text, err := v.MarshalText()
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

type merger[T any] interface {
	*T
	Merge(*T)
}

// grouped puts shuffled observations into some accumulators, of which some stay empty.
func grouped[T, O any](t *rapid.T, observations []O, add func(*T, O)) []*T {
	parts := make([]*T, rapid.IntRange(1, 6).Draw(t, "parts"))
	for i := range parts {
		parts[i] = new(T)
	}
	for _, o := range rapid.Permutation(observations).Draw(t, "order") {
		add(parts[rapid.IntRange(0, len(parts)-1).Draw(t, "part")], o)
	}
	return parts
}

// mergedInTree merges any two of the parts until one is left.
func mergedInTree[T any, M merger[T]](t *rapid.T, parts []*T) *T {
	for len(parts) > 1 {
		from := rapid.IntRange(0, len(parts)-1).Draw(t, "from")
		part := parts[from]
		parts = slices.Delete(parts, from, from+1)
		M(parts[rapid.IntRange(0, len(parts)-1).Draw(t, "into")]).Merge(part)
	}
	return parts[0]
}
