package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"fencepost/checker"
	"fencepost/scenarios"
	"fencepost/scenarios/sweeps"
)

// prepareSweep checks every flag and every cell before anything runs.
func (a *app) prepareSweep(c *cobra.Command, o *sweepOptions, name string) (*sweeps.Sweep, []*sweeps.Cell, error) {
	name, err := a.fromFile(c, o, name)
	if err != nil {
		return nil, nil, err
	}
	sweep, cells, err := a.planSweep(c, o, name)
	return sweep, cells, o.placed(err)
}

func (a *app) planSweep(c *cobra.Command, o *sweepOptions, name string) (*sweeps.Sweep, []*sweeps.Cell, error) {
	if err := o.checkSweep(c); err != nil {
		return nil, nil, err
	}
	porcupine, err := o.asked()
	if err != nil {
		return nil, nil, err
	}
	p, err := a.plan(name, &o.options)
	if err != nil {
		return nil, nil, err
	}
	sweep := &sweeps.Sweep{Mine: o.shard.Has, Estimate: sweeps.Estimator(o.estimate), Stop: o.stop, Property: o.property, Scenario: p.instance.Scenario, Registry: a.registry, Seeds: p.seeds, Workers: o.workers, Porcupine: porcupine}
	sweep.Fixed, _ = o.params()
	sweep.Locks, _ = a.lockList(o.locks)
	sweep.Guards, _ = guardList(o.guards)
	for _, text := range o.vary {
		axis, err := scenarios.ParseAxis(text)
		if err != nil {
			return nil, nil, fmt.Errorf("--%w", err)
		}
		for _, earlier := range sweep.Axes {
			if earlier.Name == axis.Name {
				return nil, nil, fmt.Errorf("--vary %s is given twice", axis.Name)
			}
		}
		sweep.Axes = append(sweep.Axes, axis)
	}
	cells, err := sweep.CellsUntil(c.Context())
	if err != nil {
		return nil, nil, err
	}
	all := &planned{}
	for _, c := range cells {
		all.plans = append(all.plans, c.Plan)
	}
	if err := nothingToRun(all); err != nil {
		return nil, nil, err
	}
	return sweep, cells, nil
}

// fromFile takes the settings of a sweep's file, but for those that are given on the command line, and
// returns the name of its scenario. Another name is that of the scenario itself.
func (a *app) fromFile(c *cobra.Command, o *sweepOptions, name string) (string, error) {
	f, err := scenarios.ReadSweepFile(name, sweepSettings)
	if f == nil || err != nil {
		return name, err
	}
	given := map[string]bool{}
	c.Flags().Visit(func(flag *pflag.Flag) { given[flag.Name] = true })
	for _, s := range f.Settings {
		if given[s.Name] || s.Name == "trials" && given["seed"] || s.Name == "seed" && given["trials"] {
			continue
		}
		if err := a.take(c, o, s); err != nil {
			return "", f.Wrong(s, err)
		}
		o.file, o.settings = f, append(o.settings, s)
	}
	if f.Scenario == "" {
		return "", fmt.Errorf("%s: `sweep:` names no scenario", name)
	}
	return f.Scenario, nil
}

// take sets the flag of a setting.
func (a *app) take(c *cobra.Command, o *sweepOptions, s scenarios.Setting) error {
	err := c.Flags().Set(s.Name, s.Value)
	var invalid *pflag.InvalidValueError
	switch {
	case err == nil:
		return a.checkSetting(o, s)
	case errors.As(err, &invalid):
		return fmt.Errorf("%q: %w", s.Value, errors.Unwrap(invalid)) // not what pflag says of an option
	}
	return err
}

// checkSetting checks what can be wrong with a setting alone, so that the place where it stands is told.
func (a *app) checkSetting(o *sweepOptions, s scenarios.Setting) (err error) {
	switch s.Name {
	case "vary":
		_, err = scenarios.ParseAxis(s.Value)
	case "set":
		_, err = (&options{set: []string{s.Value}}).params()
	case "lock":
		_, err = a.lockList(s.Value)
	case "guard":
		_, err = guardList(s.Value)
	case "seed":
		_, err = sweeps.ParseSeeds(s.Value)
	case "trials":
		err = o.checkTrials()
	case "property":
		err = oneOf("--property", s.Value, checker.Properties)
	case "estimate":
		err = oneOf("--estimate", s.Value, sweeps.Estimators)
	case "porcupine":
		err = oneOf("--porcupine", s.Value, sweeps.Porcupines)
	}
	if err == nil {
		return nil
	}
	text := err.Error()
	for _, option := range []string{"--" + s.Name + ": ", "--" + s.Name + " ", s.Name + " "} {
		text = strings.TrimPrefix(text, option)
	}
	return errors.New(text)
}

