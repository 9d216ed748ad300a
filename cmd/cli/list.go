package cli

import (
	"fmt"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"fencepost/models"
	"fencepost/models/client"
	"fencepost/models/resource"
	"fencepost/scenarios"
	"fencepost/sim/clock"
	"fencepost/sim/network"
	"fencepost/sim/rng"
)

var lists = []string{"locks", "guards", "scenarios", "presets", "clocks", "faults", "messages", "steps"}

func (a *app) listCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "list " + strings.Join(lists, "|"),
		Short: "List what there is; one name a line when piped",
		Long: `List lock systems, guards, the scenarios that are shipped, presets of distributions and of
clocks from published data, kinds of faults, classes of messages, or the named steps at which
a fault can be placed. When standard output is not a terminal, one
name a line is printed and nothing else.`,
		Args: exactly(1, "one of: "+strings.Join(lists, ", ")),
		RunE: func(c *cobra.Command, args []string) error { return a.list(args[0]) },
	}
	c.Flags().BoolVar(&a.long, "long", false, "describe each also when piped")
	return c
}

// item is a line of a list: a name and what is said about it.
type item struct {
	name string
	rest []string
}

func (a *app) list(what string) error {
	var items []item
	switch what {
	case "locks":
		items = a.lockItems()
	case "guards":
		for _, g := range resource.Guards {
			items = append(items, item{g.Name, []string{g.Doc}})
		}
	case "scenarios":
		return a.listScenarios()
	case "presets":
		for _, p := range rng.Presets() {
			items = append(items, item{p.Name, []string{p.Text, p.Source, p.Condition}})
		}
	case "clocks":
		for _, p := range clock.Presets() {
			items = append(items, item{p.Name, []string{p.Source, p.Condition}})
		}
	case "faults":
		items = faultItems()
	case "messages":
		for _, name := range network.OpNames() {
			items = append(items, item{name, []string{""}})
		}
	case "steps":
		items = a.stepItems()
	default:
		return fmt.Errorf("list %q is not known; accepted: %s", what, strings.Join(lists, ", "))
	}
	return a.printItems(items)
}

// faultItems lists the kinds of faults with what they take.
func faultItems() (items []item) {
	for _, k := range scenarios.FaultKinds {
		rest := []string{k.Doc}
		if len(k.Needs) > 0 {
			rest = append(rest, "needs: "+strings.Join(k.Needs, ", "))
		}
		if len(k.Takes) > 0 {
			rest = append(rest, "may have: "+strings.Join(k.Takes, ", "))
		}
		items = append(items, item{k.Name, rest})
	}
	return items
}

func (a *app) listScenarios() error {
	var items []item
	for _, name := range scenarios.LibraryNames() {
		s, err := scenarios.Load(name)
		if err != nil {
			return err
		}
		items = append(items, item{name, []string{s.Title}})
	}
	return a.printItems(items)
}

func (a *app) lockItems() []item {
	var items []item
	for _, l := range a.registry.Locks() {
		d := l.Describe()
		params := models.Defaults(d.Params)
		rest := []string{d.Summary, "promise: " + d.Promise, "granted when: " + d.Granted,
			"token: " + or(d.Token, "none"), "service clock: " + or(d.ServiceClock, "none"),
			"notice of loss: " + d.Notice, "takeover: " + d.Takeover(params).String()}
		for _, p := range d.Params {
			rest = append(rest, fmt.Sprintf("param %s=%s: %s", p.Name, p.Format(p.Default), p.Doc))
		}
		for _, s := range d.Sources {
			rest = append(rest, "source: "+s)
		}
		items = append(items, item{d.Name, rest})
	}
	return items
}

func or(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// stepItems lists the steps of every client first, then those that a lock adds.
func (a *app) stepItems() []item {
	var items []item
	seen := map[string]bool{}
	add := func(steps []models.Step, of string) {
		for _, s := range steps {
			if !seen[s.Name] {
				seen[s.Name] = true
				items = append(items, item{s.Name, []string{of + ": " + s.Doc}})
			}
		}
	}
	add(client.Steps, "every client")
	add(models.StepsOfAcquire, "every lock")
	for _, l := range a.registry.Locks() {
		add(l.Describe().Steps, l.Describe().Name)
	}
	return items
}

// printItems writes names alone when piped, and names with their text otherwise.
func (a *app) printItems(items []item) error {
	w := tabwriter.NewWriter(a.streams.Out, 0, 8, 2, ' ', 0)
	for _, it := range items {
		if !a.long && !a.terminal() {
			fmt.Fprintln(w, it.name)
			continue
		}
		name := it.name
		for _, line := range it.rest {
			fmt.Fprintf(w, "%s\t%s\n", name, line)
			name = ""
		}
	}
	if err := w.Flush(); err != nil {
		return &outputError{err}
	}
	return nil
}

// terminal reports whether a person reads standard output.
func (a *app) terminal() bool {
	f, ok := a.streams.Out.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
