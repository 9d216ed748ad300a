package cli

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"fencepost/cmd/peers"
)

// benchOptions are those of the bench command.
type benchOptions struct {
	peers         bool
	rounds, scale int
}

func (a *app) benchCommand() *cobra.Command {
	o := &benchOptions{}
	c := &cobra.Command{
		Use:   "bench",
		Short: "Measure the kernel, beside other simulators if you like",
		Long: `Run an M/M/1 queue, a ping-pong and a hold model of 32 pending events on fencepost's kernel,
with its digest on, and on a plain loop over Go's container/heap. With --peers, also on Go's
testing/synctest, on ns-3 and on SimPy 3, as far as they are installed; one that is not is left
out, with the reason. On Debian: apt-get install libns3-dev g++ python3-simpy3.

All programs are first run on the same random numbers and have to come to the same statistics.
Then they take turns, and the least time of all rounds counts. Only ratios within one run mean
something: machines differ, and are noisy.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return a.bench(c.Context(), o) },
	}
	c.Flags().BoolVar(&o.peers, "peers", false, "also run other simulators")
	wholeVar(c.Flags(), &o.rounds, "rounds", 5, "how often each program runs")
	wholeVar(c.Flags(), &o.scale, "scale", 1, "run a part of the work only, such as 10 for a tenth")
	return c
}

func (a *app) bench(ctx context.Context, o *benchOptions) error {
	if o.rounds < 1 || o.scale < 1 {
		return errors.New("--rounds and --scale must be 1 or more")
	}
	options := peers.Options{Rounds: o.rounds, Scale: o.scale, Peers: peers.Built()}
	if o.peers {
		options.Peers = peers.All
	}
	bar := a.progress(options.Steps(), "measuring")
	options.Progress = func() { bar.Add(1) }
	results, err := peers.Measure(ctx, options)
	bar.Close()
	if err != nil {
		return err
	}
	fmt.Fprintf(a.streams.Out, "%s %s/%s; nanoseconds, the best of %d rounds\n", runtime.Version(), runtime.GOOS, runtime.GOARCH, o.rounds)
	return a.printBench(results)
}

func (a *app) printBench(results []*peers.Result) error {
	w := tabwriter.NewWriter(a.streams.Out, 0, 8, 2, ' ', 0)
	for _, workload := range peers.Workloads {
		fmt.Fprintf(w, "\n%s\tper %s\tratio\trounds\n", workload.Name, workload.Unit)
		own, _ := results[0].Best(workload.Name)
		for _, r := range results {
			if best, ok := r.Best(workload.Name); ok {
				fmt.Fprintf(w, "%s\t%.1f\t%.2f\t%s\n", r.Peer, best, best/own, r.Raw(workload.Name))
			}
		}
		if err := w.Flush(); err != nil {
			return &outputError{err}
		}
	}
	for _, r := range results {
		if r.Skipped != "" {
			if _, err := fmt.Fprintf(a.streams.Out, "\nleft out: %s: %s\n", r.Peer, r.Skipped); err != nil {
				return &outputError{err}
			}
		}
	}
	return nil
}
