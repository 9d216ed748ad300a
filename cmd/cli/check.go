package cli

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"fencepost/checker/external"
	"fencepost/checker/linear"
	"fencepost/checker/linear/recorded"
	"fencepost/checker/linear/spec"
	"fencepost/reports"
)

// checkOptions are the flags of `check`.
type checkOptions struct {
	read           external.Options
	judge          recorded.Options
	from, failures string
	ttl            time.Duration
	initial        string
	format, out    string
	limit, permits int
	steps          int
	given          func(flag string) bool
}

var checkFormats = []string{"text", "json"}

func (a *app) checkCommand() *cobra.Command {
	o := &checkOptions{}
	c := &cobra.Command{
		Use:   "check FILE",
		Short: "Judge a history that another program recorded",
		Long: `Judge a history of a lock or of a value that another program recorded: as JSON lines, whose
format docs/check.md describes, or as a history of Jepsen (a file that ends in .edn).

Models:` + modelList() + `

Exit codes: 0 linearizable, 1 not linearizable, 2 unknown (the bound linear.steps was
reached), 3 the history or the command line is wrong, 4 internal error.`,
		Example: `  fencepost check history.jsonl
  fencepost check history.edn --model fenced-mutex --out out`,
		Args: exactly(1, "a history, as JSON lines or Jepsen's EDN"),
		RunE: func(c *cobra.Command, args []string) error {
			o.given = c.Flags().Changed
			return interruptible(c.Context(), func() error { return a.check(o, args[0]) })
		},
	}
	f := c.Flags()
	f.StringVar(&o.judge.Model, "model", "", "what the history is of; the history's own word, or a mutex or a register, if it is left out")
	f.StringVar(&o.from, "from", "", "how the history is written: jsonl or jepsen; by the file's name if left out")
	f.StringVar(&o.failures, "failures", "", "what a failure says: answers (the lock was held, the value another) or nothing; answers, and nothing for Jepsen, if left out")
	wholeVar(f, &o.limit, "limit", 0, "how often the holder of a reentrant lock may hold; no limit if left out")
	wholeVar(f, &o.permits, "permits", 0, "how many permits a semaphore has")
	f.DurationVar(&o.ttl, "ttl", 0, "how long a lease is, such as 10s")
	f.StringVar(&o.initial, "initial", "", "a register's first value, in JSON; null if left out")
	f.BoolVar(&o.read.Keyed, "keyed", false, "values of a Jepsen history are pairs of a key and a value")
	wholeVar(f, &o.read.Threads, "threads", 0, "the concurrency of a Jepsen test: processes that far apart are one client")
	wholeVar(f, &o.steps, "steps", linear.MaxSteps, "how many steps the search may take for each key before the answer is unknown")
	f.StringVar(&o.format, "format", "text", "what standard output gets: "+strings.Join(checkFormats, ", "))
	f.Var((*path)(&o.out), "out", "write result.json and porcupine's page, history.html, into this `directory`")
	return c
}

func modelList() string {
	var lines []string
	for _, name := range recorded.Models() {
		lines = append(lines, fmt.Sprintf("\n  %-24s%s", name, recorded.About(name)))
	}
	return strings.Join(lines, "")
}

// validate checks the flags, and puts them where they belong.
func (o *checkOptions) validate() error {
	if err := oneOf("--format", o.format, checkFormats); err != nil {
		return err
	}
	if err := outIsDirectory(o.out); err != nil {
		return err
	}
	switch o.from {
	case "", string(external.JSONLines), string(external.Jepsen):
		o.read.Format = external.Format(o.from)
	default:
		return fmt.Errorf("--from %q is not known; accepted: %s, %s", o.from, external.JSONLines, external.Jepsen)
	}
	for _, f := range []struct {
		flag  string
		value int64
	}{{"limit", int64(o.limit)}, {"permits", int64(o.permits)}, {"ttl", int64(o.ttl)}, {"threads", int64(o.read.Threads)}, {"steps", int64(o.steps)}} {
		if f.value < 1 && o.given(f.flag) {
			return fmt.Errorf("--%s: at least 1", f.flag)
		}
	}
	if o.initial != "" {
		value, err := external.Canonical([]byte(o.initial))
		if err != nil {
			return fmt.Errorf("--initial: %w", err)
		}
		o.judge.Initial = value
	}
	o.judge.Failures = recorded.Failures(o.failures)
	o.judge.Limit, o.judge.Permits, o.judge.TTL, o.judge.MaxSteps = o.limit, o.permits, int64(o.ttl), o.steps
	return nil
}

// interruptible does what cannot be interrupted itself, such as the opening of a pipe or a
// search, and leaves it behind when the context ends: the process is about to end as well.
func interruptible(ctx context.Context, do func() error) error {
	done, broken := make(chan error, 1), make(chan any, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				broken <- p
			}
		}()
		done <- do()
	}()
	select {
	case err := <-done:
		return err
	case p := <-broken:
		panic(p) // as it would have, had it not been done beside
	case <-ctx.Done():
		return fmt.Errorf("interrupted: %w", ctx.Err())
	}
}

func (a *app) check(o *checkOptions, file string) error {
	if err := o.validate(); err != nil {
		return err
	}
	h, err := external.ReadFile(file, o.read)
	if err != nil {
		return err
	}
	if len(h.Operations) == 0 {
		return noOperations(h)
	}
	r, err := recorded.Judge(h, o.judge)
	if err != nil {
		return err
	}
	d := reports.NewRecorded(h, r)
	files := map[string]func(io.Writer) error{
		"result.json": func(w io.Writer) error { return reports.WriteRecordedJSON(w, d) },
	}
	if r.Drawable() {
		files["history.html"] = r.WritePage
	} else if o.out != "" {
		fmt.Fprintf(a.streams.Err, "history.html is left out: it shows at most %d operations of one key\n", spec.Large)
	}
	if o.out != "" {
		if err := writeDirectory(o.out, files); err != nil {
			return &outputError{err}
		}
	}
	write := reports.WriteRecordedText
	if o.format == "json" {
		write = reports.WriteRecordedJSON
	}
	if err := write(a.streams.Out, d); err != nil {
		return &outputError{err}
	}
	a.code = map[spec.Answer]int{spec.Linearizable: ExitExpected, spec.NotLinearizable: ExitUnexpected, spec.Undecided: ExitUnknown}[r.Verdict]
	return a.wrote(&options{format: o.format, out: o.out}, files)
}

// noOperations is the error about a history in which there is nothing to judge: that nothing
// contradicts a model would pass for good news of a recorder that is broken.
func noOperations(h *external.History) error {
	what := "no operations: there is nothing to judge"
	if h.Others > 0 {
		what = fmt.Sprintf("no operations, but %d events of no client: there is nothing to judge", h.Others)
	}
	return fmt.Errorf("%s: %s", h.File, what)
}
