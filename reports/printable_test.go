package reports

import "testing"

func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{
		"plain":         "plain",
		"two\nlines\t":  "two\nlines\t",
		"Größe 😀 ±":     "Größe 😀 ±",
		"\x1b[31mred":   `\x1b[31mred`,
		"a\rb\a\x00":    `a\rb\a\x00`,
		"\u009b2J":      `\u009b2J`,
		"\u202eevil":    `\u202eevil`,
		"\xff":          `\xff`,
		"a sign \ufffd": "a sign \ufffd",
		"\u2028":        `\u2028`,
	} {
		if got := Printable(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}
