//go:build linux

package live

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"fencepost/checker"
	"fencepost/checker/external"
	"fencepost/cmd/fencepost-conform/section"
	"fencepost/scenarios"
)

// Run plays all cases, and says of each what was seen and what the simulator says.
func Run(ctx context.Context, out io.Writer, o Options) error {
	if err := o.check(); err != nil {
		return err
	}
	chosen, err := o.chosen()
	if err != nil {
		return err
	}
	if o.List {
		for _, p := range chosen {
			fmt.Fprintln(out, p.name())
		}
		return nil
	}
	dir, err := os.MkdirTemp("", "fencepost-live-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b := &bench{Options: o, dir: dir}
	if _, err := fmt.Fprintf(out, "%-58s  %-9s  %-9s  %-4s  %-17s  %-17s\n", "case", "exclusion", "resource", "runs", "client 2 in", "the simulator's"); err != nil {
		return err
	}
	results, err := b.all(ctx, chosen, func(r *result) { fmt.Fprintln(out, r.line()) })
	if err != nil {
		return err
	}
	if o.Page != "" {
		if err := section.Write(o.Page, "live", table(results)); err != nil {
			return err
		}
	}
	if _, err := fmt.Fprintln(out, summary(results)); err != nil {
		return err
	}
	return judge(results)
}

// check says what of the options cannot be, before anything is played.
func (o *Options) check() error {
	switch {
	case o.Runs < 1:
		return fmt.Errorf("--runs %d: each case is played once at least", o.Runs)
	case o.Parallel < 1:
		return fmt.Errorf("--parallel %d: one run is at a time at least", o.Parallel)
	case o.Seeds < 1:
		return errors.New("--seeds 0: there is nothing to compare with; one at least")
	case o.Late < 0:
		return fmt.Errorf("--late %v: nothing may be said to come too late that comes in time; 0s at least", o.Late)
	case o.Page != "" && (o.Only != "" || o.Smoke):
		return errors.New("--page writes the table of all cases: leave out --only and --smoke")
	}
	if o.Page != "" {
		if _, err := section.Read(o.Page, "live"); err != nil {
			return fmt.Errorf("--page: %w", err)
		}
	}
	if o.Histories != "" {
		if err := os.MkdirAll(o.Histories, 0o755); err != nil {
			return fmt.Errorf("--histories: %s is to be a directory: %w", o.Histories, err)
		}
	}
	return nil
}

// summary is the last line: how many cases agree, and what became of the others.
func summary(results []*result) string {
	var agree, differ, failed, missing int
	for _, r := range results {
		switch {
		case r.missing != "":
			missing++
		case r.err != nil:
			failed++
		case len(r.differs) > 0:
			differ++
		default:
			agree++
		}
	}
	return fmt.Sprintf("%d of %d cases agree, %d differ, %d could not be played, %d were left out", agree, len(results), differ, failed, missing)
}

// judge fails if something differs, or if nothing was played.
func judge(results []*result) error {
	played := 0
	for _, r := range results {
		if len(r.differs) > 0 || r.err != nil {
			return ErrDiffers
		}
		if r.missing == "" {
			played++
		}
	}
	if played == 0 {
		return errors.New("nothing was played: what each case needs is missing")
	}
	return nil
}

// bench is where cases are played.
type bench struct {
	Options
	dir     string
	preload preload
}

// chosen are the cases that the options ask for.
func (o *Options) chosen() (chosen []*play, err error) {
	for _, p := range plays() {
		if strings.Contains(p.name(), o.Only) && (p.smoke || !o.Smoke) {
			chosen = append(chosen, p)
		}
	}
	if len(chosen) == 0 {
		return nil, fmt.Errorf("no case has %q in its name; --list says which there are, such as %q", o.Only, plays()[0].name())
	}
	return chosen, nil
}

// result is what became of a case.
type result struct {
	play      *play
	missing   string
	done      chan struct{} // closed when it is
	err       error         // why it could not be played
	seen      tally
	simulated *tally
	differs   []string
}

func (r *result) line() string {
	switch {
	case r.missing != "":
		return fmt.Sprintf("%-58s  left out: %s", r.play.name(), r.missing)
	case r.err != nil:
		return fmt.Sprintf("%-58s  could not be played: %v", r.play.name(), r.err)
	}
	verdict := "agrees"
	if len(r.differs) > 0 {
		verdict = "DIFFERS: " + strings.Join(r.differs, "; ")
	}
	second := instant{2, gotIn}
	return fmt.Sprintf("%-58s  %-9s  %-9s  %-4d  %-17v  %-17v  %s", r.play.name(), r.seen.of(checker.Exclusion), r.seen.of(checker.ResourceName), r.seen.runs,
		r.seen.instants[second], r.simulated.instants[second], verdict)
}

// all plays cases, so many runs at a time, and shows each when it is done, in their order.
func (b *bench) all(ctx context.Context, chosen []*play, show func(*result)) (results []*result, err error) {
	for _, p := range chosen {
		results = append(results, &result{play: p, missing: p.missing(), done: make(chan struct{})})
	}
	var group sync.WaitGroup
	defer group.Wait() // what was started has to end its processes
	group.Go(func() {
		turns := make(chan struct{}, max(b.Parallel, 1))
		for _, r := range results {
			b.begin(ctx, r, turns, &group)
		}
	})
	for _, r := range results {
		<-r.done
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		show(r)
	}
	return results, nil
}

// begin starts the runs of a case, each when it is its turn.
func (b *bench) begin(ctx context.Context, r *result, turns chan struct{}, all *sync.WaitGroup) {
	if r.missing != "" {
		close(r.done)
		return
	}
	var mutex sync.Mutex
	var runs sync.WaitGroup
	for number := range b.Runs {
		select {
		case turns <- struct{}{}:
		case <-ctx.Done():
			r.err = context.Cause(ctx)
			continue
		}
		runs.Go(func() {
			defer func() { <-turns }()
			seen, err := r.play.played(ctx, b, number)
			mutex.Lock()
			defer mutex.Unlock()
			if err != nil {
				r.err = err
			} else {
				r.seen.add(seen)
			}
		})
	}
	all.Go(func() {
		defer close(r.done)
		runs.Wait()
		if r.err == nil {
			r.err = r.compare(ctx, b)
		}
	})
}

// compare plays the case in the simulator.
func (r *result) compare(ctx context.Context, b *bench) (err error) {
	if r.simulated, err = r.play.simulated(ctx, b.Seeds); err == nil {
		r.differs = r.seen.differs(r.simulated, early+r.play.sooner, b.Late)
	}
	return err
}

// say tells of something on the way.
func (b *bench) say(format string, args ...any) {
	fmt.Fprintf(os.Stderr, time.Now().Format(time.TimeOnly)+" "+format+"\n", args...)
}

// keep writes the histories of a case's first run, if that is asked for.
func (b *bench) keep(p *play, t *scenarios.Trial, number int) error {
	if b.Histories == "" || number > 0 {
		return nil
	}
	dir := filepath.Join(b.Histories, strings.NewReplacer(" ", "-", "/", "-").Replace(p.name()))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	l := &t.Checker.Linear
	histories := map[string]*external.History{"lock.jsonl": l.LockHistory(t.Recorder), "resource.jsonl": l.ResourceHistory(t.Recorder)}
	if tokens := l.TokenHistory(t.Recorder); len(tokens.Operations) > 0 {
		histories["tokens.jsonl"] = tokens
	}
	for name, h := range histories {
		if err := writeHistory(filepath.Join(dir, name), h); err != nil {
			return err
		}
	}
	return nil
}

func writeHistory(path string, h *external.History) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := external.Write(f, h); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
