package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"fencepost/models/resource"
	"fencepost/reports"
)

func (a *app) explainCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "explain TOKEN [FILE] | guard [NAME]",
		Short: "Tell what happened in a run and show the evidence, or what a guard guarantees",
		Long: `Run again what a replay token names, tell what happened and who is at fault, and show each
violation with its evidence: the holders and their tokens, what they were promised and
believed, in true time and by their own clocks, and the faults that touched them. For a
scenario of your own, name its file too.

explain guard NAME says in four lines what a guard guarantees, what it does not, which
requests it compares with what, and where it is described. Without a name it lists the guards.`,
		Example: "  fencepost explain guard fence-writes",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 1 || len(args) > 2 {
				return errors.New("explain takes a replay token and, for a scenario of your own, its file; or the word guard and a name")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case args[0] != "guard":
				return a.explainRun(c.Context(), args)
			case len(args) == 1:
				return a.printItems(guardItems())
			}
			return a.explainGuard(args[1])
		},
	}
}

func (a *app) explainRun(ctx context.Context, args []string) error {
	again, err := a.runAgain(ctx, args, nil)
	if err != nil {
		return err
	}
	defer again.trial.Close()
	if err := reports.WriteEvidence(a.streams.Out, again.document); err != nil {
		return &outputError{err}
	}
	return nil
}

func (a *app) explainGuard(name string) error {
	g, ok := resource.FindGuard(name)
	if !ok {
		return fmt.Errorf("%q is not a guard; accepted: %s", name, strings.Join(resource.GuardNames(), ", "))
	}
	var out strings.Builder
	for _, line := range explainedLines(&g) {
		fmt.Fprintf(&out, "%-16s%s\n", line[0]+":", line[1])
	}
	if _, err := io.WriteString(a.streams.Out, out.String()); err != nil {
		return &outputError{err}
	}
	return nil
}

// explainedLines is what has to be known of a guard, by name.
func explainedLines(g *resource.Guard) [][2]string {
	return [][2]string{{"guarantees", g.Guarantees}, {"does not", g.Not}, {"compares", g.Compared}, {"source", g.Source}}
}

// guardItems lists the guards with what is said of each.
func guardItems() (items []item) {
	for i := range resource.Guards {
		g := &resource.Guards[i]
		rest := []string{g.Doc}
		for _, line := range explainedLines(g) {
			rest = append(rest, line[0]+": "+line[1])
		}
		items = append(items, item{g.Name, rest})
	}
	return items
}
