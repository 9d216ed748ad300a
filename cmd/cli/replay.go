package cli

import (
	"context"
	"fmt"
	"io"
	"maps"
	"strings"

	"github.com/spf13/cobra"

	"fencepost/checker/external"
	"fencepost/models"
	"fencepost/models/resource"
	"fencepost/reports"
	"fencepost/scenarios"
	"fencepost/scenarios/sweeps"
	"fencepost/sim/trace"
)

func (a *app) replayCommand() *cobra.Command {
	o := &replayOptions{}
	c := &cobra.Command{
		Use:   "replay TOKEN [FILE]",
		Short: "Repeat one run exactly",
		Long: `Repeat the run that a token names. A token holds the scenario and the hash of its file, the
lock, the guard, the seed and the parameters. For a scenario of your own, name its file too.

With --trace, print the canonical trace instead of the result: a line for every message that
is sent, delivered or lost, every step, and every pause, resume and crash, with the number of
events so far, true time, the running digest, who, what, and the details.

With --history, write the run's lock history as JSON lines too, which ` + "`fencepost check`" + ` reads.
With --out, all three histories are written so, as lock.jsonl, tokens.jsonl and resource.jsonl,
beside the pages that porcupine draws of them, lock.html, tokens.html and resource.html.`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(c *cobra.Command, args []string) error { return a.replay(c.Context(), o, args) },
	}
	c.Flags().BoolVar(&o.trace, "trace", false, "print the canonical trace")
	c.Flags().Var((*path)(&o.history), "history", "write the lock history into this `file`, as JSON lines")
	o.output(c)
	return c
}

// replayOptions are the flags of `replay`.
type replayOptions struct {
	options
	trace   bool
	history string
}

func (a *app) replay(ctx context.Context, o *replayOptions, args []string) error {
	o.workers = 1
	if err := o.check(); err != nil {
		return err
	}
	var lines *trace.Writer
	if o.trace {
		lines = &trace.Writer{W: a.streams.Out}
	}
	again, err := a.runAgain(ctx, args, lines)
	if err != nil {
		return err
	}
	defer again.trial.Close()
	d, t := again.document, again.trial
	if o.history != "" {
		if err := replaceFile(o.history, lockHistory(t)); err != nil {
			return &outputError{err}
		}
	}
	if lines != nil {
		if lines.Err != nil {
			return &outputError{lines.Err}
		}
		return nil
	}
	files := timelines([]*scenarios.Plan{t.Plan}, again.seed)
	maps.Copy(files, histories(t))
	return a.publish(d, &o.options, files)
}

// again is a run that was run anew.
type again struct {
	trial    *scenarios.Trial
	seed     uint64
	document *reports.Document
}

// runAgain runs what a token names, and writes its trace if it is given where. Close the trial.
func (a *app) runAgain(ctx context.Context, args []string, lines *trace.Writer) (*again, error) {
	plan, seed, err := a.planOf(args)
	if err != nil {
		return nil, err
	}
	if plan.NotApplicable != "" {
		return nil, fmt.Errorf("%s is not applicable: %s", plan.Name(), plan.NotApplicable)
	}
	x := &again{scenarios.NewTrial(plan), seed, reports.NewDocument(plan.Instance, sweeps.Seeds{{First: seed, Last: seed}})}
	if lines != nil {
		x.trial.Trace(lines)
	}
	r, err := x.trial.RunWith(ctx, seed)
	if err != nil {
		x.trial.Close()
		return nil, err
	}
	x.document.Runs = append(x.document.Runs, reports.NewRun(x.trial, r))
	a.code = verdictCode(x.document)
	return x, nil
}

// lockHistory writes what `check` reads.
func lockHistory(t *scenarios.Trial) func(io.Writer) error {
	return func(w io.Writer) error { return external.Write(w, t.Checker.Linear.LockHistory(t.Recorder)) }
}

// histories are the histories of the trial's last run, to read and to look at. That of the resource
// is one only where sections replace values.
func histories(t *scenarios.Trial) map[string]func(io.Writer) error {
	l := &t.Checker.Linear
	files := map[string]func(io.Writer) error{
		"lock.jsonl":   lockHistory(t),
		"tokens.jsonl": func(w io.Writer) error { return external.Write(w, l.TokenHistory(t.Recorder)) },
		"tokens.html":  func(w io.Writer) error { return l.WriteTokenPage(w, t.Recorder) },
		"lock.html":    func(w io.Writer) error { return l.WriteLockPage(w, t.Recorder) },
	}
	if !t.Checker.SkipSections {
		files["resource.jsonl"] = func(w io.Writer) error { return external.Write(w, l.ResourceHistory(t.Recorder)) }
		files["resource.html"] = func(w io.Writer) error { return l.WriteResourcePage(w, t.Recorder) }
	}
	return files
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
	if len(args) == 1 && !scenarios.Exists(from) {
		return nil, 0, fmt.Errorf("the token is of %s, which is neither a scenario of the library nor a file here; if it is of your own, name its file behind the token: TOKEN FILE", from)
	}
	s, err := scenarios.Load(from)
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
