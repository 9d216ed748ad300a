//go:build linux

package live

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"fencepost/checker/external"
)

// ttl is that of all cases: the least that etcd grants with its default election timeout.
const ttl = 2 * time.Second

// play is a case: a lock, a guard, and where the late write falls.
type play struct {
	lock  *lock
	guard string
	at    between
}

// name is how results and files call it.
func (p *play) name() string {
	return fmt.Sprintf("pause-%s-%s-%s", p.lock.name, p.guard, []string{"after-write", "after-read"}[p.at])
}

// plays are all cases. A lock without a token has no guard.
func plays() (all []play) {
	for i := range locks {
		l := &locks[i]
		all = append(all, play{l, "none", afterWrite})
		if l.token {
			all = append(all, play{l, "fence-writes", afterWrite}, play{l, "fence-writes", afterRead}, play{l, "fence-reads-writes", afterRead})
		}
	}
	return all
}

// Run plays all cases, and says of each what was seen and what the simulator says.
func Run(ctx context.Context, out io.Writer, o Options) error {
	agrees := true
	fmt.Fprintf(out, "%-44s  %-9s  %-9s  %-9s  %-17s  %-17s  %s\n", "case", "exclusion", "resource", "runs", "second client at", "the simulator's", "")
	for _, p := range plays() {
		if !strings.Contains(p.name(), o.Only) {
			continue
		}
		if missing := p.lock.missing(); missing != "" {
			fmt.Fprintf(out, "%-44s  left out: %s\n", p.name(), missing)
			continue
		}
		same, err := p.compare(ctx, out, o)
		if err != nil {
			return fmt.Errorf("%s: %w", p.name(), err)
		}
		agrees = agrees && same
	}
	if !agrees {
		return ErrDiffers
	}
	return nil
}

// missing says what is not there that its servers need; empty if all is.
func (l *lock) missing() string {
	for _, program := range l.needs {
		if _, err := exec.LookPath(program); err != nil {
			if _, err := os.Stat(program); err != nil {
				return program + " is missing"
			}
		}
	}
	return ""
}

// compare plays a case so often, and says whether each run was as the simulator has it.
func (p *play) compare(ctx context.Context, out io.Writer, o Options) (same bool, err error) {
	want, err := p.simulated(o.Seeds)
	if err != nil {
		return false, err
	}
	var seen expected
	for i := range o.Runs {
		got, h, err := p.played(ctx, out)
		if err != nil {
			return false, fmt.Errorf("run %d: %w", i+1, err)
		}
		seen.add(got)
		if i == 0 && o.Histories != "" {
			if err := keep(filepath.Join(o.Histories, p.name()+".jsonl"), h); err != nil {
				return false, err
			}
		}
	}
	same = seen.within(want, o.Late)
	verdict := "agrees"
	if !same {
		verdict = fmt.Sprintf("DIFFERS: the simulator says %v, %v", want.exclusion, want.resource)
	}
	fmt.Fprintf(out, "%-44s  %-9s  %-9s  %-9d  %-17s  %-17s  %s\n", p.name(), seen.exclusion, seen.resource, o.Runs, seen.span(), want.span(), verdict)
	return same, nil
}

func keep(path string, h *external.History) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
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

// mostTries is how often a run is tried that cannot be played: a server does not start in time, or a
// session is lost before its worker is stopped.
const mostTries = 3

// played is once, again if it could not be played.
func (p *play) played(ctx context.Context, out io.Writer) (o outcome, h *external.History, err error) {
	for try := 1; ; try++ {
		o, h, err = p.once(ctx)
		if err == nil || try == mostTries || ctx.Err() != nil {
			return o, h, err
		}
		fmt.Fprintf(out, "%-44s  could not be played, and is tried again: %v\n", p.name(), err)
	}
}

// once starts servers and workers, plays the case and stops them.
func (p *play) once(ctx context.Context) (o outcome, h *external.History, err error) {
	dir, err := os.MkdirTemp("", "fencepost-live-")
	if err != nil {
		return o, nil, err
	}
	defer os.RemoveAll(dir)
	servers, err := p.lock.start(ctx, dir)
	if err != nil {
		return o, nil, err
	}
	defer servers.stop()
	r, err := newResource(p.guard)
	if err != nil {
		return o, nil, err
	}
	defer r.listener.Close()
	h = &external.History{}
	t := &table{ctx: ctx, resource: r}
	for i, to := range []**player{&t.one, &t.two} {
		w, err := newPlayer(ctx, fmt.Sprintf("client %d", i+1), p.lock, ttl, servers, r, h)
		if err != nil {
			return o, nil, err
		}
		defer w.stop()
		*to = w
		t.step(w, "ready", 0)
	}
	o, err = t.pause(p.at)
	return o, h, err
}
