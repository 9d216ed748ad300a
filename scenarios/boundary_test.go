package scenarios

import (
	"strings"
	"testing"

	"fencepost/models"
	"fencepost/models/resource"
)

// bounded is the shipped boundary with other values.
// TestSidesOfABoundary: they are compared as what they mean.
func TestSidesOfABoundary(t *testing.T) {
	for sides, says := range map[string]string{
		"under: 12s, over: 12000ms": "both sides of the boundary are at 12000ms",
		"under: 20s, over: 2s":      "`over: 2s` is less than `under: 20s`",
		"under: 2s, over: 20s":      "",
		"under: 5ppm, over: 7ppm":   "",
	} {
		_, mistakes := parse("a.yaml", []byte("name: a\nparams: {p: 1s}\nclients: [{between: $p}]\nboundary: {param: p, "+sides+", property: exclusion}\n"))
		switch {
		case says == "" && len(mistakes) > 0:
			t.Errorf("%s: %v", sides, mistakes)
		case says != "" && (len(mistakes) == 0 || !strings.Contains(mistakes[0].Message, says)):
			t.Errorf("%s: %v, want %q", sides, mistakes, says)
		}
	}
}

// TestNoUTF8: bytes in another encoding are refused, with their place.
func TestNoUTF8(t *testing.T) {
	for content, at := range map[string]string{"name: a\ntitle: \u00e4\xff\n": "a.yaml:2:9: ", "\xff\xfen\x00": "a.yaml:1:1: "} {
		if _, err := Parse("a.yaml", []byte(content)); err == nil || !strings.HasPrefix(err.Error(), at+"this byte is no UTF-8") {
			t.Errorf("%q: %v, want it at %s", content, err, at)
		}
	}
}

// TestDeepNesting: what would take the YAML library's time and memory by the square is refused, with
// its place, and what is deep and closed is not.
func TestDeepNesting(t *testing.T) {
	for text, want := range map[string]string{
		"name: a\nx: " + strings.Repeat("[", 400_000):                               "a.yaml:2:504: more than 500 brackets are open here",
		"name: a\nx: " + strings.Repeat("{a: ", 400_000):                            "more than 500 brackets are open here",
		"name: a\nx: " + strings.Repeat("[", 400) + strings.Repeat("]", 400) + "\n": "unknown field",
	} {
		if _, err := Parse("a.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.30q: %.200v, want %q", text, err, want)
		}
	}
}

func bounded(t *testing.T, replace ...string) (*Scenario, error) {
	t.Helper()
	content, _ := libraryFile("lease-boundary")
	return Parse("mine.yaml", []byte(strings.NewReplacer(replace...).Replace(string(content))))
}

// sideDiffers runs one side of a boundary under Redis.
func sideDiffers(t *testing.T, s *Scenario, side string) string {
	t.Helper()
	v, err := s.variant(side)
	if err != nil {
		t.Fatal(err)
	}
	r := registry(t)
	in, err := v.Instantiate(r, nil)
	if err != nil {
		t.Fatal(err)
	}
	redis, _ := r.Find("redis")
	plans, err := in.Plans([]models.Lock{redis}, resource.Guards[:1])
	if err != nil {
		t.Fatal(err)
	}
	return digests(t, plans, 1)[0].Differs
}

// A boundary makes two variants, and each expects its side of the flip.
func TestBoundary(t *testing.T) {
	s, err := bounded(t)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(s.VariantNames(), " "); got != "lease-boundary/just-over lease-boundary/just-under" {
		t.Errorf("variants %s", got)
	}
	v, err := s.variant(justUnder)
	if err != nil {
		t.Fatal(err)
	}
	if v.Title != "A pause as long as the lease: fault.pause just under the boundary (99% of ttl)" || v.Params[0].Default != "99% of ttl" {
		t.Errorf("%q, %v", v.Title, v.Params)
	}
}

// A verdict that does not flip is not as expected, on the side where it is wrong.
func TestAVerdictThatDoesNotFlip(t *testing.T) {
	for _, c := range []struct {
		under, over, breaks, differsUnder, differsOver string
	}{
		{"99% of ttl", "101% of ttl", "over", "", ""},
		{"101% of ttl", "110% of ttl", "over", "exclusion is violated, expected ok", ""},
		{"90% of ttl", "99% of ttl", "over", "", "exclusion is ok, expected violated"},
		{"99% of ttl", "101% of ttl", "under", "exclusion is ok, expected violated", "exclusion is violated, expected ok"},
	} {
		s, err := bounded(t, "under: 99% of ttl", "under: "+c.under, "over: 101% of ttl", "over: "+c.over+"\n  breaks: "+c.breaks)
		if err != nil {
			t.Fatal(err)
		}
		if got := sideDiffers(t, s, justUnder); got != c.differsUnder {
			t.Errorf("%s, breaks %s: %q, want %q", c.under, c.breaks, got, c.differsUnder)
		}
		if got := sideDiffers(t, s, justOver); got != c.differsOver {
			t.Errorf("%s, breaks %s: %q, want %q", c.over, c.breaks, got, c.differsOver)
		}
	}
}

func TestMistakesInBoundaries(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"param: fault.pause", "param: pause", "$pause is not a parameter of this scenario; accepted: fault.pause, ttl"},
		{"  under: 99% of ttl\n", "", "a boundary needs `param:`, `under:`, `over:` and `property:`"},
		{"over: 101% of ttl", "over: 99% of ttl", "both sides of the boundary are at 99% of ttl"},
		{"property: exclusion", "property: inclusion", `"inclusion" is not known here; accepted: grants, exclusion`},
		{"property: exclusion", "property: exclusion\n  breaks: both", `"both" is not known here; accepted: over, under`},
		{"boundary:", "variants: {just-over: {until: 1m}}\nboundary:", "the variant just-over is made from `boundary:`"},
		{"boundary:", "variants: {late: {boundary: {param: ttl}}}\nboundary:", "variant late has a boundary of its own"},
	} {
		if _, err := bounded(t, c.old, c.new); err == nil || !strings.Contains(err.Error(), c.want) || strings.HasPrefix(err.Error(), "mine.yaml: ") {
			t.Errorf("%s: %v, want %s", c.new, err, c.want)
		}
	}
}

// A length can be a share of a lock's parameter of time; a lock without it cannot have the fault.
func TestShareOfAParameter(t *testing.T) {
	content := strings.Replace(minimal, "for: 15s", "for: 99% of ttl", 1)
	s, err := Parse("mine.yaml", []byte(content))
	if err != nil {
		t.Fatal(err)
	}
	r := registry(t)
	in, err := s.Instantiate(r, nil)
	if err != nil {
		t.Fatal(err)
	}
	plans, err := in.Plans(r.Locks(), resource.Guards[:1])
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range plans {
		switch p.Describe.Name {
		case "redis":
			if got, ok := p.faults[0].Actions[0].Length.IsConstant(); !ok || got.String() != "9.9s" {
				t.Errorf("the pause is %v long", got)
			}
		case "local":
			if p.NotApplicable != "local has no ttl" {
				t.Errorf("local: %q", p.NotApplicable)
			}
		}
	}
	wrong := strings.Replace(content, "of ttl", "of tttl", 1)
	if err := check(t, wrong, "", nil); err == nil || !strings.HasPrefix(err.Error(), `mine.yaml:11:29: "tttl" is not known here; accepted: takeover`) {
		t.Errorf("a parameter that no lock has: %v", err)
	}
}
