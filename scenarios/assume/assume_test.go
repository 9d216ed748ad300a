package assume

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"fencepost/checker"
	"fencepost/models"
	"fencepost/models/all"
	"fencepost/models/modeltest"
	"fencepost/models/resource"
	"fencepost/scenarios"
)

func registry(t *testing.T) *models.Registry {
	t.Helper()
	r, err := models.NewRegistry(all.Locks()...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// measured is one kind against one lock.
func measured(t *testing.T, lock, kind string) Row {
	t.Helper()
	reg := registry(t)
	l, ok := reg.Find(lock)
	k := slices.IndexFunc(Kinds, func(k Kind) bool { return k.Name == kind })
	if !ok || k < 0 {
		t.Fatalf("no %s or no %s", lock, kind)
	}
	row, err := (&Measurement{Registry: reg}).row(t.Context(), l, &Kinds[k])
	if err != nil {
		t.Fatal(err)
	}
	return row
}

// TestSmallestIsSmallest runs what is said to be the smallest magnitude, and one a little below,
// by hand.
func TestSmallestIsSmallest(t *testing.T) {
	modeltest.ManyTrials(t)
	for _, c := range []struct{ lock, kind, property, guard string }{
		{"redis", "server-clock-step", checker.Grants, "none"},
		{"redis", "pause", checker.Exclusion, "none"},
		{"local", "write-delay", checker.ResourceName, "fence-writes"},
	} {
		row := measured(t, c.lock, c.kind)
		f := row.Of(c.property, c.guard)
		size, err := time.ParseDuration(f.Smallest)
		if err != nil {
			t.Fatalf("%+v: %q", c, f.Smallest)
		}
		if seeds := breaks(t, c.lock, c.kind, c.property, c.guard, size); !slices.Contains(seeds, f.Seed) {
			t.Errorf("%+v: seed %d does not break it at %v", c, f.Seed, size)
		}
		below := (size - size*3/100).Truncate(time.Millisecond)
		if seeds := breaks(t, c.lock, c.kind, c.property, c.guard, below); len(seeds) > 0 {
			t.Errorf("%+v: %v breaks it, too, under %v", c, below, seeds)
		}
		if !strings.Contains(f.Replay, "assume/"+c.kind) || !strings.Contains(f.Replay, "size="+f.Smallest) {
			t.Errorf("%+v: it is shown by %q", c, f.Replay)
		}
	}
}

// breaks are the seeds that break a property at a magnitude.
func breaks(t *testing.T, lock, kind, property, guard string, size time.Duration) (seeds []uint64) {
	t.Helper()
	s, err := scenarios.Load("assume/" + kind)
	if err != nil {
		t.Fatal(err)
	}
	in, err := s.Instantiate(registry(t), map[string]string{"size": size.String()})
	if err != nil {
		t.Fatal(err)
	}
	l, _ := registry(t).Find(lock)
	g, _ := resource.FindGuard(guard)
	plans, err := in.Plans([]models.Lock{l}, []resource.Guard{g})
	if err != nil {
		t.Fatal(err)
	}
	trial := scenarios.NewTrial(plans[0])
	defer trial.Close()
	for seed := uint64(1); seed <= Seeds; seed++ {
		r, err := trial.Run(seed)
		if err != nil {
			t.Fatal(err)
		}
		if r.Verdict.Of(property) == checker.Violated {
			seeds = append(seeds, seed)
		}
	}
	return seeds
}

// TestNarrowWindow: fencing of writes lets a late write pass while the next holder works, and not
// afterwards, and the finding says so.
func TestNarrowWindow(t *testing.T) {
	modeltest.ManyTrials(t)
	f := measured(t, "chubby", "pause")
	narrow := f.Of(checker.ResourceName, "fence-writes")
	if !narrow.Broken() || len(narrow.Unbroken) == 0 {
		t.Errorf("%+v", narrow)
	}
	if strict := f.Of(checker.ResourceName, "fence-reads-writes"); strict.Broken() || strict.Trials == 0 {
		t.Errorf("%+v", strict)
	}
}

// TestWorkersMakeNoDifference measures the quickest lock with one and with four workers.
func TestWorkersMakeNoDifference(t *testing.T) {
	modeltest.ManyTrials(t)
	reg := registry(t)
	l, _ := reg.Find("local")
	var results [2][]LockRows
	for i, workers := range []int{1, 4} {
		m := &Measurement{Registry: reg, Locks: []models.Lock{l}, Workers: workers}
		var err error
		if results[i], err = m.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for i := range results[0][0].Rows {
		if a, b := results[0][0].Rows[i], results[1][0].Rows[i]; !reflect.DeepEqual(a, b) {
			t.Errorf("%+v\n%+v", a, b)
		}
	}
}

// TestNothingWrong: the work itself breaks no shipped lock, be it short or of a minute.
func TestNothingWrong(t *testing.T) {
	modeltest.ManyTrials(t)
	for _, name := range []string{scenario, minute} {
		nothingWrong(t, name)
	}
}

func nothingWrong(t *testing.T, name string) {
	t.Helper()
	s, err := scenarios.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	in, err := s.Instantiate(registry(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	plans, err := in.Plans(registry(t).Locks(), resource.Guards[:1])
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range plans {
		trial := scenarios.NewTrial(p)
		for seed := uint64(1); seed <= Seeds; seed++ {
			r, err := trial.Run(seed)
			if err != nil {
				t.Fatal(err)
			}
			for _, property := range []string{checker.Grants, checker.Exclusion, checker.ResourceName} {
				if got := r.Verdict.Of(property); got != checker.OK {
					t.Errorf("%s, seed %d: %s is %s", p.Name(), seed, property, got)
				}
			}
		}
		trial.Close()
	}
}

// TestKindsAreVariants: the kinds are the variants of the scenario, and each is planned for some
// lock.
func TestKindsAreVariants(t *testing.T) {
	modeltest.ManyTrials(t)
	s, err := scenarios.Load(scenario)
	if err != nil {
		t.Fatal(err)
	}
	names := []string{minute}
	for _, k := range Kinds {
		names = append(names, scenario+"/"+k.Name)
	}
	slices.Sort(names)
	if !slices.Equal(names, s.VariantNames()) {
		t.Errorf("%v\n%v", names, s.VariantNames())
	}
	for _, l := range registry(t).Locks() {
		for _, k := range kindsOf(l) {
			s, err := scenarios.Load(scenario + "/" + k.Name)
			if err != nil {
				t.Fatal(err)
			}
			p := &probe{ctx: context.Background(), scenario: s, registry: registry(t), lock: l, guard: resource.Guards[0], kind: k}
			for _, size := range k.scale.ladder {
				if plan, err := p.plan(size); err != nil || plan.NotApplicable != "" {
					t.Errorf("%s, %s: %v", l.Describe().Name, k.Name, err)
				}
			}
		}
	}
}

func TestBetween(t *testing.T) {
	for _, c := range []struct {
		s              *scale
		low, high, mid int64
		ok             bool
	}{
		{spans, 1000 * ms, 4000 * ms, 2000 * ms, true},
		{spans, 0, 100 * ms, 10 * ms, true},
		{spans, ms, 2 * ms, 0, false},
		{spans, 1000 * ms, 1020 * ms, 0, false},
		{losses, 0, 2, 0, false},
	} {
		if mid, ok := c.s.between(c.low, c.high); ok != c.ok || ok && mid != c.mid {
			t.Errorf("%v: %v, %v", c, mid, ok)
		}
	}
}

// TestDocumented: each shipped lock system has its documents on record, with sources, and what is
// said of kinds is said of kinds that there are.
func TestDocumented(t *testing.T) {
	var names []string
	for _, k := range Kinds {
		names = append(names, k.Name)
	}
	for _, l := range registry(t).Locks() {
		d, ok := Of(l.Describe().Name)
		if !ok || len(d.Assumes) == 0 {
			t.Errorf("%s has no documents", l.Describe().Name)
		}
		for _, a := range d.Assumes {
			if a.Text == "" || a.Source == "" {
				t.Errorf("%s: %+v", l.Describe().Name, a)
			}
		}
		kinds := strings.Fields(d.admits)
		for _, e := range d.differs {
			kinds = append(kinds, strings.Fields(e.Kinds)...)
		}
		for _, k := range kinds {
			if !slices.Contains(names, k) {
				t.Errorf("%s: no kind %s", l.Describe().Name, k)
			}
		}
	}
}
