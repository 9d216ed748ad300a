package edn

import (
	"encoding/json"
	"fmt"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

func TestNumber(t *testing.T) {
	for text, want := range map[string]string{
		"0": "0", "-0": "0", "0.000": "0", "-0e9": "0", "1": "1", "+1": "1", "1.0": "1", "10e-1": "1", "1e2": "100", "1E+2": "100",
		"-1.50": "-1.5", "0.05": "0.05", "5e-2": "0.05", "9007199254740993": "9007199254740993",
		"1e20": "100000000000000000000", "100000000000000000000000": "1e23", "1e23": "1e23",
		"1e-30": "1e-30", "1e99999999999999999999": "1e99999999999999999999", "10e99999999999999999998": "1e99999999999999999999",
	} {
		if got := Number(text); got != want {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
	}
}

// Two numbers are written alike exactly if they are equal, and what is written is the number.
func TestNumbersAreRationals(t *testing.T) {
	draw := rapid.Custom(func(t *rapid.T) string {
		return rapid.SampledFrom([]string{"", "-"}).Draw(t, "sign") + fmt.Sprint(rapid.IntRange(0, 200).Draw(t, "whole")) +
			rapid.SampledFrom([]string{"", ".0", ".10", ".01", ".5000"}).Draw(t, "fraction") +
			rapid.SampledFrom([]string{"", "e0", "e1", "E+2", "e-1", "e-2", "e25", "e-25"}).Draw(t, "exponent")
	})
	rational := func(text string) *big.Rat {
		r, ok := new(big.Rat).SetString(text)
		if !ok {
			t.Fatalf("%s is no number", text)
		}
		return r
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := draw.Draw(t, "a"), draw.Draw(t, "b")
		if alike := Number(a) == Number(b); alike != (rational(a).Cmp(rational(b)) == 0) {
			t.Fatalf("%s and %s are %s and %s", a, b, Number(a), Number(b))
		}
		if got := Number(a); !json.Valid([]byte(got)) || rational(got).Cmp(rational(a)) != 0 {
			t.Fatalf("%s is written as %s", a, got)
		}
	})
}
