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
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	context.AfterFunc(ctx, func() { time.Sleep(5 * time.Second); stop() }) // who asks again then does not wait for the rest
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

What is missing is named and left out: redis-server, etcd and java on the path, ZooKeeper's /usr/share/java/zookeeper.jar,
which are Debian's redis-server, etcd-server and zookeeper, and a C compiler, cc, for the clocks. Instants count from when
somebody first got in. All cases, ten times each, take half an hour on two processors; --smoke --runs 1 --late 2s takes one
minute. See docs/conformance.md.

The exit code is 0 if all that was played agrees, and 1 if something differs, could not be played or was wrong.`,
		Example: "  fencepost-conform live --smoke --runs 1 --late 2s\n  fencepost-conform live --only \"kleppmann etcd\" --runs 3",
		Args:    cobra.NoArgs,
		RunE:    func(c *cobra.Command, _ []string) error { return live.Run(c.Context(), os.Stdout, o) },
	}
	run.Flags().IntVar(&o.Runs, "runs", 10, "how often each case is played")
	run.Flags().IntVar(&o.Parallel, "parallel", 4, "how many runs are at a time; too many for the machine come late")
	run.Flags().Uint64Var(&o.Seeds, "seeds", 200, "how many seeds of the simulator they are compared with")
	run.Flags().DurationVar(&o.Late, "late", 100*time.Millisecond, "how much later than in the simulator something may come about")
	run.Flags().StringVar(&o.Only, "only", "", "play the cases with this in their `name`, as --list has it")
	run.Flags().BoolVar(&o.List, "list", false, "say which cases there are, and play none")
	run.Flags().BoolVar(&o.Smoke, "smoke", false, "play the few cases that are short")
	run.Flags().StringVar(&o.Histories, "histories", "", "write what was done in the first run of each case, as fencepost check reads it, into this `directory`")
	run.Flags().StringVar(&o.Page, "page", "", "write the table between the marks <!-- live --> and <!-- end --> of this `file` anew; with all cases only")
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