// placed says of an error about a parameter's value where that was given.
func (o *sweepOptions) placed(err error) error {
	var value *scenarios.ValueError
	if !errors.As(err, &value) {
		return err
	}
	err = value // without what else was said of where it is from
	for _, s := range o.settings {
		if strings.HasPrefix(s.Value, value.Name+"=") {
			return o.file.Wrong(s, err)
		}
	}
	for _, text := range o.vary {
		if strings.HasPrefix(text, value.Name+"=") {
			return fmt.Errorf("--vary %w", err)
		}
	}
	return fmt.Errorf("--set %w", err)
}

// checkSweep validates what the flags of a sweep alone can say.
func (o *sweepOptions) checkSweep(c *cobra.Command) error {
	if err := o.checkProperty(); err != nil {
		return err
	}
	seeds := c.Flags().Changed("seed")
	switch {
	case seeds && c.Flags().Changed("trials"):
		return errors.New("give --seed or --trials, not both: --trials N means the seeds 1 to N")
	case o.resume && o.out == "":
		return errors.New("--resume goes on in the directory of a result: name it with --out")
	case o.shard.Of > 0 && o.out == "":
		return errors.New("--shard is for machines that share the work: name with --out where this one leaves its part")
	case o.shard.Of > 0 && o.stops():
		return errNoShards
	case oneOf("--estimate", o.estimate, sweeps.Estimators) != nil:
		return oneOf("--estimate", o.estimate, sweeps.Estimators)
	case o.estimate != string(sweeps.Crude) && o.stops():
		return fmt.Errorf("--estimate %s and --until-…: cells stop by the share of their trials; leave one of them out", o.estimate)
	case o.estimate == string(sweeps.Conditional) && sweeps.Answers(o.property):
		return fmt.Errorf("--estimate %s is for the properties that monitors judge, not for %s", o.estimate, o.property)
	case o.stop.Validate() != nil:
		return fmt.Errorf("--until-…: %w", o.stop.Validate())
	case o.checkTrials() != nil:
		return o.checkTrials()
	}
	if !seeds {
		o.seeds = fmt.Sprintf("1-%d", o.trials)
	}
	return nil
}

// stops reports whether cells may stop before all their trials are run.
func (o *sweepOptions) stops() bool { return o.stop.RelativeWidth > 0 || o.stop.Budget > 0 }

var errNoShards = errors.New("shards and --until-…: a part of the trials cannot tell when all have shown enough; leave one of them out")

func (o *sweepOptions) checkTrials() error {
	if o.trials < 1 || o.trials > sweeps.MaxSeeds {
		return fmt.Errorf("--trials %d: from 1 to %d", o.trials, sweeps.MaxSeeds)
	}
	return nil
}

func (o *sweepOptions) checkProperty() error {
	if err := oneOf("--property", o.property, checker.Properties); err != nil {
		return err
	}
	return o.check()
}

// asked is in which trials porcupine is asked. A rate of its answers needs all of them.
func (o *sweepOptions) asked() (sweeps.Porcupine, error) {
	answers := sweeps.Answers(o.property)
	switch {
	case o.porcupine == "" && answers:
		return sweeps.PorcupineAll, nil
	case o.porcupine == "":
		return sweeps.PorcupineSampled, nil
	case !slices.Contains(sweeps.Porcupines, o.porcupine):
		return "", oneOf("--porcupine", o.porcupine, sweeps.Porcupines)
	case answers && o.porcupine != string(sweeps.PorcupineAll):
		return "", fmt.Errorf("--property %s is an answer of porcupine's, whose rate needs it in all trials: leave out --porcupine %s", o.property, o.porcupine)
	}
	return sweeps.Porcupine(o.porcupine), nil
}
