// Command fencepost-conform runs real servers and real clients, and compares what they do with what
// fencepost's models do under the same parameters.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"fencepost/cmd/fencepost-conform/live"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // who asks a second time does not wait
	if err := command().ExecuteContext(ctx); err != nil {
		if !errors.Is(err, live.ErrDiffers) {
			fmt.Fprintln(os.Stderr, "fencepost-conform:", err)
		}
		os.Exit(1)
	}
}

func command() *cobra.Command {
	root := &cobra.Command{
		Use:           "fencepost-conform",
		Short:         "Compare real lock servers and clients with fencepost's models",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	var o live.Options
	run := &cobra.Command{
		Use:   "live",
		Short: "Play scenarios with real servers and real client libraries, and compare with the simulator",
		Long: `Play scenarios of the library with redis-server, etcd and ZooKeeper on loopback ports, and with real client libraries
in worker processes: who is paused is stopped with SIGSTOP, who crashes is killed, links are cut at a proxy,
and the wall clock of a server is moved by a preloaded library. Verdicts, and the instants at which clients
get in or stop, are compared with those of the same scenarios in the simulator.

What is not on the path is named and left out.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return live.Run(c.Context(), os.Stdout, o) },
	}
	run.Flags().IntVar(&o.Runs, "runs", 10, "how often each case is played")
	run.Flags().IntVar(&o.Parallel, "parallel", 4, "how many runs are at a time")
	run.Flags().Uint64Var(&o.Seeds, "seeds", 200, "how many seeds of the simulator they are compared with")
	run.Flags().DurationVar(&o.Late, "late", 100*time.Millisecond, "how much later than in the simulator something may come about")
	run.Flags().StringVar(&o.Only, "only", "", "play the cases with this in their `name`")
	run.Flags().BoolVar(&o.Smoke, "smoke", false, "play the few cases that are short")
	run.Flags().StringVar(&o.Histories, "histories", "", "write what was done, as fencepost check reads it, into this `directory`")
	run.Flags().StringVar(&o.Page, "page", "", "write the table anew that this `file` has of them")
	worker := &cobra.Command{
		Use:    "worker OUTFIT",
		Hidden: true,
		Args:   cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return live.Work(c.Context(), args[0], os.Stdin, os.Stdout)
		},
	}
	root.AddCommand(run, worker)
	return root
}
