package virtual

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"fencepost/cmd/fencepost-conform/section"
	"fencepost/models"
	"fencepost/models/all"
	"fencepost/models/redis"
	"fencepost/models/resource"
	"fencepost/scenarios"
)

var (
	seeds      = flag.Uint64("seeds", 3, "how many seeds of each scenario are compared")
	stackSeeds = flag.Uint64("stack-seeds", 1, "how many of them on go-redis and miniredis as well")
	update     = flag.Bool("update", false, "write the table anew into docs/conformance.md")
)

// TestMain has garbage collected less often: each script that miniredis runs is an interpreter of its own,
// and go-redis makes two buffers for each connection.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	m.Run()
}

// library is a client library that is compared with a model of it.
type library struct {
	model   string // of fencepost
	real    func() models.Lock
	stack   func() models.Lock       // the library on go-redis and miniredis
	params  map[string]int64         // of all
	own     func(models.Params) bool // whether a scenario's parameters leave the library as it is
	without map[string]string        // scenarios that cannot be compared, and why
}

// Reasons why a scenario cannot be compared.
const (
	onOtherClocks = "not compared: the clock of a client runs otherwise than the bubble's"
	whileItWaits  = "not compared: client 2 is stopped while a timer of its library's runs, which goes on in the bubble"
	onDisk        = "not compared: miniredis has no file"
)

// row is what became of a scenario.
type row struct {
	scenario, library, stack, resending string
}

// resends are go-redis' three, which the models follow. The delay before them is a constant, since go-redis draws it
// from a source of its own.
var resends = map[string]int64{"command-retries": 0, "command-backoff": int64(8 * time.Millisecond)}

// with is the library with other parameters.
func (l *library) with(params map[string]int64) *library {
	other := *l
	other.params = maps.Clone(l.params)
	maps.Copy(other.params, params)
	return &other
}

// compare runs the whole library of scenarios, and returns a row for each that the lock can play.
func (l *library) compare(t *testing.T) []row {
	if _, err := scripts(); err != nil { // no bubble's
		t.Fatal(err)
	}
	names := scenarios.LibraryNames()
	rows := make([]row, len(names))
	t.Run("scenarios", func(t *testing.T) {
		for i, name := range names {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				rows[i] = l.play(t, name)
			})
		}
	})
	return slices.DeleteFunc(rows, func(r row) bool { return r == row{} })
}

// play runs a scenario.
func (l *library) play(t *testing.T, name string) row {
	base, _, _ := strings.Cut(name, "/")
	if why := cmp.Or(l.without[name], l.without[base]); why != "" {
		return row{name, why, why, why}
	}
	s, err := scenarios.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	guards := l.guards(t, s)
	if guards == nil {
		return row{}
	}
	alone := func(g guarded) *scenarios.Plan { return g.alone }
	stack := func(g guarded) *scenarios.Plan { return g.stack }
	played := row{name, same(t, guards, alone, 0, *seeds), onDisk, onDisk}
	if redis.Persistence(guards[0].model.Params.Choice(redis.PersistenceParam.Name)) == redis.NoPersistence {
		played.stack = same(t, guards, stack, 1, *stackSeeds)
		played.resending = same(t, l.with(resends).guards(t, s), stack, 2, *stackSeeds)
	}
	return played
}

// same runs some seeds under the model and under a library, and says that they are the same. Each seed has
// another guard, the first of them that of a number.
func same(t *testing.T, guards []guarded, real func(guarded) *scenarios.Plan, first, seeds uint64) string {
	t.Helper()
	for seed := uint64(1); seed <= seeds; seed++ {
		g := guards[(first+seed-1)%uint64(len(guards))]
		synctest.Test(t, func(t *testing.T) {
			if why := observe(t, real(g), seed).differs(observe(t, g.model, seed)); why != "" {
				t.Fatalf("seed %d, guard %s: %s", seed, g.model.Guard.Name, why)
			}
		})
	}
	return fmt.Sprintf("the same in %d of %d", seeds, seeds)
}

// guarded is the plans of a scenario with one guard: under the model, under the library alone and under the library on
// its stack.
type guarded struct{ model, alone, stack *scenarios.Plan }

// guards are the plans of a scenario with each guard that needs no token of the lock's; nil if it is of another lock
// or of another client.
func (l *library) guards(t *testing.T, s *scenarios.Scenario) []guarded {
	t.Helper()
	registry, err := models.NewRegistry(all.Locks()...)
	if err != nil {
		t.Fatal(err)
	}
	lock, _ := registry.Find(l.model)
	var plans [][]*scenarios.Plan
	for _, candidate := range []models.Lock{lock, l.real(), l.stack()} {
		in, err := s.Instantiate(registry, nil)
		if err != nil {
			t.Fatal(err)
		}
		found, err := in.Plans([]models.Lock{&tuned{Lock: candidate, params: l.params}}, resource.Guards)
		if err != nil {
			return nil // parameters of another lock
		}
		found = slices.DeleteFunc(found, func(p *scenarios.Plan) bool { return p.NotApplicable != "" || !l.own(p.Params) })
		plans = append(plans, found)
	}
	var all []guarded
	for i := range plans[0] {
		all = append(all, guarded{plans[0][i], plans[1][i], plans[2][i]})
	}
	return all
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
	fmt.Fprintf(&table, "| scenario | the library | on go-redis and miniredis | with resends |\n| --- | --- | --- | --- |\n")
	for _, r := range rows {
		if r.library == r.stack {
			fmt.Fprintf(&table, "| `%s` | %s | | |\n", r.scenario, r.library)
			continue
		}
		fmt.Fprintf(&table, "| `%s` | %s | %s | %s |\n", r.scenario, r.library, r.stack, r.resending)
	}
	if *update {
		if err := section.Write(page, heading, table.String()); err != nil {
			t.Fatal(err)
		}
		return
	}
	old, err := section.Read(page, heading)
	if err != nil {
		t.Fatal(err)
	}
	if *seeds == 3 && *stackSeeds == 1 && old != table.String() {
		t.Errorf("%s: the table of %s is not what was found; go test ./virtual -update writes it anew", page, heading)
	}
}
