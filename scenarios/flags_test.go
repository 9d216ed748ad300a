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
