package scenarios

import (
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestParseAxis(t *testing.T) {
	for text, want := range map[string][]string{
		"a=1s,2s,3s":                           {"1s", "2s", "3s"},
		"a=1s":                                 {"1s"},
		"a=1s..3s/3":                           {"1s", "2s", "3s"},
		"fault.pause=1s..60s/2":                {"1s", "60s"},
		"a=1s..100s/log:3":                     {"1s", "10s", "100s"},
		"a=1..5/5":                             {"1", "2", "3", "4", "5"},
		"a=uniform(1s, 2s),3s":                 {"uniform(1s, 2s)", "3s"},
		"a=pause/hbase-juliet(1),pause/x(2)":   {"pause/hbase-juliet(1)", "pause/x(2)"},
		"a=500ms..1s/2":                        {"500ms", "1s"},
		"check=never,before-write":             {"never", "before-write"},
		"a=mixture(1: uniform(1s, 2s), 2: 3s)": {"mixture(1: uniform(1s, 2s), 2: 3s)"},
	} {
		axis, err := ParseAxis(text)
		if err != nil || !reflect.DeepEqual(axis.Values, want) {
			t.Errorf("%s: %q, %v, want %q", text, axis.Values, err, want)
		}
	}
	for _, text := range []string{"", "a", "a=", "=1s", "a=1s..2s", "a=1s..2s/0", "a=1s..2s/1", "a=2s..1s/3", "a=1s..1s/3",
		"a=0s..1s/log:3", "a=1s..x/3", "a=1s..2s/log:", "a=1s..2s/99999", "a=1s,,2s", "a=1s,1s", "a=1s.."} {
		if axis, err := ParseAxis(text); err == nil {
			t.Errorf("%q is accepted: %q", text, axis.Values)
		} else if !strings.Contains(err.Error(), "KEY=a..b/n") {
			t.Errorf("%q: the error does not say what would be right: %v", text, err)
		}
	}
}

func TestGridIsEveryCombination(t *testing.T) {
	cells := Grid([]Axis{{"a", []string{"1", "2"}}, {"b", []string{"x", "y", "z"}}})
	want := []map[string]string{{"a": "1", "b": "x"}, {"a": "1", "b": "y"}, {"a": "1", "b": "z"},
		{"a": "2", "b": "x"}, {"a": "2", "b": "y"}, {"a": "2", "b": "z"}}
	if !reflect.DeepEqual(cells, want) {
		t.Errorf("got %v", cells)
	}
	if got := Grid(nil); len(got) != 1 || len(got[0]) != 0 {
		t.Errorf("no axes: %v, want one empty cell", got)
	}
}

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

// TestTokenRoundTrip: whatever the values are, a token reads back as it was, and needs
// no quoting in a shell.
func TestTokenRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := Token{Scenario: "a-b", Hash: "0123456789ab", Lock: "redis", Guard: "none",
			Seed: rapid.Uint64Range(1, 1<<63-1).Draw(t, "seed"), Params: map[string]string{}}
		for _, name := range rapid.SliceOfN(rapid.StringMatching(`[a-z]+(\.[a-z]+)?`), 0, 3).Draw(t, "names") {
			want.Params[name] = rapid.StringN(1, 20, -1).Draw(t, "value")
		}
		text := want.String()
		got, err := ParseToken(text)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%s: %+v, %v, want %+v", text, got, err, want)
		}
		if strings.ContainsAny(text, " \t\n'\"\\$`!*?[]{}()<>|&;#~") {
			t.Fatalf("%s needs quoting", text)
		}
	})
}

func FuzzParseToken(f *testing.F) {
	f.Add("v1/kleppmann@1a2b3c4d5e6f/redlock/none/1/fault.pause=20s,ttl=5s")
	f.Add("v1/x@y/z/w/1")
	f.Fuzz(func(t *testing.T, text string) {
		token, err := ParseToken(text)
		if err != nil {
			return
		}
		again, err := ParseToken(token.String())
		if err != nil || !reflect.DeepEqual(token, again) {
			t.Errorf("%q reads as %+v, which writes as %q and reads as %+v, %v", text, token, token.String(), again, err)
		}
	})
}
