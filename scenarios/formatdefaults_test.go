package scenarios

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"fencepost/models"
	"fencepost/models/resource"
)

// beside is what stands beside a key so that it says something at all.
var beside = map[string]string{
	"check-period": "check: timer, ", "renew-late": "renew: 3s, ", "renew-on-error": "renew: 3s, ", "renew-on-loss": "renew: 3s, ",
	"resource check": "apply: 1s, ", "from": "every: 1s, ",
	"etag": "kind: object, ", "order": "kind: effect, ", "job-key": "kind: effect, ", "guarded": "kind: effect, ", "lasts": "kind: effect, ",
}

// TestDefaultsAreWhatHoldsWithoutTheKey: a key with its default written out gives the same
// scenario as without it.
func TestDefaultsAreWhatHoldsWithoutTheKey(t *testing.T) {
	tried := 0
	for _, c := range []struct {
		of   reflect.Type
		file string // KEY is where keys stand
		keys []string
	}{
		{reflect.TypeFor[file](), "name: x\nclients: [{}]\nKEY\n", []string{"until", "wake", "arch"}},
		{reflect.TypeFor[diskPart](), "name: x\nclients: [{}]\ndisk: {KEY}\n", nil},
		{reflect.TypeFor[resourcePart](), "name: x\nclients: [{}]\nresource: {KEY}\n", nil},
		{reflect.TypeFor[clocksPart](), "name: x\nclients: [{}]\nclocks: {KEY}\n", nil},
		{reflect.TypeFor[clientPart](), "name: x\nclients: [{KEY}]\nresource: {kind: references}\n", nil},
		{reflect.TypeFor[whenPart](), "name: x\nclients: [{}]\nfaults: [{reset: {client: 1}, when: {client: 1, step: acquired, KEY}}]\n", nil},
		{reflect.TypeFor[faultPart](), "name: x\nclients: [{}]\nfaults: [{pause: {client: 1, for: 1s}, KEY}]\n", []string{"from"}},
		{reflect.TypeFor[faultPart](), "name: x\nclients: [{}]\nfaults: [{pause: {client: 1, for: 1s}, every: 1s, KEY}]\n", []string{"stay"}},
		{reflect.TypeFor[actionPart](), "name: x\nclients: [{}]\nfaults: [{cut: {client: 1, hosts: [resource], KEY}, at: 1s}]\n", []string{"direction", "resend"}},
		{reflect.TypeFor[actionPart](), "name: x\nclients: [{}]\nfaults: [{throttle: {client: 1, quota: 1ms, KEY}, at: 1s}]\n", []string{"period"}},
		{reflect.TypeFor[actionPart](), "name: x\nclients: [{}]\nfaults: [{crash: {client: 1, KEY}, at: 1s}]\n", []string{"lose"}},
		{reflect.TypeFor[actionPart](), "name: x\nclients: [{}]\nfaults: [{clock-freeze: {client: 1, for: 1s, KEY}, at: 1s}]\n", []string{"clock"}},
		{reflect.TypeFor[actionPart](), "name: x\nclients: [{}]\nfaults: [{duplicate: {client: 1, share: 1%, KEY}, at: 1s}]\n", []string{"later"}},
	} {
		m, _ := describedBy(c.of)
		for _, k := range m.keys {
			if c.keys != nil && !slices.Contains(c.keys, k.name) || !k.takes.form.is(k.def) {
				continue
			}
			tried++
			more := beside[k.name] + beside[m.name+" "+k.name]
			with := opened(t, strings.Replace(c.file, "KEY", more+k.name+": "+k.def, 1))
			without := opened(t, notEmpty(k.name).Replace(strings.Replace(c.file, "KEY", strings.TrimSuffix(more, ", "), 1)))
			if !reflect.DeepEqual(with, without) {
				t.Errorf("%s: `%s: %s` is not what holds without it", m.name, k.name, k.def)
			}
		}
	}
	if tried < 30 {
		t.Errorf("only %d defaults were tried", tried)
	}
}

// notEmpty leaves out mappings without a key, which are refused, or writes another default there.
func notEmpty(key string) *strings.Replacer {
	other := "token: durable"
	if key == "token" {
		other = "idempotency: yes"
	}
	return strings.NewReplacer("disk: {}\n", "", "clocks: {}\n", "", "resource: {}", "resource: {"+other+"}")
}

// is reports whether a default is written as a value is, and not in words.
func (f form) is(text string) bool {
	number := f.max > 0 && regexp.MustCompile(`^\d+$`).MatchString(text)
	return number || slices.Contains(f.words, text) || f.pattern != "" && regexp.MustCompile(`^(?:`+f.pattern+`)$`).MatchString(text)
}

// opened is what a scenario comes to under one lock.
func opened(t *testing.T, content string) any {
	t.Helper()
	s, err := Parse("x.yaml", []byte(content))
	if err != nil {
		t.Fatalf("%v\n%s", err, content)
	}
	r := registry(t)
	in, err := s.Instantiate(r, nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, content)
	}
	redis, _ := r.Find("redis")
	plans, err := in.Plans([]models.Lock{redis}, resource.Guards[:1])
	if err != nil {
		t.Fatalf("%v\n%s", err, content)
	}
	return []any{in.until, in.topology.counts, in.fsync, in.resource, in.rhoPPB, in.wake, in.workloads, s.Arch, plans[0].faults}
}
