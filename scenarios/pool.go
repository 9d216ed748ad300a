package scenarios

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
)

// Job is one run: a plan and a seed.
type Job struct {
	Plan *Plan
	Seed uint64
}

// Jobs is a list of jobs that is worked out as it is read, so that a sweep of millions
// of trials keeps none of them in memory.
type Jobs struct {
	Len int
	At  func(i int) Job
}

// Visit is called for each finished job, from the worker that ran it, while the
// trial still holds the run's record. Calls for different jobs run at once; index
// says which job it was, so that results land in a fixed order.
type Visit func(index int, t *Trial, r Result)

// InternalError is a bug of fencepost's: a broken invariant, or two checkers that
// contradict each other.
type InternalError struct {
	Plan   *Plan
	Seed   uint64
	Reason string
}

// Error implements error and ends with the command that repeats the run.
func (e *InternalError) Error() string {
	return fmt.Sprintf("internal error in %s, seed %d: %s\nrepeat it with: %s", e.Plan.Name(), e.Seed, e.Reason, ReplayCommand(e.Plan, e.Seed))
}

// RunAll runs jobs on a number of workers. Each worker builds the world of a plan
// once and reuses it, so jobs of one plan should stand together. Which worker runs a
// job makes no difference to its result.
//
// When the context ends, jobs that run are finished and no new one starts; the error
// is then the context's.
func RunAll(ctx context.Context, jobs Jobs, workers int, visit Visit) error {
	return runAll(ctx, jobs.Len, chunk, workers, func(w *worker, i int) error {
		r, err := w.run(jobs.At(i))
		if err == nil {
			visit(i, w.trial, r)
		}
		return err
	})
}

// runAll does a number of things on workers, each of which takes up to most at a time.
func runAll(ctx context.Context, n, most, workers int, do func(w *worker, i int) error) error {
	p := &pool{ctx: ctx, do: do, n: n, most: most, workers: max(1, min(workers, n))}
	var wait sync.WaitGroup
	for range p.workers {
		wait.Go(p.work)
	}
	wait.Wait()
	if p.err != nil {
		return p.err
	}
	return ctx.Err()
}

// pool hands out what there is to do in order, in chunks that keep the workers off the lock.
// Towards the end they become smaller, so that no worker is left with many when the others are
// done.
type pool struct {
	ctx     context.Context
	do      func(w *worker, i int) error
	n, most int
	workers int

	mutex sync.Mutex
	next  int
	err   error
}

// chunk is how many runs a worker takes at a time.
const chunk = 8

func (p *pool) take() (from, to int) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.err != nil || p.ctx.Err() != nil {
		return 0, 0
	}
	from = p.next
	left := p.n - from
	p.next += min(p.most, left, 1+left/(2*p.workers))
	return from, p.next
}

func (p *pool) work() {
	w := &worker{ctx: p.ctx}
	defer w.close()
	for {
		from, to := p.take()
		if from == to {
			return
		}
		for i := from; i < to && p.ctx.Err() == nil; i++ {
			if err := p.do(w, i); errors.Is(err, errInterrupted) {
				return
			} else if err != nil {
				p.fail(err)
				return
			}
		}
	}
}

func (p *pool) fail(err error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.err == nil {
		p.err = err
	}
}

// worker runs jobs one after the other, on the world of the last one if that is of the same plan.
type worker struct {
	ctx   context.Context
	trial *Trial
}

func (w *worker) run(job Job) (Result, error) {
	if w.trial != nil && w.trial.Plan != job.Plan {
		w.close()
	}
	r, err := runOn(w.ctx, &w.trial, job)
	if err != nil && !errors.Is(err, errInterrupted) {
		w.trial = nil // its coroutines may be stuck in what went wrong
	}
	return r, err
}

// conditionally is [Trial.conditionally] on a trial of the job's plan, which has run.
func (w *worker) conditionally(job Job, property string) (q, high float64, err error) {
	err = guarded(job.Plan, job.Seed, func() error {
		q, high, err = w.trial.conditionally(job.Seed, property)
		return err
	})
	return q, high, err
}

func (w *worker) close() {
	if w.trial != nil {
		w.trial.Close()
		w.trial = nil
	}
}

// runOn runs a job on a trial, building it first if there is none.
func runOn(ctx context.Context, t **Trial, job Job) (r Result, err error) {
	err = guarded(job.Plan, job.Seed, func() error {
		if *t == nil {
			*t = NewTrial(job.Plan)
		}
		(*t).world.Interrupt = func() bool { return ctx.Err() != nil }
		r, err = (*t).Run(job.Seed)
		return err
	})
	return r, err
}

// RunWith is [Trial.RunSafely] under a context: when that ends, so does the run, with the
// context's error.
func (t *Trial) RunWith(ctx context.Context, seed uint64) (Result, error) {
	r, err := runOn(ctx, &t, Job{t.Plan, seed})
	if errors.Is(err, errInterrupted) {
		err = ctx.Err()
	}
	return r, err
}

// RunSafely is Run, with a panic of the simulator turned into an error that names the
// run. The trial must not be used after an error.
func (t *Trial) RunSafely(seed uint64) (Result, error) {
	return runOn(context.Background(), &t, Job{t.Plan, seed})
}

// guarded turns a panic and an error of the simulator into an error that names the run.
func guarded(p *Plan, seed uint64, run func() error) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = &InternalError{p, seed, fmt.Sprintf("%v\n%s", cause, debug.Stack())}
		}
	}()
	if err := run(); errors.Is(err, errInterrupted) {
		return err
	} else if err != nil {
		return &InternalError{p, seed, err.Error()}
	}
	return nil
}
