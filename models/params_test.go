package models

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// What is written can be read, and is the same.
func TestFormatParses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := Param{Unit: rapid.SampledFrom([]Unit{Duration, Count, Millionths}).Draw(t, "unit")}
		greatest := map[Unit]int64{Duration: int64(MaxDuration), Count: maxCount, Millionths: 1e13 - 1} // nine digits of percent
		v := rapid.Int64Range(0, greatest[p.Unit]).Draw(t, "value")
		text := p.Format(v)
		if got, err := p.Parse(text); err != nil || got != v {
			t.Fatalf("%d is written as %q, which is read as %d, %v", v, text, got, err)
		}
	})
}

// A choice is one of its words, kept as the word's place.
func TestChoice(t *testing.T) {
	p := Param{Name: "persistence", Unit: Choice, Choices: []string{"none", "everysec", "always"}, Default: 1}
	for place, word := range p.Choices {
		if v, err := p.Parse(word); err != nil || v != int64(place) || p.Format(v) != word {
			t.Errorf("%q is read as %d, %v, and written as %q", word, v, err, p.Format(v))
		}
	}
	for _, wrong := range []string{"", "Always", "2", "none "} {
		if _, err := p.Parse(wrong); err == nil || !strings.Contains(err.Error(), "none of its values: none, everysec, always") {
			t.Errorf("%q: %v", wrong, err)
		}
	}
	if got := Defaults([]Param{p}).Choice("persistence"); got != 1 {
		t.Errorf("the default is %d", got)
	}
}

func TestParse(t *testing.T) {
	ttl := TTL(10*time.Second, time.Second, "")
	count := Param{Unit: Count, Min: 1, Max: 9}
	share := Param{Unit: Millionths, Max: 1_000_000}
	for _, c := range []struct {
		param Param
		text  string
		want  int64
	}{
		{ttl, "1s", 1e9}, {ttl, "1m30s", 90e9}, {ttl, "1500ms", 15e8},
		{count, "1", 1}, {count, "9", 9},
		{share, "0%", 0}, {share, "1%", 10_000}, {share, "0.25%", 2500}, {share, "0.0001%", 1}, {share, "100%", 1_000_000}, {share, "1.50%", 15_000},
	} {
		if got, err := c.param.Parse(c.text); err != nil || got != c.want {
			t.Errorf("%q is read as %d, %v; want %d", c.text, got, err, c.want)
		}
	}
}

// An error says what would be right.
func TestParseErrors(t *testing.T) {
	ttl := TTL(10*time.Second, time.Second, "")
	count := Param{Unit: Count, Min: 1, Max: 9}
	share := Param{Unit: Millionths, Max: 1_000_000}
	const percent = "is not a percentage: write one such as 1% or 0.25%"
	for _, c := range []struct {
		param      Param
		text, want string
	}{
		{ttl, "10", `"10" is not a duration: write a number and a unit, such as 250ms, 10s or 1m30s`},
		{ttl, "", "is not a duration"}, {ttl, "soon", "is not a duration"},
		{ttl, "999ms", "999ms is too small: at least 1s"}, {ttl, "-5s", "too small"},
		{count, "1.5", `"1.5" is not a whole number`}, {count, "five", "is not a whole number"},
		{Param{Unit: Duration}, "87601h", "87601h is too long: at most 87600h0m0s"}, {ttl, "87601h", "too long"},
		{Param{Unit: Count}, "2147483648", "2147483648 is too large: at most 2147483647"},
		{count, "99999999999999999999", "is not a whole number"},
		{count, "0", "0 is out of range: 1 to 9"}, {count, "10", "10 is out of range: 1 to 9"},
		{share, "1", percent}, {share, "%", percent}, {share, ".%", percent}, {share, "", percent}, {share, "1.%", percent}, {share, ".5%", percent},
		{share, "-1%", percent}, {share, "+1%", percent}, {share, "1.2.3%", percent}, {share, "0.00001%", percent},
		{share, "1e2%", percent}, {share, "1 %", percent}, {share, "1%%", percent}, {share, "1.-5%", percent},
		{share, "12345678901%", percent},
		{share, "101%", "101% is out of range: 0% to 100%"},
	} {
		if got, err := c.param.Parse(c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q is read as %d, %v; want an error with %q", c.text, got, err, c.want)
		}
	}
}

func TestParams(t *testing.T) {
	p := Defaults([]Param{TTL(10*time.Second, 0, ""), {Name: "n", Unit: Count, Default: 5}, {Name: "share", Unit: Millionths, Default: 7}})
	if len(p) != 3 || p.Duration("ttl") != 10*time.Second || p.Int("n") != 5 || p.Millionths("share") != 7 {
		t.Errorf("defaults %v", p)
	}
	defer func() {
		if r := recover(); r == nil || !strings.Contains(r.(string), `"rho"`) {
			t.Errorf("a parameter that was not declared: %v", r)
		}
	}()
	p.Int("rho")
}

// A token may depend on the parameters, and a system without one has it with none.
func TestHasToken(t *testing.T) {
	sometimes := When(func(p Params) bool { return p.Choice("token") == 1 })
	for _, c := range []struct {
		d    Description
		word int64
		want bool
	}{
		{Description{}, 1, false},
		{Description{TokenWith: Always}, 1, false},
		{Description{Token: "a counter"}, 0, true},
		{Description{Token: "a counter", TokenWith: sometimes}, 0, false},
		{Description{Token: "a counter", TokenWith: sometimes}, 1, true},
	} {
		if got := c.d.HasToken(Params{"token": c.word}); got != c.want {
			t.Errorf("%+v with token %d: %t, want %t", c.d, c.word, got, c.want)
		}
	}
}
