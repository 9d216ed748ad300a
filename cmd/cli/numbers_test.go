package cli

import (
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// TestNumbers: numbers are decimal, and what is none is told without Go's own words.
func TestNumbers(t *testing.T) {
	for text, want := range map[string]string{
		"100": "", "-3": "", "0": "", "010": "without zeros before it", "0x10": "a whole number", "1_000": "a whole number", "+5": "a whole number",
		"1e3": "a whole number", "x": "a whole number", "": "a whole number", "99999999999999999999": "too large",
	} {
		var n int
		flags := pflag.NewFlagSet("", pflag.ContinueOnError)
		wholeVar(flags, &n, "trials", 7, "")
		checkNumber(t, flags.Set("trials", text), text, want)
		if got := flags.Lookup("trials").Value.String(); want == "" && got != text || want != "" && got != "7" {
			t.Errorf("%q is %s", text, got)
		}
	}
	for text, want := range map[string]string{
		"0.2": "", "1e-3": "", "5": "", "x": "write a number", "NaN": "write a number", "inf": "write a number", "0x1p-2": "write a number", "": "write a number", "1e999": "write a number",
	} {
		var x float64
		flags := pflag.NewFlagSet("", pflag.ContinueOnError)
		decimalVar(flags, &x, "width", 7, "")
		checkNumber(t, flags.Set("width", text), text, want)
	}
}

func checkNumber(t *testing.T, err error, text, want string) {
	t.Helper()
	if (err == nil) != (want == "") || err != nil && (!strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "strconv")) {
		t.Errorf("%q: %v, want %q", text, err, want)
	}
}
