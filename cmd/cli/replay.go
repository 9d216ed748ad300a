package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"fencepost/models"
	"fencepost/models/resource"
	"fencepost/reports"
	"fencepost/scenarios"
	"fencepost/sim/trace"
)

func (a *app) replayCommand() *cobra.Command {
	o := &options{}
	showTrace := false
	c := &cobra.Command{
		Use:   "replay TOKEN [FILE]",
		Short: "Repeat one run exactly",
		Long: `Repeat the run that a token names. A token holds the scenario and the hash of its file, the
lock, the guard, the seed and the parameters. For a scenario of your own, name its file too.

With --trace, print the canonical trace instead of the result: a line for every message that
is sent, delivered or lost, every step, and every pause, resume and crash, with the number of
events so far, true time, the running digest, who, what, and the details.`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(c *cobra.Command, args []string) error { return a.replay(c.Context(), o, args, showTrace) },
	}
	c.Flags().BoolVar(&showTrace, "trace", false, "print the canonical trace")
	o.output(c)
	return c
}

func (a *app) replay(ctx context.Context, o *options, args []string, showTrace bool) error {
	o.workers = 1
	if err := o.check(); err != nil {
		return err
	}
	plan, seed, err := a.planOf(args)
	if err != nil {
		return err
	}
	if plan.NotApplicable != "" {
		return fmt.Errorf("%s is not applicable: %s", plan.Name(), plan.NotApplicable)
	}
	d := reports.NewDocument(plan.Instance, scenarios.Seeds{{First: seed, Last: seed}})
	t := scenarios.NewTrial(plan)
	defer t.Close()
	lines := &trace.Writer{W: a.streams.Out}
	if showTrace {
		t.Trace(lines)
	}
	r, err := t.RunWith(ctx, seed)
	if err != nil {
		return err
	}
	d.Runs = append(d.Runs, reports.NewRun(t, r))
	a.code = verdictCode(d)
	if showTrace {
		if lines.Err != nil {
			return &outputError{lines.Err}
		}
		return nil
	}
	return a.publish(d, o, timelines([]*scenarios.Plan{plan}, seed))
}

// planOf finds the plan that a token names.
func (a *app) planOf(args []string) (*scenarios.Plan, uint64, error) {
	token, err := scenarios.ParseToken(args[0])
	if err != nil {
		return nil, 0, err
	}
	from := token.Scenario
	if len(args) == 2 {
		from = args[1]
		if _, variant, ok := strings.Cut(token.Scenario, "/"); ok && !strings.HasSuffix(from, "/"+variant) {
			from += "/" + variant
		}
	}
	s, err := scenarios.Load(from)
	if err != nil && len(args) == 1 {
		return nil, 0, fmt.Errorf("%w; for a scenario of your own give its file too: fencepost replay TOKEN FILE", err)
	}
	if err != nil {
		return nil, 0, err
	}
	if err := token.Matches(s); err != nil {
		return nil, 0, err
	}
	lock, ok := a.registry.Find(token.Lock)
	if !ok {
		return nil, 0, fmt.Errorf("the token's lock %q is not known; accepted: %s", token.Lock, strings.Join(a.registry.Names(), ", "))
	}
	guard, ok := resource.FindGuard(token.Guard)
	if !ok {
		return nil, 0, fmt.Errorf("the token's guard %q is not known; accepted: %s", token.Guard, strings.Join(resource.GuardNames(), ", "))
	}
	in, err := s.Instantiate(a.registry, token.Params)
	if err != nil {
		return nil, 0, err
	}
	plans, err := in.Plans([]models.Lock{lock}, []resource.Guard{guard})
	if err != nil {
		return nil, 0, err
	}
	return plans[0], token.Seed, nil
}

// timelines returns the picture of each plan's run under a seed, by file name.
func timelines(plans []*scenarios.Plan, seed uint64) map[string]func(io.Writer) error {
	files := map[string]func(io.Writer) error{}
	for _, p := range plans {
		if p.NotApplicable != "" {
			continue
		}
		files[reports.TimelineFile(p)] = func(w io.Writer) error { return reports.WriteTimeline(w, p, seed) }
	}
	return files
}
