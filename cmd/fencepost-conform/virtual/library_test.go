package virtual

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"fencepost/models"
	"fencepost/models/all"
	"fencepost/models/resource"
	"fencepost/scenarios"
)

var (
	seeds  = flag.Uint64("seeds", 3, "how many seeds of each scenario are compared")
	update = flag.Bool("update", false, "write the table anew into docs/conformance.md")
)

// library is a client library that is compared with a model of it.
type library struct {
	model   string // of fencepost
	real    func() models.Lock
	params  map[string]int64         // of both
	own     func(models.Params) bool // whether a scenario's parameters leave the library as it is
	without map[string]string        // scenarios that cannot be compared, and why
}

// Reasons why a scenario cannot be compared.
const (
	onOtherClocks = "the clock of a client runs otherwise than the bubble's"
	whileItWaits  = "client 2 is stopped while a timer of its library's runs, which goes on in the bubble"
)

// row is what became of a scenario.
type row struct {
	scenario, result string
}

// compare runs the whole library of scenarios, and returns a row for each that the lock can play.
func (l *library) compare(t *testing.T) (rows []row) {
	for _, name := range scenarios.LibraryNames() {
		base, _, _ := strings.Cut(name, "/")
		if why := cmp.Or(l.without[name], l.without[base]); why != "" {
			rows = append(rows, row{name, "not compared: " + why})
			continue
		}
		model, real := l.plans(t, name)
		if model == nil {
			continue
		}
		t.Run(name, func(t *testing.T) {
			for seed := uint64(1); seed <= *seeds; seed++ {
				synctest.Test(t, func(t *testing.T) {
					if why := tell(t, real, seed).differs(tell(t, model, seed)); why != "" {
						t.Fatalf("seed %d of %s: %s", seed, name, why)
					}
				})
			}
			rows = append(rows, row{name, fmt.Sprintf("the same in %d of %d", *seeds, *seeds)})
		})
	}
	return rows
}

// plans are those of a scenario under the model and under the library; nil if it is of another lock or of
// another client.
func (l *library) plans(t *testing.T, name string) (model, real *scenarios.Plan) {
	t.Helper()
	registry, err := models.NewRegistry(all.Locks()...)
	if err != nil {
		t.Fatal(err)
	}
	s, err := scenarios.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	lock, _ := registry.Find(l.model)
	var plans []*scenarios.Plan
	for _, candidate := range []models.Lock{lock, l.real()} {
		in, err := s.Instantiate(registry, nil)
		if err != nil {
			t.Fatal(err)
		}
		found, err := in.Plans([]models.Lock{with{candidate, l.params}}, resource.Guards[:1])
		if err != nil || found[0].NotApplicable != "" || !l.own(found[0].Params) {
			return nil, nil // parameters of another lock, or of another client
		}
		plans = append(plans, found[0])
	}
	return plans[0], plans[1]
}

// unset reports whether choices are those that a client has by itself.
func unset(p models.Params, choices ...string) bool {
	return !slices.ContainsFunc(choices, func(name string) bool { return p.Choice(name) != 0 })
}

const page = "../../../docs/conformance.md"

// publish writes the table of a library into the page, or checks that it stands there.
func publish(t *testing.T, heading string, rows []row) {
	t.Helper()
	if t.Failed() {
		return
	}
	var table strings.Builder
	fmt.Fprintf(&table, "| scenario | runs |\n| --- | --- |\n")
	for _, r := range rows {
		fmt.Fprintf(&table, "| `%s` | %s |\n", r.scenario, r.result)
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	begin := "<!-- " + heading + " -->\n"
	before, rest, found := strings.Cut(string(text), begin)
	old, after, closed := strings.Cut(rest, "<!-- end -->")
	if !found || !closed {
		t.Fatalf("%s has no place for %q", page, heading)
	}
	switch {
	case *update:
		if err := os.WriteFile(page, []byte(before+begin+table.String()+"<!-- end -->"+after), 0o644); err != nil {
			t.Fatal(err)
		}
	case *seeds == 3 && old != table.String():
		t.Errorf("%s: the table of %s is not what was found; go test ./virtual -update writes it anew", page, heading)
	}
}
