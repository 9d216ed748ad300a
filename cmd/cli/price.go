package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"fencepost/reports"
	"fencepost/reports/journal"
	"fencepost/scenarios"
	"fencepost/scenarios/sweeps"
)

func (a *app) planCommand() *cobra.Command {
	o := &sweepOptions{}
	var shards int
	c := &cobra.Command{
		Use:   "plan SCENARIO|FILE --shards N",
		Short: "Say what a sweep takes, and how to divide it among machines",
		Long: `Run a few trials of each cell of a sweep, work out how long all of them would take on this machine,
and print the command of each shard. What is swept is said as for ` + "`fencepost sweep`" + `. Each shard has every
n-th batch, so that all take about as long.`,
		Example: "  fencepost plan sweep.yaml --shards 16",
		Args:    exactly(1, "one scenario, or a sweep's file"),
		RunE: func(c *cobra.Command, args []string) error {
			if shards < 1 || shards > journal.MaxShards {
				return fmt.Errorf("--shards %d: from 1 to %d", shards, journal.MaxShards)
			}
			command := sweepCommandOf(c, args[0])
			sweep, cells, err := a.prepareSweep(c, o, args[0])
			if err != nil {
				return err
			}
			if o.stops() {
				return errNoShards
			}
			if err := a.price(c.Context(), sweep, cells); err != nil {
				return err
			}
			return a.printShards(command, shards)
		},
	}
	o.sweepFlags(c)
	o.format = "text"
	wholeVar(c.Flags(), &shards, "shards", 1, "the number of parts")
	return c
}

// price prints what a sweep would take.
func (a *app) price(ctx context.Context, sweep *sweeps.Sweep, cells []*sweeps.Cell) error {
	prices, err := sweep.Price(ctx, cells, time.Now)
	if err != nil {
		return err
	}
	if err := reports.WritePrices(a.streams.Out, sweep, prices); err != nil {
		return &outputError{err}
	}
	return nil
}

// sweepCommandOf is the command that sweeps what the options of another one say.
func sweepCommandOf(c *cobra.Command, name string) string {
	command := "fencepost sweep " + scenarios.ShellQuote(name)
	c.Flags().Visit(func(f *pflag.Flag) {
		if f.Name == "shards" {
			return
		}
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		for _, v := range values {
			command += " --" + f.Name + " " + scenarios.ShellQuote(v)
		}
	})
	return command
}

// printShards prints the command of each shard, and the one that puts them together.
func (a *app) printShards(command string, n int) error {
	text := ""
	for i := range min(n, mostShards) {
		text += fmt.Sprintf("%s --shard %d/%d --out part-%d\n", command, i+1, n, i+1)
	}
	if n > mostShards {
		text += fmt.Sprintf("... and so on to --shard %d/%d\n", n, n)
	}
	return a.write("\n" + text + "fencepost merge part-* --out whole\n")
}

// mostShards is how many commands are printed.
const mostShards = 100
