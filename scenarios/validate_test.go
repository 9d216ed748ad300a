package scenarios

import (
	"strings"
	"testing"
)

// broken has a mistake of every sort, and some in a variant alone.
const broken = `name: mine
until: 30s
params: {ttl: 10s, spare: 1s}
lock:
  ttl: $ttl
  tttl: 3s
clients:
  - between: 50ms
    betwixt: 3s
  - start: soon
    cycles: many
faults:
  - pause: {client: 1, for: 15s}
    when: {client: 1, step: write.sendd}
expect:
  - locks: [redis, redish]
    exclusion: broken
variants:
  late:
    until: 1s
    clients:
      - check: sometimes
  early:
    faults:
      - pause: {client: 2, for: 15s}
        at: 1s
`

// Validate finds every mistake, in variants too, each with its place and once.
func TestValidateFindsEveryMistake(t *testing.T) {
	want := []string{
		`mine.yaml:3:27: parameter "spare" is not used`,
		`mine.yaml:5:8: lock dbrow: its ttl of 10s is not shorter than the run (until: 1s), so the lease could never expire in it (in variant late)`,
		`mine.yaml:6:9: no lock system has a parameter "tttl"`,
		`mine.yaml:9:5: unknown field "betwixt"`,
		`mine.yaml:10:12: "soon" is not a duration`,
		`mine.yaml:11:13: "many" is not a whole number`,
		`mine.yaml:14:29: no selected lock can have this fault`,
		`mine.yaml:16:20: "redish" is not known here`,
		`mine.yaml:17:16: "broken" is not known here`,
		`mine.yaml:22:16: "sometimes" is not known here`,
	}
	mistakes := Validate(registry(t), "mine.yaml", []byte(broken))
	for i, m := range mistakes {
		if i >= len(want) || !strings.HasPrefix(m.Error(), want[i]) {
			t.Errorf("mistake %d: %v", i, m)
		}
	}
	if len(mistakes) != len(want) {
		t.Errorf("%d mistakes, want %d", len(mistakes), len(want))
	}
}
