// Command fencepost-beam sweeps as `fencepost sweep` does, with the batches run by a pipeline of Apache
// Beam: on this machine by Prism, or on any runner that Beam's own --runner names.
//
// It is a module of its own, so that fencepost itself does not depend on Beam.
package main

import (
	"context"
	"flag"
	"os"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	beamlog "github.com/apache/beam/sdks/v2/go/pkg/beam/log"

	"fencepost/cmd/cli"
)

func main() {
	if isWorker(os.Args[1:]) {
		flag.Parse()
		beam.Init() // it runs what it is told to, and does not return
	}
	os.Exit(program(expand).Main(os.Args[1:]))
}

// isWorker reports whether a runner has started this process: Beam's container says so first.
func isWorker(args []string) bool {
	return slices.Contains(args, "--worker=true") || slices.Contains(args, "--worker")
}

// internal are Beam's flags by which a runner starts a worker.
var internal = []string{"worker", "id", "logging_endpoint", "control_endpoint", "semi_persist_dir", "options"}

// flags are those of this program and of Beam that a person may give.
func flags() *flag.FlagSet {
	own := flag.NewFlagSet("", flag.ContinueOnError)
	flag.VisitAll(func(f *flag.Flag) {
		if !slices.Contains(internal, f.Name) && !strings.HasPrefix(f.Name, "test.") {
			own.Var(f.Value, f.Name, f.Usage)
		}
	})
	return own
}

// program is the command, with the parts of the work from a source.
func program(from source) *cli.Elsewhere {
	return &cli.Elsewhere{
		Name:  "fencepost-beam",
		Short: "Run a sweep of fencepost as a pipeline of Apache Beam",
		Long: `Sweep as ` + "`fencepost sweep`" + ` does, with the same options and the same files, but have the batches
run by a pipeline of Apache Beam: by Prism in this process, or by the runner that --runner names.

The batches are dealt out in --parts, each of which one worker runs, --workers of its runs at once. What
the workers have found comes back as text, in the file of --lines, which both they and this program must
reach: a path on a shared disk, or gs://... . Workers that share this process need none.

A worker refuses a sweep of another build. On linux/amd64 this executable is what workers are given;
elsewhere name with --worker_binary one for them, and build both from the same commit.

A pipeline comes back as a whole: of one that was interrupted nothing is kept. Divide a long sweep with
--shard as well. Cells that may stop early (--until-...) are run to the end all the same, and come to the
same files.`,
		Example: `  fencepost-beam kleppmann --vary fault.pause=1s..60s/20 --trials 2000 --out out
  fencepost-beam sweep.yaml --out out --runner flink --endpoint localhost:8099 --lines /shared/lines.txt`,
		Flags: flags(),
		Do: func(ctx context.Context, work *cli.Work, take func([]byte) error) error {
			beamlog.SetupLogging("warn", "text")
			beam.Init()
			return do(ctx, work, from, take)
		},
	}
}
