package rng

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestChanceText(t *testing.T) {
	for text, want := range map[string]struct {
		chance Chance
		text   string
	}{
		"0.1%":        {Chance{1, 1000}, "0.1%"},
		"1/1000":      {Chance{1, 1000}, "0.1%"},
		"0.001":       {Chance{1, 1000}, "0.1%"},
		" 50% ":       {Chance{1, 2}, "50%"},
		"100%":        {Chance{1, 1}, "100%"},
		"1":           {Chance{1, 1}, "100%"},
		"7/7":         {Chance{1, 1}, "100%"},
		"0":           {Chance{}, "0%"},
		"0/5":         {Chance{}, "0%"},
		"0.0%":        {Chance{}, "0%"},
		"1/3":         {Chance{1, 3}, "1/3"},
		"2/6":         {Chance{1, 3}, "1/3"},
		"1/3%":        {Chance{1, 300}, "1/300"},
		"99.999999%":  {Chance{99999999, 100000000}, "99.999999%"},
		"12.5%":       {Chance{1, 8}, "12.5%"},
		"1/1024":      {Chance{1, 1024}, "1/1024"},
		"0.00000005%": {Chance{1, 2000000000}, "1/2000000000"},
		"9223372036854775806/9223372036854775807": {Chance{9223372036854775806, 9223372036854775807}, "9223372036854775806/9223372036854775807"},
	} {
		c, err := ParseChance(text)
		if err != nil || c != want.chance || c.String() != want.text {
			t.Errorf("%q is %v = %q (%v), want %v = %q", text, c, c.String(), err, want.chance, want.text)
		}
	}
	if text := (Chance{2, 4}).String(); text != "50%" {
		t.Errorf("2/4 is written %q", text)
	}
}

func TestChanceErrors(t *testing.T) {
	for text, problem := range map[string]string{
		"":                        "expected a whole number",
		"%":                       "expected a whole number",
		"often":                   "expected a whole number",
		"-1%":                     "expected a whole number",
		"101%":                    "above 100%",
		"1.001":                   "above 100%",
		"3/2":                     "above 100%",
		"1/0":                     "divides by zero",
		"1/-2":                    "expected a whole number",
		"1%%":                     "expected a whole number",
		"1 %":                     "unexpected",
		"1/2 of them":             "unexpected",
		"0.12345678901234567%":    "16 decimals",
		"0.1234567890123456789":   "18 decimals",
		"99999999999999999999/99": "larger than",
	} {
		_, err := ParseChance(text)
		if err == nil || !strings.Contains(err.Error(), problem) || !strings.Contains(err.Error(), "accepted forms: 0.1%") {
			t.Errorf("%q: %v, want an error about %q", text, err, problem)
		}
	}
}

// TestChanceRoundTrip: the text of a chance is read back to the same ratio.
func TestChanceRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		den := rapid.OneOf(rapid.Int64Range(1, 200), rapid.SampledFrom([]int64{1e3, 1e6, 1e8, 1e9, 1<<63 - 1}), rapid.Int64Min(1)).Draw(t, "den")
		c := Chance{rapid.Int64Range(0, den).Draw(t, "num"), den}
		back, err := ParseChance(c.String())
		if err != nil {
			t.Fatal(err)
		}
		g := gcd(max(c.Num, 1), den)
		if want := (Chance{c.Num / g, den / g}); c.Num > 0 && back != want || c.Num == 0 && back != (Chance{}) {
			t.Fatalf("%d/%d is written %q and read as %v", c.Num, c.Den, c, back)
		}
	})
}

func TestChanceSample(t *testing.T) {
	for _, c := range []struct {
		chance Chance
		least  int
		most   int
	}{
		{Chance{}, 0, 0}, {Chance{0, 7}, 0, 0}, {Chance{7, 7}, 10000, 10000},
		{Chance{1, 4}, 2500 - 200, 2500 + 200}, // more than four deviations
	} {
		s := New(1, nil)
		before, hits := s, 0
		for range 10000 {
			if c.chance.Sample(&s) {
				hits++
			}
		}
		if hits < c.least || hits > c.most {
			t.Errorf("%v: %d of 10000", c.chance, hits)
		}
		if certain := c.least == c.most; certain != (s == before) {
			t.Errorf("%v: a certain answer made a draw, or an uncertain one none", c.chance)
		}
	}
}
