package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"fencepost/scenarios"
)

func (a *app) initCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "init [FILE]",
		Short: "Write a scenario to start from, with comments",
		Long: `Write a scenario file that is complete, has comments, and runs as it expects. It is called
after the file. A file that there is already is left alone, with exit code 3; without one the
scenario is printed.`,
		Example: "  fencepost init outage.yaml",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return errors.New("fencepost init takes one file at most")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return a.write(scenarios.Start(""))
			}
			return a.writeStart(args[0])
		},
	}
}

// writeStart writes the scenario into a new file.
func (a *app) writeStart(file string) error {
	name := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s is there already and was left alone: name another file", file)
	}
	if err != nil {
		return &outputError{err}
	}
	_, err = io.WriteString(f, scenarios.Start(name))
	if err := errors.Join(err, f.Close()); err != nil {
		return &outputError{err}
	}
	return a.write(fmt.Sprintf("wrote %s; run it with: fencepost run %s --lock redis,redlock,local\n", file, scenarios.ShellQuote(file)))
}

// write writes a result.
func (a *app) write(text string) error {
	if _, err := io.WriteString(a.streams.Out, text); err != nil {
		return &outputError{err}
	}
	return nil
}
