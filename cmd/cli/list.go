package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"fencepost/checker"
	"fencepost/models"
	"fencepost/models/client"
	"fencepost/scenarios"
	"fencepost/sim/clock"
	"fencepost/sim/network"
	"fencepost/sim/rng"
)

var lists = []string{"locks", "guards", "scenarios", "presets", "clocks", "faults", "causes", "messages", "steps"}

func (a *app) listCommand() *cobra.Command {
	var locks string
	c := &cobra.Command{
		Use:   "list " + strings.Join(lists, "|"),
		Short: "List what there is; one name a line when piped",
		Long: `List lock systems, guards, the scenarios that are shipped, presets of distributions and of
clocks from published data, kinds of faults, causes of what goes wrong, classes of messages, or the named steps at which
a fault can be placed (with --lock: those that this lock system's clients pass). When
standard output is not a terminal, one name a line is printed and nothing else.`,
		Args: exactly(1, "one of: "+strings.Join(lists, ", ")),
		RunE: func(c *cobra.Command, args []string) error { return a.list(args[0], locks) },
	}
	c.Flags().BoolVar(&a.long, "long", false, "describe each also when piped")
	c.Flags().StringVar(&locks, "lock", "all", "with locks and steps: lock systems, separated by commas, or all")
	return c
}

func (a *app) list(what, ofLocks string) error {
	locks, err := a.lockList(ofLocks)
	if err != nil {
		return err
	}
	if ofLocks != "all" && what != "locks" && what != "steps" {
		return fmt.Errorf("list %s does not depend on a lock system: leave --lock out", what)
	}
	var items []item
	switch what {
	case "locks":
		items = lockItems(locks)
	case "guards":
		items = guardItems()
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
	case "causes":
		for _, c := range checker.Causes {
			items = append(items, item{string(c.Kind), []string{c.Meaning}})
		}
	case "messages":
		for _, name := range network.OpNames() {
			items = append(items, item{name, []string{""}})
		}
	case "steps":
		items = stepItems(locks)
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

func lockItems(locks []models.Lock) []item {
	var items []item
	for _, l := range locks {
		d := l.Describe()
		rest := []string{d.Summary}
		for _, fact := range factsOf(&d) {
			rest = append(rest, fact[0]+": "+fact[1])
		}
		for _, p := range d.Params {
			rest = append(rest, fmt.Sprintf("param %s=%s (%s): %s", p.Name, p.Format(p.Default), accepted(p), p.Doc))
		}
		items = append(items, item{d.Name, rest})
	}
	return items
}

// factsOf is what a lock system says of itself, by name.
func factsOf(d *models.Description) [][2]string {
	params := models.Defaults(d.Params)
	facts := [][2]string{
		{"promise", d.Promise}, {"granted when", d.Granted}, {"token", tokenOf(d, params)},
		{"clock of its leases", clockOf(d)}, {"notice of a loss", d.Notice},
		{"its example checks", or(d.Check, "never")},
		{"takeover with the defaults", d.Takeover(params).String()},
	}
	if d.Asked != "" {
		facts = append(facts, [2]string{"asked about a token", d.Asked})
	}
	if d.Removal != "" {
		facts = append(facts, [2]string{"removed by others when", d.Removal})
	}
	if d.Servers > 0 {
		facts = append(facts, [2]string{"servers", fmt.Sprintf("%d, called %s/1 and so on", d.Servers, d.Role)})
	}
	for _, s := range d.Sources {
		facts = append(facts, [2]string{"source", s})
	}
	// A lock of a user's own need not say everything.
	return slices.DeleteFunc(facts, func(fact [2]string) bool { return fact[1] == "" })
}

// clockOf says whose clock ends a lease.
func clockOf(d *models.Description) string {
	if d.ServiceClock != "" {
		return "the servers', " + d.ServiceClock
	}
	return or(d.LeaseClock, "none")
}

// accepted says which values a parameter has.
func accepted(p models.Param) string {
	switch {
	case p.Unit == models.Choice:
		return strings.Join(p.Choices, ", ")
	case p.Max > 0:
		return p.Format(p.Min) + " to " + p.Format(p.Max)
	}
	return "at least " + p.Format(p.Min)
}

// tokenOf says where a lock's token comes from, and whether it has one without being asked.
func tokenOf(d *models.Description, defaults models.Params) string {
	if d.Token != "" && !d.HasToken(defaults) {
		return "none, unless its parameters say so: " + d.Token
	}
	return or(d.Token, "none")
}

func or(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// stepItems lists the steps that clients of the locks pass: those of every client first, then
// those that a guard asks for, then the others with the locks that have them.
func stepItems(locks []models.Lock) []item {
	var items []item
	add := func(of string, steps []models.Step) {
		for _, s := range steps {
			items = append(items, item{s.Name, []string{of + ": " + s.Doc}})
		}
	}
	add("every client", client.Steps)
	add("clients under a guard that wants a mark", client.MarkSteps)
	add("clients with a resource of kind effect", client.EffectSteps)
	own := map[models.Step][]string{}
	var order []models.Step
	for _, l := range locks {
		d := l.Describe()
		for _, s := range d.Steps {
			if own[s] == nil {
				order = append(order, s)
			}
			own[s] = append(own[s], d.Name)
		}
	}
	for _, s := range order {
		of := strings.Join(own[s], ", ")
		if len(own[s]) == len(locks) && len(locks) > 1 {
			of = "every lock"
		}
		add(of, []models.Step{s})
	}
	return items
}
