package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"fencepost/models"
	"fencepost/models/resource"
	"fencepost/scenarios"
	"fencepost/scenarios/sweeps"
)

// options are the flags that commands share.
type options struct {
	locks, guards, seeds, format, out string
	set                               []string
	workers                           int
}

var formats = []string{"text", "json", "csv", "markdown"}

func (o *options) selection(c *cobra.Command, locks, guards string) {
	c.Flags().StringVar(&o.locks, "lock", locks, "lock systems, separated by commas, or all")
	c.Flags().StringVar(&o.guards, "guard", guards, "guards, separated by commas, or all")
	c.Flags().StringArrayVar(&o.set, "set", nil, "set a parameter of the scenario: `NAME=VALUE` (repeatable)")
	o.workersFlag(c)
}

func (o *options) workersFlag(c *cobra.Command) {
	wholeVar(c.Flags(), &o.workers, "workers", runtime.GOMAXPROCS(0), "how many runs go on at once; makes no difference to any result")
}

func (o *options) seedFlag(c *cobra.Command) {
	c.Flags().StringVar(&o.seeds, "seed", "1", "seeds and ranges of seeds, such as 1-100,7")
}

func (o *options) output(c *cobra.Command) { o.outputAs(c, formats) }

func (o *options) outputAs(c *cobra.Command, formats []string) {
	c.Flags().StringVar(&o.format, "format", "text", "what standard output gets: "+strings.Join(formats, ", "))
	c.Flags().Var((*path)(&o.out), "out", "write the result's files into this `directory`")
}

// path is a flag that names a file or a directory. An empty one is a shell variable that was
// not set.
type path string

func (p *path) String() string { return string(*p) }
func (p *path) Type() string   { return "path" }

// Set implements [pflag.Value].
func (p *path) Set(text string) error {
	if text == "" {
		return errors.New("it is empty: name a path, or leave the flag out")
	}
	*p = path(text)
	return nil
}

// check validates what flags alone can say.
func (o *options) check() error { return o.checkAs(formats) }

func (o *options) checkAs(formats []string) error {
	if o.workers < 1 {
		return fmt.Errorf("--workers %d: at least 1", o.workers)
	}
	if err := outIsDirectory(o.out); err != nil {
		return err
	}
	return oneOf("--format", o.format, formats)
}

// oneOf fails if a flag has none of the words that it accepts.
func oneOf(flag, word string, accepted []string) error {
	if slices.Contains(accepted, word) {
		return nil
	}
	return fmt.Errorf("%s %q is not known; accepted: %s", flag, word, strings.Join(accepted, ", "))
}

// outIsDirectory fails if a result could not be written into a directory: that is to be told before what
// may take hours is run. The directory need not exist, and is not made.
func outIsDirectory(out string) error {
	if out == "" {
		return nil
	}
	at := filepath.Clean(out)
	info, err := os.Stat(at)
	for err != nil && at != filepath.Dir(at) {
		at = filepath.Dir(at)
		info, err = os.Stat(at)
	}
	switch {
	case err != nil:
		return fmt.Errorf("--out %s: %w", out, err)
	case !info.IsDir() && at == filepath.Clean(out):
		return fmt.Errorf("--out %s is a file; name a directory, which need not exist", out)
	case !info.IsDir():
		return fmt.Errorf("--out %s: %s is a file", out, at)
	}
	probe, err := os.MkdirTemp(at, newPrefix(os.Getpid()))
	if err != nil {
		return fmt.Errorf("--out %s: nothing can be written there: %w", out, err)
	}
	return os.Remove(probe)
}

// params reads the --set flags.
func (o *options) params() (map[string]string, error) {
	values := map[string]string{}
	for _, text := range o.set {
		name, value, ok := strings.Cut(text, "=")
		if !ok || name == "" || value == "" {
			return nil, fmt.Errorf("--set %q: write NAME=VALUE, such as fault.pause=20s", text)
		}
		if _, twice := values[name]; twice {
			return nil, fmt.Errorf("--set %s is given twice", name)
		}
		values[name] = value
	}
	return values, nil
}

// lockList reads --lock.
func (a *app) lockList(text string) ([]models.Lock, error) {
	if text == "all" {
		return a.registry.Locks(), nil
	}
	var locks []models.Lock
	for _, name := range strings.Split(text, ",") {
		l, ok := a.registry.Find(name)
		if !ok {
			return nil, fmt.Errorf("--lock: %q is not a lock system; accepted: %s; or all alone", name, strings.Join(a.registry.Names(), ", "))
		}
		if slices.Contains(locks, l) {
			return nil, fmt.Errorf("--lock: %s is named twice", name)
		}
		locks = append(locks, l)
	}
	return locks, nil
}

// guardList reads --guard.
func guardList(text string) ([]resource.Guard, error) {
	if text == "all" {
		return resource.Guards, nil
	}
	var guards []resource.Guard
	for _, name := range strings.Split(text, ",") {
		g, ok := resource.FindGuard(name)
		if !ok {
			return nil, fmt.Errorf("--guard: %q is not a guard; accepted: %s; or all alone", name, strings.Join(resource.GuardNames(), ", "))
		}
		for _, earlier := range guards {
			if earlier.Name == name {
				return nil, fmt.Errorf("--guard: %s is named twice", name)
			}
		}
		guards = append(guards, g)
	}
	return guards, nil
}

// planned is a scenario with its plans.
type planned struct {
	instance *scenarios.Instance
	plans    []*scenarios.Plan
	seeds    sweeps.Seeds
}

// plan loads a scenario and checks everything before anything runs.
func (a *app) plan(name string, o *options) (*planned, error) {
	s, err := scenarios.Load(name)
	if err != nil {
		return nil, err
	}
	return a.instantiate(s, o)
}

func (a *app) instantiate(s *scenarios.Scenario, o *options) (*planned, error) {
	values, err := o.params()
	if err != nil {
		return nil, err
	}
	seeds, err := sweeps.ParseSeeds(o.seeds)
	if err != nil {
		return nil, fmt.Errorf("--seed: %w", err)
	}
	locks, err := a.lockList(o.locks)
	if err != nil {
		return nil, err
	}
	guards, err := guardList(o.guards)
	if err != nil {
		return nil, err
	}
	in, err := s.Instantiate(a.registry, values)
	if err != nil {
		return nil, setBy(err)
	}
	plans, err := in.Plans(locks, guards)
	return &planned{in, plans, seeds}, setBy(err)
}

// setBy says of an error about a parameter's value with what that was given.
func setBy(err error) error {
	var value *scenarios.ValueError
	if errors.As(err, &value) {
		return fmt.Errorf("--set %w", err)
	}
	return err
}

// nothingToRun fails if no combination of all that was selected is applicable. A result
// without a run says nothing about the lock, and must not pass for one as expected.
func nothingToRun(all ...*planned) error {
	var reasons []string
	for _, p := range all {
		for _, plan := range p.plans {
			if plan.NotApplicable == "" {
				return nil
			}
			reasons = append(reasons, fmt.Sprintf("%s under %s / %s: %s",
				plan.Instance.Scenario.Name, plan.Describe.Name, plan.Guard.Name, plan.NotApplicable))
		}
	}
	const most = 3
	if n := len(reasons) - most; n > 0 {
		reasons = append(reasons[:most], fmt.Sprintf("and %d more", n))
	}
	return fmt.Errorf("nothing was run: what is selected is not applicable (%s)", strings.Join(reasons, "; "))
}
