// Package cli is fencepost's command line as a package, so that a user's own program
// can add lock systems to it:
//
//	func main() { os.Exit(cli.Main(os.Args[1:], mylock.New())) }
//
// Results go to standard output, progress and errors to standard error.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"fencepost/models"
	"fencepost/models/all"
	"fencepost/reports"
	"fencepost/scenarios"
)

// Exit codes.
const (
	ExitExpected    = 0   // every run was as its scenario expects
	ExitUnexpected  = 1   // some run was not
	ExitUnknown     = 2   // a bound left an answer open
	ExitUsage       = 3   // the command line, the scenario or where to write is wrong, or nothing selected is applicable
	ExitInternal    = 4   // fencepost is wrong
	ExitInterrupted = 130 // Ctrl-C
)

// Main runs one command with the built-in lock systems and the given ones, and returns
// the exit code.
func Main(args []string, locks ...models.Lock) int {
	return untilSignal(func(ctx context.Context, s Streams) int { return Run(ctx, args, s, locks...) })
}

// untilSignal runs a program of a process until a signal tells it to stop.
func untilSignal(run func(context.Context, Streams) int) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	return run(ctx, Streams{os.Stdout, os.Stderr})
}

// Streams are where a command writes.
type Streams struct {
	Out, Err io.Writer
}

// Run is Main with a context and streams of the caller's.
func Run(ctx context.Context, args []string, s Streams, locks ...models.Lock) int {
	return invoke(ctx, args, s, (*app).root, locks)
}

func invoke(ctx context.Context, args []string, s Streams, command func(*app) *cobra.Command, locks []models.Lock) int {
	registry, err := models.NewRegistry(append(all.Locks(), locks...)...)
	if err != nil {
		fmt.Fprintln(s.Err, "fencepost:", err)
		return ExitInternal
	}
	a := &app{streams: s, registry: registry}
	root := command(a)
	root.SetArgs(args)
	root.SetOut(s.Out)
	root.SetErr(s.Err)
	err = safely(func() error { return root.ExecuteContext(ctx) })
	if err == nil {
		return a.code
	}
	fmt.Fprintln(s.Err, root.Name()+":", reports.Printable(strings.TrimSuffix(err.Error(), ": "+context.Canceled.Error())))
	return codeOf(err)
}

// panicked is a broken invariant of fencepost's.
type panicked struct{ cause any }

func (p *panicked) Error() string {
	return fmt.Sprintf("internal error: %v\n%s", p.cause, debug.Stack())
}

// safely turns a panic into an error, so that no bug looks like a verdict.
func safely(f func() error) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = &panicked{cause}
		}
	}()
	return f()
}

// codeOf classifies an error.
func codeOf(err error) int {
	var internal *scenarios.InternalError
	var broken *panicked
	switch {
	case errors.Is(err, context.Canceled):
		return ExitInterrupted
	case errors.As(err, &internal), errors.As(err, &broken):
		return ExitInternal
	}
	return ExitUsage
}

// outputError is a failure to write a result.
type outputError struct{ err error }

func (e *outputError) Error() string { return "cannot write the result: " + e.err.Error() }
func (e *outputError) Unwrap() error { return e.err }

// app is one invocation.
type app struct {
	streams  Streams
	registry *models.Registry
	code     int
	long     bool // describe list items also when piped
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "fencepost",
		Short: "A deterministic fault-injection simulator for distributed locks",
		Long: `fencepost runs distributed locks under seeded pauses, clock steps, network delays and
crashes, checks every history, and shows how often, why and at whose fault each one breaks.

Exit codes: 0 as expected, 1 not as expected, 2 unknown, 3 usage or scenario error, or
nothing that is applicable, 4 internal error, 130 interrupted.`,
		Version:           reports.Version,
		SilenceUsage:      true,
		SilenceErrors:     true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
		Args:              cobra.NoArgs,
		RunE:              func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.AddCommand(a.runCommand(), a.suiteCommand(), a.reproduceCommand(), a.sweepCommand(), a.planCommand(), a.mergeCommand(), a.chartCommand(), a.compareCommand(), a.replayCommand(), a.checkCommand(), a.diffTraceCommand(), a.benchCommand(), a.assumeCommand(), a.gateCommand(), a.listCommand(), a.explainCommand(), a.initCommand(), a.validateCommand())
	return root
}
