package cli

import (
	"context"
	"flag"
	"fmt"

	"github.com/spf13/cobra"

	"fencepost/models"
	"fencepost/reports"
	"fencepost/reports/journal"
	"fencepost/scenarios/sweeps"
)

// Elsewhere is a program that sweeps as `fencepost sweep` does, with the same options and the same files,
// but has the batches run by other processes, or on other machines.
type Elsewhere struct {
	// Name, Short, Long and Example are what its help says.
	Name, Short, Long, Example string
	// Flags are its own, beside those of a sweep.
	Flags *flag.FlagSet
	// Do has the work done and hands over the line of each batch, in any order; a line that comes
	// twice counts once.
	Do func(ctx context.Context, work *Work, take func(line []byte) error) error
}

// Main is [Main] of the program.
func (e *Elsewhere) Main(args []string, locks ...models.Lock) int {
	return untilSignal(func(ctx context.Context, s Streams) int { return e.Run(ctx, args, s, locks...) })
}

// Run is [Run] of the program.
func (e *Elsewhere) Run(ctx context.Context, args []string, s Streams, locks ...models.Lock) int {
	return invoke(ctx, args, s, func(a *app) *cobra.Command { return a.elsewhere(e) }, locks)
}

func (a *app) elsewhere(e *Elsewhere) *cobra.Command {
	o := &sweepOptions{}
	c := &cobra.Command{
		Use: e.Name + " SCENARIO|FILE", Short: e.Short, Long: e.Long, Example: e.Example,
		Version:       reports.Version,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          exactly(1, "one scenario: a name from `fencepost list scenarios`, or a file; or a sweep's file"),
		RunE: func(c *cobra.Command, args []string) error {
			return a.sweepOn(c, o, args[0], func(s *sweeps.Sweep, ctx context.Context, cells []*sweeps.Cell) error {
				return e.sweep(ctx, s, cells)
			})
		},
	}
	o.runFlags(c)
	c.Flags().AddGoFlagSet(e.Flags)
	return c
}

// sweep has all batches run that are still to be run.
func (e *Elsewhere) sweep(ctx context.Context, s *sweeps.Sweep, cells []*sweeps.Cell) error {
	work, err := newWork(s, cells)
	if err != nil || work.Batches.Len() == 0 {
		return err
	}
	err = e.Do(ctx, work, func(line []byte) error { return count(s, cells, line) })
	switch left := s.Todo(cells); {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return err
	case len(left) > 0:
		return fmt.Errorf("%s did not come back", counted(len(left), "batch", "batches"))
	}
	return nil
}

// count counts a batch that has come back, unless it was counted before.
func count(s *sweeps.Sweep, cells []*sweeps.Cell, line []byte) error {
	b, err := journal.ParseLine(line)
	if err != nil {
		return err
	}
	if err := s.Fits(cells, b); err != nil {
		return err
	}
	if !s.Take(cells, b) {
		return nil
	}
	s.Progress(int(b.Seeds.Len()))
	if s.Keep == nil {
		return nil
	}
	return s.Keep(b)
}
