package scenarios

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
)

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

// NewTrialSafely is [NewTrial], with a panic turned into an error that names the run which was to be the first.
func NewTrialSafely(p *Plan, seed uint64) (t *Trial, err error) {
	err = guarded(p, seed, func() error {
		t = NewTrial(p)
		return nil
	})
	return t, err
}

// RunWith is [Trial.RunSafely] under a context: when that ends, so does the run, with the
// context's error.
func (t *Trial) RunWith(ctx context.Context, seed uint64) (r Result, err error) {
	err = t.under(ctx, seed, func() (err error) {
		r, err = t.Run(seed)
		return err
	})
	return r, err
}

// RunSafely is Run, with a panic of the simulator turned into an error that names the
// run. The trial must not be used after an error.
func (t *Trial) RunSafely(seed uint64) (Result, error) { return t.RunWith(context.Background(), seed) }

// under runs a seed, once or more often, until a context ends.
func (t *Trial) under(ctx context.Context, seed uint64, run func() error) error {
	t.world.Interrupt = func() bool { return ctx.Err() != nil }
	err := guarded(t.Plan, seed, run)
	if errors.Is(err, errInterrupted) {
		return ctx.Err()
	}
	return err
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
