package sweeps

import (
	"context"
	"errors"
	"sync"

	"fencepost/scenarios"
)

// Job is one run: a plan and a seed.
type Job struct {
	Plan *scenarios.Plan
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
type Visit func(index int, t *scenarios.Trial, r scenarios.Result)

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
			if err := p.do(w, i); err != nil {
				if !w.interrupted(err) {
					p.fail(err)
				}
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
	trial *scenarios.Trial
}

func (w *worker) run(job Job) (r scenarios.Result, err error) {
	if w.trial != nil && w.trial.Plan != job.Plan {
		w.close()
	}
	if w.trial == nil {
		if w.trial, err = scenarios.NewTrialSafely(job.Plan, job.Seed); err != nil {
			return r, err
		}
	}
	r, err = w.trial.RunWith(w.ctx, job.Seed)
	if err != nil && !w.interrupted(err) {
		w.trial = nil // its coroutines may be stuck in what went wrong
	}
	return r, err
}

// interrupted reports whether something was given up because the context has ended.
func (w *worker) interrupted(err error) bool {
	return w.ctx.Err() != nil && errors.Is(err, w.ctx.Err())
}

func (w *worker) close() {
	if w.trial != nil {
		w.trial.Close()
		w.trial = nil
	}
}
