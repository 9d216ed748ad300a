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
		Short: "Start real servers on loopback ports, stop a worker with SIGSTOP in the middle, and compare",
		Long: `Start redis-server, etcd and ZooKeeper on loopback ports, with worker processes that take their steps one by one, stop
a worker with SIGSTOP between two of them, and compare the verdicts, and the instants at which the second
client gets in, with those of the same scenario in the simulator.

What is not on the path is named and left out.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return live.Run(c.Context(), os.Stdout, o) },
	}
	run.Flags().IntVar(&o.Runs, "runs", 10, "how often each case is run")
	run.Flags().Uint64Var(&o.Seeds, "seeds", 200, "how many seeds of the simulator they are compared with")
	run.Flags().DurationVar(&o.Late, "late", 50*time.Millisecond, "how much later than in the simulator the second client may get in")
	run.Flags().StringVar(&o.Only, "only", "", "run the cases with this in their `name`")
	run.Flags().StringVar(&o.Histories, "histories", "", "write what was done, as fencepost check reads it, into this `directory`")
	worker := &cobra.Command{
		Use:    "worker LOCK TTL RESOURCE SERVER...",
		Hidden: true,
		Args:   cobra.MinimumNArgs(4),
		RunE:   func(c *cobra.Command, args []string) error { return live.Work(c.Context(), args, os.Stdin, os.Stdout) },
	}
	root.AddCommand(run, worker)
	return root
}
