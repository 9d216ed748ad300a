package scenarios

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"fencepost/models"
	"fencepost/models/client"
	"fencepost/models/resource"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/rng"
)

// Instance is a scenario with a value for every parameter, before a lock and a guard
// are chosen.
type Instance struct {
	Scenario *Scenario
	// Values are the parameters, defaults included.
	Values map[string]string

	until        time.Duration
	topology     topology
	fsync        rng.Dist
	resource     resource.Settings
	rhoPPB       int64
	wake         host.Wake
	progressFrom time.Duration     // what was before does not count
	starved      int               // after being passed over so often, 0 if that does not count
	workloads    []client.Workload // by client
	counts       []int             // by entry of the file: how many clients are like this
	registry     *models.Registry
	closed       *closedForm
	biased       bool // what is rare is drawn too often
}

// Defaults of what a scenario leaves out.
const (
	defaultUntil   = 5 * time.Minute
	defaultTimeout = 5 * time.Second
)

// Instantiate fixes the parameters: the given values replace the defaults. Locks are
// those against which names in the scenario are checked. A value that cannot be is a [ValueError].
func (s *Scenario) Instantiate(registry *models.Registry, values map[string]string) (*Instance, error) {
	in, err := s.instantiate(registry, values)
	if err != nil {
		err = blame(err, values, func(v map[string]string) error { _, err := s.instantiate(registry, v); return err })
	}
	return in, err
}

func (s *Scenario) instantiate(registry *models.Registry, values map[string]string) (*Instance, error) {
	in := s.open(registry)
	for _, name := range sortedKeys(values) {
		if name == estimateParam {
			if err := in.readEstimate(values[name]); err != nil {
				return nil, err
			}
			continue
		}
		if _, ok := in.Values[name]; !ok {
			return nil, &Error{File: s.File, Message: fmt.Sprintf("%q is not a parameter of this scenario; %s%s", name, declared(in.Values), ownParam(registry, name))}
		}
		in.Values[name] = values[name]
	}
	r := in.reader()
	in.read(r)
	return in, r.err()
}

// ownParam says where a parameter belongs that locks have and the scenario does not declare.
func ownParam(registry *models.Registry, name string) string {
	var locks []string
	for _, l := range registry.Locks() {
		d := l.Describe()
		if slices.ContainsFunc(d.Params, func(p models.Param) bool { return p.Name == name }) {
			locks = append(locks, d.Name)
		}
	}
	if len(locks) == 0 {
		return ""
	}
	return fmt.Sprintf("; %s of the lock itself (%s) stands in the scenario: `lock: {%s: VALUE}` or, for one lock system alone, `for: {LOCK: {lock: {%s: VALUE}}}`; see docs/scenarios.md",
		name, strings.Join(locks, ", "), name, name)
}

// open gives the parameters their defaults.
func (s *Scenario) open(registry *models.Registry) *Instance {
	in := &Instance{Scenario: s, Values: map[string]string{}, registry: registry}
	for _, p := range s.Params {
		in.Values[p.Name] = p.Default
	}
	return in
}

func (in *Instance) reader() *reader {
	return &reader{file: in.Scenario.File, values: in.Values}
}

// read reads everything that does not depend on the lock.
func (in *Instance) read(r *reader) {
	f := &in.Scenario.file
	in.until = r.duration(f.Until, defaultUntil, time.Millisecond)
	in.resource = r.resource(f.Resource)
	in.readClients(r, f)
	in.readTopology(r, f)
	in.fsync = rng.Constant(0)
	if f.Disk != nil {
		in.fsync = r.dist(f.Disk.Fsync, in.fsync)
	}
	in.wake = wakes[r.word(f.Wake, "due-order", sortedKeys(wakes))]
	if f.Progress != nil {
		in.starved = r.count(f.Progress.StarvedAfter, 0, 1)
		in.progressFrom = r.duration(f.Progress.From, 0, 0)
	}
	in.closed = in.readClosedForm(r)
	in.checkLockNames(r)
	in.checkParamsOfLocks(r)
}

// readClients reads every entry, and makes as many clients of it as it asks for.
func (in *Instance) readClients(r *reader, f *file) {
	for i := range f.Clients {
		c := &f.Clients[i]
		w := readClient(r, c, in.resource.Kind)
		n := r.countTo(c.Count, 1, 1, history.MaxClients)
		if all := len(in.workloads) + n; all > history.MaxClients {
			r.fail(c.at.scalar(), "%d clients: at most %d", max(all, len(f.Clients)), history.MaxClients)
			return
		}
		in.counts = append(in.counts, n)
		in.workloads = append(in.workloads, slices.Repeat([]client.Workload{w}, n)...)
	}
}

// wakes are the orders in which a host handles what piled up during a pause.
var wakes = map[string]host.Wake{
	"due-order": host.DueOrder, "timers-first": host.TimersFirst, "messages-first": host.MessagesFirst,
}

// defaultDelay is a data centre's: see the preset net/az.
var defaultDelay = mustParse("net/az")

// maxRhoPPB is a clock that is wrong by a tenth, the largest rate error that S.
// Sanfilippo's argument in "Is Redlock safe?" (2016) takes as an example.
const maxRhoPPB = 100_000_000

func mustParse(text string) rng.Dist {
	d, err := rng.Parse(text)
	if err != nil {
		panic("scenarios: " + err.Error())
	}
	return d
}

// checkLockNames makes sure that every lock that the scenario names exists.
func (in *Instance) checkLockNames(r *reader) {
	known := in.registry.Names()
	for _, name := range sortedKeys(in.Scenario.file.For) {
		if _, ok := in.registry.Find(name); !ok {
			r.fail(anchor(in.Scenario.file.For[name]), "for: %q is not a lock system; %s", name, oneOf(known))
		}
	}
}

// anchor is some place inside a part, for errors about its key.
func anchor(p forPart) *scalar {
	if p.NotApplicable.set() {
		return p.NotApplicable
	}
	for _, key := range sortedKeys(p.Lock) {
		return p.Lock[key]
	}
	for i := range p.Faults {
		if s := anchorOfFault(&p.Faults[i]); s.set() {
			return s
		}
	}
	return nil
}

// checkParamsOfLocks makes sure that each parameter under "lock" is one of some lock.
func (in *Instance) checkParamsOfLocks(r *reader) {
	known := map[string]bool{}
	for _, l := range in.registry.Locks() {
		for _, p := range l.Describe().Params {
			known[p.Name] = true
		}
	}
	for _, key := range sortedKeys(in.Scenario.file.Lock) {
		if !known[key] {
			r.fail(in.Scenario.file.Lock[key], "no lock system has a parameter %q; %s", key, oneOf(sortedKeys(known)))
		}
	}
}
