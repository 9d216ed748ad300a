package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"fencepost/scenarios"
)

func (a *app) validateCommand() *cobra.Command {
	schema := false
	c := &cobra.Command{
		Use:   "validate FILE... | --schema",
		Short: "Find every mistake in scenario files, and run nothing",
		Long: `Read scenario files as far as they can be read without being run: the scenario and each of
its variants, under every lock system and every guard. A file without a mistake is ok; of
any other each mistake is printed as FILE:LINE:COLUMN: what is wrong, and what would be
right. The exit code is 3 if there is a mistake in any file.

--schema prints the JSON Schema of scenario files, with the lock systems that there are, for
editors that complete and check a file while it is written.`,
		Example: `  fencepost validate my.yaml
  fencepost validate --schema > fencepost.schema.json`,
		Args: func(c *cobra.Command, args []string) error {
			if schema && len(args) > 0 {
				return errors.New("fencepost validate --schema takes no file")
			}
			if schema {
				return nil
			}
			return atLeastOne("a scenario file, or --schema")(c, args)
		},
		RunE: func(_ *cobra.Command, files []string) error {
			if schema {
				return a.write(string(scenarios.Schema(a.registry)))
			}
			return a.validate(files)
		},
	}
	c.Flags().BoolVar(&schema, "schema", false, "print the JSON Schema of scenario files")
	return c
}

// validate tells of each file whether it is right. Mistakes are what it is asked for, and so
// they are its result.
func (a *app) validate(files []string) error {
	var out strings.Builder
	mistakes, wrong := 0, 0
	for _, file := range files {
		list, err := scenarios.ValidateFile(a.registry, file)
		var unreadable *scenarios.Error
		if errors.As(err, &unreadable) {
			list = []*scenarios.Error{unreadable}
		} else if err != nil {
			return err
		}
		for _, m := range list {
			fmt.Fprintln(&out, m)
		}
		if mistakes += len(list); len(list) > 0 {
			wrong++
			continue
		}
		fmt.Fprintf(&out, "%s: ok\n", file)
	}
	if err := a.write(out.String()); err != nil {
		return err
	}
	if mistakes > 0 {
		return fmt.Errorf("mistakes: %d, in %d of %d files", mistakes, wrong, len(files))
	}
	return nil
}
