package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/textio"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"

	"fencepost/cmd/cli"
)

var (
	partsFlag = flag.Int("parts", 64, "in how many parts the batches are dealt out")
	linesFlag = flag.String("lines", "", "the `file` by which batches come back from workers, which they and this program reach")
)

// do runs the pipeline, and takes what has come back.
func do(ctx context.Context, work *cli.Work, from source, take func([]byte) error) error {
	path, clean, err := linesPath()
	if err != nil {
		return err
	}
	defer clean()
	if err := giveWorkers(); err != nil {
		return err
	}
	p, s := beam.NewPipelineWithRoot()
	found, err := lines(s, work, *partsFlag, from)
	if err != nil {
		return err
	}
	textio.Write(s, path, found)
	if err := beamx.Run(ctx, p); err != nil {
		return fmt.Errorf("the pipeline: %w", err)
	}
	return read(ctx, path, take)
}

// linesPath is where batches come back, and what is to be done afterwards.
func linesPath() (path string, clean func(), err error) {
	clean = func() {}
	switch {
	case *partsFlag < 1:
		err = fmt.Errorf("--parts %d: at least 1", *partsFlag)
	case *jobopts.Async:
		err = errors.New("--async: a sweep waits for its batches; leave it out")
	case *linesFlag != "":
		path = *linesFlag
	case !inProcess():
		err = fmt.Errorf("--lines is missing: with --runner %s, name a file by which its workers give this program their batches", *runners.Runner)
	default:
		path, clean, err = ownDirectory()
	}
	return path, clean, err
}

// ownDirectory makes a place for the lines of workers in this process. Beam leaves an empty file among the
// temporary ones each time; it goes with the rest.
func ownDirectory() (path string, clean func(), err error) {
	dir, err := os.MkdirTemp("", "fencepost-beam-")
	if err != nil {
		return "", func() {}, err
	}
	const variable = "TMPDIR"
	was, set := os.LookupEnv(variable)
	os.Setenv(variable, dir)
	return filepath.Join(dir, "lines"), func() {
		if os.Unsetenv(variable); set {
			os.Setenv(variable, was)
		}
		os.RemoveAll(dir)
	}, nil
}

// inProcess reports whether the workers are in this process.
func inProcess() bool {
	prism := *runners.Runner == "" || strings.HasPrefix(strings.ToLower(*runners.Runner), "prism")
	return jobopts.IsLoopback() || prism && *jobopts.Endpoint == "" && *jobopts.EnvironmentType == ""
}

// giveWorkers gives workers this executable where they can run it. Beam would build one anew, whose build
// is another.
func giveWorkers() (err error) {
	if *jobopts.WorkerBinary == "" && !inProcess() && runtime.GOOS == "linux" && runtime.GOARCH == "amd64" {
		*jobopts.WorkerBinary, err = os.Executable()
	}
	return err
}

// read takes each line of a file, wherever Beam can write one.
func read(ctx context.Context, path string, take func([]byte) error) error {
	fs, err := filesystem.New(ctx, path)
	if err != nil {
		return err
	}
	defer fs.Close()
	f, err := fs.OpenRead(ctx, path)
	if err != nil {
		return err
	}
	defer f.Close()
	for in := bufio.NewReaderSize(f, 1<<20); ; {
		line, err := in.ReadBytes('\n')
		if len(line) > 0 {
			if err := take(bytes.TrimSuffix(line, []byte{'\n'})); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}
