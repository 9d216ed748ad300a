package wrap

import (
	"reflect"
	"testing"
)

func TestWords(t *testing.T) {
	for text, want := range map[string][]string{
		"":                            nil,
		"for 9.640 s; it":             {"for", "9.640 s;", "it"},
		"at 10.219 s (token 1)":       {"at", "10.219 s", "(token", "1)"},
		"(12.5 ms) of 3 µs, 1 s.":     {"(12.5 ms)", "of", "3 µs,", "1 s."},
		"< 7.2 % of 50 trials (95 %)": {"< 7.2 %", "of", "50", "trials", "(95 %)"},
		"client 1 s":                  {"client", "1 s"},
		"in 2024. s stands for":       {"in", "2024.", "s", "stands", "for"},
		"v1 s":                        {"v1", "s"},
		"a > b":                       {"a", ">", "b"},
	} {
		if got := Words(text); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestLines(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  []string
	}{
		{"lasted for 9.640 s", 16, []string{"lasted for", "9.640 s"}},
		{"lasted for 9.640 s", 18, []string{"lasted for 9.640 s"}},
		{"incomprehensible words", 5, []string{"incomprehensible", "words"}},
		{"µµµµ µµµµ", 9, []string{"µµµµ µµµµ"}},
		{" ", 9, []string{""}},
	} {
		if got := Lines(c.text, c.width); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q to %d: %q, want %q", c.text, c.width, got, c.want)
		}
	}
}
