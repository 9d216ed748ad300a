package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"fencepost/models/resource"
)

// explained are the kinds of things that explain knows.
var explained = []string{"guard"}

func (a *app) explainCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "explain guard [NAME]",
		Short: "Say in four lines what a guard guarantees and what not",
		Long: `Say in four lines what a guard guarantees, what it does not, which requests it compares
with what, and where it is described. Without a name the guards are listed.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 1 || len(args) > 2 {
				return fmt.Errorf("explain takes one of: %s; and a name", strings.Join(explained, ", "))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if args[0] != "guard" {
				return fmt.Errorf("explain %q is not known; accepted: %s", args[0], strings.Join(explained, ", "))
			}
			if len(args) == 1 {
				return a.printItems(guardItems())
			}
			return a.explainGuard(args[1])
		},
	}
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
