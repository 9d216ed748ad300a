package scenarios

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fencepost/models"
	"fencepost/models/resource"
)

// withVariants is the minimal scenario with variants of it.
const withVariants = minimal + `variants:
  longer:
    until: 90s
    params: {ttl: 20s}
    lock: {drift: 2%}
  calm:
    title: Nothing happens
    faults:
      - pause: {client: 2, for: 1s}
        at: 5s
`

// variantOf reads a variant of a scenario.
func variantOf(t *testing.T, content, name string) *Scenario {
	t.Helper()
	s, err := Parse("mine.yaml", []byte(content))
	if err != nil {
		t.Fatal(err)
	}
	v, err := s.variant(name)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// A variant has its own keys, and for the rest those of the file: parameters and those of
// locks are overruled one by one, lists as a whole.
func TestVariantsOverruleKeys(t *testing.T) {
	s, err := Parse("mine.yaml", []byte(withVariants))
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(s.VariantNames(), " "); got != "mine/calm mine/longer" {
		t.Errorf("variants %s", got)
	}
	longer := variantOf(t, withVariants, "longer")
	if longer.Name != "mine/longer" || longer.file.Until.raw() != "90s" || longer.Params[0].Default != "20s" {
		t.Errorf("%s until %s with ttl %s", longer.Name, longer.file.Until.raw(), longer.Params[0].Default)
	}
	if len(longer.file.Lock) != 2 || longer.file.Lock["ttl"].raw() != "$ttl" || len(longer.file.Faults) != 1 {
		t.Errorf("lock %v, %d faults", longer.file.Lock, len(longer.file.Faults))
	}
	if calm := variantOf(t, withVariants, "calm"); calm.Title != "Nothing happens" || calm.file.Faults[0].When != nil || len(calm.file.Clients) != 2 {
		t.Errorf("calm: %q, %+v", calm.Title, calm.file.Faults)
	}
	if s.file.Until.raw() != "30s" || len(s.file.Lock) != 1 || s.Params[0].Default != "10s" {
		t.Error("a variant has changed the scenario itself")
	}
}

func TestMistakesInVariants(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"  calm:", "  calm:\n    name: other", "mine.yaml:19:11: a variant is named by its key"},
		{"  calm:\n    title: Nothing happens", "  Calm:", `mine.yaml:18:3: "Calm" cannot name a variant`},
		{"    until: 90s", "    untill: 90s", "mine.yaml:15:5: unknown field \"untill\"; accepted: name, title"},
		{"    until: 90s", "    variants: {a: {until: 3s}}", "mine.yaml:14:3: variant longer has variants of its own"},
		{"params: {ttl: 20s}", "params: {Ttl: 20s}", `"Ttl" cannot name a parameter`},
	} {
		content := strings.Replace(withVariants, c.old, c.new, 1)
		if _, err := Parse("mine.yaml", []byte(content)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.new, err, c.want)
		}
	}
	if _, err := Load("kleppmann/beyond"); err == nil || !strings.Contains(err.Error(), "accepted: beyond-takeover") {
		t.Errorf("a variant that does not exist: %v", err)
	}
}

// A mistake in the file is told whichever variant of it is asked for.
func TestAMistakeBesideAVariant(t *testing.T) {
	file := filepath.Join(t.TempDir(), "mine.yaml")
	content := strings.Replace(withVariants, "between:", "betwen:", 1)
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(file + "/calm"); err == nil || !strings.Contains(err.Error(), `unknown field "betwen"`) {
		t.Errorf("%v", err)
	}
}

// The token of a variant names it, and finds it again.
func TestTokenOfAVariant(t *testing.T) {
	token, err := ParseToken("v1/kleppmann/beyond-takeover@0123456789ab/redis/none/3/ttl=5s")
	if err != nil {
		t.Fatal(err)
	}
	if token.Scenario != "kleppmann/beyond-takeover" || token.Hash != "0123456789ab" || token.Lock != "redis" || token.Seed != 3 || token.Params["ttl"] != "5s" {
		t.Errorf("%+v", token)
	}
}

// A length can be a share of the lock's takeover: Redis' is the TTL, a millisecond and the
// longest retry delay, here 10.251 s.
func TestShareOfTheTakeover(t *testing.T) {
	content := strings.Replace(minimal, "for: 15s", "for: 200% of takeover", 1)
	s, err := Parse("mine.yaml", []byte(content))
	if err != nil {
		t.Fatal(err)
	}
	r := registry(t)
	in, err := s.Instantiate(r, nil)
	if err != nil {
		t.Fatal(err)
	}
	redis, _ := r.Find("redis")
	plans, err := in.Plans([]models.Lock{redis}, resource.Guards[:1])
	if err != nil {
		t.Fatal(err)
	}
	if got, ok := plans[0].faults[0].Actions[0].Length.IsConstant(); !ok || got.String() != "20.502s" {
		t.Errorf("the pause is %v long", got)
	}
	wrong := strings.Replace(content, "200%", "two%", 1)
	if err := check(t, wrong, "", nil); err == nil || !strings.Contains(err.Error(), "mine.yaml:11:29: \"two% of takeover\" is no share") {
		t.Errorf("a share that is no number: %v", err)
	}
}
