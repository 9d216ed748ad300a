package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"runtime"
	"slices"

	"github.com/spf13/cobra"

	"fencepost/reports"
	"fencepost/scenarios/assume"
)

// assumeOptions are the flags of assume.
type assumeOptions struct {
	locks, format string
	workers       int
}

// assumeForms are the forms in which the table is written.
var assumeForms = map[string]func(io.Writer, []assume.LockRows) error{
	"text": reports.WriteAssumptionsText, "json": reports.WriteAssumptionsJSON, "markdown": reports.WriteAssumptionsMarkdown,
}

func (a *app) assumeCommand() *cobra.Command {
	o := &assumeOptions{}
	c := &cobra.Command{
		Use:   "assume",
		Short: "Find out what a lock needs of the world, and what its documentation says of that",
		Long: fmt.Sprintf(`For each kind of fault, alone, find the smallest one that makes the service break a promise,
lets two clients hold at once, or harms the resource under each guard: by bisection, on seeds 1
to %d. What was not broken is said to be so in a number of runs, up to the largest fault that was
tried. Beside it stands what the system's documentation assumes. All locks take a minute or so.

A lock system of your own is measured in the same way; see docs/own-lock.md. Runs that a bound
ends are counted and shown, and leave the exit code at 0.`, assume.Seeds),
		Example: `  fencepost assume --lock redis
  fencepost assume --lock etcd,zookeeper --format json
  fencepost assume --format markdown > assumptions.md`,
		Args: exactly(0, "no arguments: name the lock systems with --lock"),
		RunE: func(c *cobra.Command, _ []string) error { return a.assume(c.Context(), o) },
	}
	c.Flags().StringVar(&o.locks, "lock", "all", "lock systems, separated by commas, or all")
	c.Flags().StringVar(&o.format, "format", "text", "what standard output gets: text, json, markdown")
	wholeVar(c.Flags(), &o.workers, "workers", runtime.GOMAXPROCS(0), "how many runs go on at once; makes no difference to any result")
	return c
}

func (a *app) assume(ctx context.Context, o *assumeOptions) error {
	if err := oneOf("--format", o.format, slices.Sorted(maps.Keys(assumeForms))); err != nil {
		return err
	}
	if o.workers < 1 {
		return fmt.Errorf("--workers %d: at least 1", o.workers)
	}
	locks, err := a.lockList(o.locks)
	if err != nil {
		return err
	}
	m := &assume.Measurement{Registry: a.registry, Locks: locks, Workers: o.workers}
	bar := a.progress(m.Rows(), "kinds of faults")
	m.Progress = func() { bar.Add(1) }
	rows, err := m.Run(ctx)
	bar.Close()
	if err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	if writeErr := assumeForms[o.format](a.streams.Out, rows); writeErr != nil {
		return &outputError{writeErr}
	}
	if err != nil {
		return fmt.Errorf("interrupted: only the kinds of faults that were finished are shown: %w", err)
	}
	return nil
}
