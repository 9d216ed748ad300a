package assume

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"fencepost/checker"
	"fencepost/models"
	"fencepost/models/resource"
	"fencepost/scenarios"
)

// Guards are those under which the resource is judged.
var Guards = []string{"none", "fence-writes", "fence-reads-writes", "if-match"}

// Row is what one kind did to one lock: grants and exclusion without a guard, then the resource
// under each.
type Row struct {
	Kind     *Kind
	Findings []Finding
	// Runs are all that were made.
	Runs int
}

// Of is the finding of a property under a guard.
func (r *Row) Of(property, guard string) *Finding {
	i := slices.IndexFunc(r.Findings, func(f Finding) bool { return f.Property == property && f.Guard == guard })
	return &r.Findings[i]
}

// LockRows are the rows of one lock.
type LockRows struct {
	Lock models.Description
	Rows []Row
}

// Measurement is what is measured, and how.
type Measurement struct {
	Registry *models.Registry
	Locks    []models.Lock
	Workers  int
	// Progress, if set, is called after each row.
	Progress func()
}

// Rows is how many rows there will be.
func (m *Measurement) Rows() (n int) {
	for _, l := range m.Locks {
		n += len(kindsOf(l))
	}
	return n
}

// Run measures every lock. Rows do not depend on each other, nor on how many workers there are.
func (m *Measurement) Run(ctx context.Context) ([]LockRows, error) {
	all := make([]LockRows, len(m.Locks))
	var jobs []func() error
	for i, l := range m.Locks {
		kinds := kindsOf(l)
		all[i] = LockRows{Lock: l.Describe(), Rows: make([]Row, len(kinds))}
		for j, k := range kinds {
			row := &all[i].Rows[j]
			jobs = append(jobs, func() error {
				whole, err := m.row(ctx, l, k)
				if err == nil {
					*row = whole
				}
				return err
			})
		}
	}
	err := inParallel(ctx, jobs, m.Workers, m.Progress)
	if err != nil {
		all = finished(all)
	}
	return all, err
}

// finished are the rows that were finished, of the locks that have any.
func finished(all []LockRows) (some []LockRows) {
	for _, l := range all {
		l.Rows = slices.DeleteFunc(l.Rows, func(r Row) bool { return r.Kind == nil })
		if len(l.Rows) > 0 {
			some = append(some, l)
		}
	}
	return some
}

// kindsOf are the kinds that a lock can have.
func kindsOf(l models.Lock) (kinds []*Kind) {
	d := l.Describe()
	for i := range Kinds {
		if Kinds[i].Of(&d) {
			kinds = append(kinds, &Kinds[i])
		}
	}
	return kinds
}

// inParallel runs jobs on some workers, until one fails or the context ends.
func inParallel(ctx context.Context, jobs []func() error, workers int, done func()) error {
	var wait sync.WaitGroup
	var mutex sync.Mutex
	next, failed := 0, error(nil)
	take := func() func() error {
		mutex.Lock()
		defer mutex.Unlock()
		if failed != nil || ctx.Err() != nil || next == len(jobs) {
			return nil
		}
		next++
		return jobs[next-1]
	}
	for range max(1, workers) {
		wait.Go(func() {
			for job := take(); job != nil; job = take() {
				err := job()
				mutex.Lock()
				if failed = errors.Join(failed, err); done != nil {
					done()
				}
				mutex.Unlock()
			}
		})
	}
	wait.Wait()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return failed
}

// row measures one kind against one lock.
func (m *Measurement) row(ctx context.Context, l models.Lock, k *Kind) (Row, error) {
	row := Row{Kind: k}
	s, err := scenarios.Load(scenario + "/" + k.Name)
	if err != nil {
		return row, err
	}
	anyway := false
	var broken []int64 // what harmed the resource without a guard
	for i, name := range Guards {
		guard, ok := resource.FindGuard(name)
		if !ok {
			return row, fmt.Errorf("no guard %s", name)
		}
		p := &probe{ctx: ctx, scenario: s, registry: m.Registry, lock: l, guard: guard, kind: k,
			watched: []string{checker.ResourceName}, rungs: rungs(k.scale, broken), seen: map[int64]*outcome{}}
		if i == 0 {
			p.watched = []string{checker.Grants, checker.Exclusion, checker.ResourceName}
			if anyway, err = p.brokenAnyway(); err != nil {
				return row, err
			}
		}
		found, err := p.all(anyway, i > 0 && len(broken) == 0)
		if err != nil {
			return row, err
		}
		row.Findings = append(row.Findings, found...)
		row.Runs += p.runs
		if f := found[len(found)-1]; i == 0 && f.Broken() {
			broken = append(broken, f.size)
		}
	}
	return row, nil
}

// rungs are those of the ladder and, for what a guard lets pass in a narrow window only, some from
// the smallest magnitude on that does harm without it.
func rungs(s *scale, broken []int64) []int64 {
	all := slices.Clone(s.ladder)
	for _, size := range broken {
		for _, percent := range []int64{100, 105, 120} {
			if s.finest > 0 {
				all = append(all, min(size*percent/100/s.finest*s.finest, s.ladder[len(s.ladder)-1]))
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// all finds out about every watched property, unless it is broken anyway or nothing can be harmed.
func (p *probe) all(anyway, skip bool) (found []Finding, err error) {
	plan, err := p.plan(p.kind.scale.ladder[0])
	if err != nil {
		return nil, err
	}
	for _, property := range p.watched {
		f := Finding{Property: property, Guard: p.guard.Name, NotApplicable: plan.NotApplicable, Anyway: anyway, NotRun: skip && !anyway}
		if plan.NotApplicable == "" && !skip && !anyway {
			if f, err = p.find(property); err != nil {
				return nil, err
			}
		}
		found = append(found, f)
	}
	return found, nil
}
