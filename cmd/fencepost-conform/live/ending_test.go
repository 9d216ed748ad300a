//go:build linux

package live

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// childrenOf are the processes below one.
func childrenOf(t *testing.T, pid int) (all []int) {
	t.Helper()
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range tasks {
		text, _ := os.ReadFile(file) // a thread may have ended
		for _, field := range strings.Fields(string(text)) {
			child, err := strconv.Atoi(field)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, child)
		}
	}
	return all
}

// eventually waits until something is so.
func eventually(t *testing.T, what string, so func() bool) {
	t.Helper()
	for begin := time.Now(); !so(); time.Sleep(10 * time.Millisecond) {
		if time.Since(begin) > 30*time.Second {
			t.Fatal(what)
		}
	}
}

// running reports whether a process runs; one that is dead and not yet waited for does not.
func running(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, state, _ := strings.Cut(string(text), ") ")
	return err == nil && !strings.HasPrefix(state, "Z") && !strings.HasPrefix(state, "X")
}

// TestEnding: a run that is interrupted, by Ctrl-C or by SIGKILL, leaves no process; and by Ctrl-C no file. It is
// played by another process, and ends when a worker is stopped with SIGSTOP. It needs redis-server.
func TestEnding(t *testing.T) {
	needs(t, "redis-server")
	for _, how := range []syscall.Signal{syscall.SIGINT, syscall.SIGKILL} {
		t.Run(how.String(), func(t *testing.T) {
			t.Parallel()
			self, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			var said bytes.Buffer
			c := exec.Command(self, "play", "kleppmann redis none")
			c.Env, c.Stderr = append(os.Environ(), "TMPDIR="+dir), &said
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			var below []int
			eventually(t, "no worker is stopped", func() bool {
				below = childrenOf(t, c.Process.Pid)
				return len(below) == 3 && anyStopped(below)
			})
			if err := c.Process.Signal(how); err != nil {
				t.Fatal(err)
			}
			_ = c.Wait()
			for _, pid := range below {
				eventually(t, fmt.Sprintf("process %d runs on", pid), func() bool { return !running(pid) })
			}
			left, err := os.ReadDir(dir)
			if err != nil || how == syscall.SIGINT && len(left) > 0 {
				t.Errorf("left %v, %v; it said %q", left, err, said.String())
			}
		})
	}
}

// TestFreeze: a process stands with all its threads, and goes on; and that it is killed by somebody else is heard of.
func TestFreeze(t *testing.T) {
	died := make(chan error, 1)
	p := &program{dir: t.TempDir(), args: []string{"sleep", "60"}}
	if err := p.start(func(err error) { died <- err }); err != nil {
		t.Fatal(err)
	}
	pid := p.process.Process.Pid
	if err := freeze(p); err != nil || !stands(pid) {
		t.Errorf("it stands: %t, %v", stands(pid), err)
	}
	if err := thaw(p); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it does not go on", func() bool { return !stands(pid) })
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := <-died; !strings.Contains(err.Error(), "sleep has ended and was not told to: signal: killed") {
		t.Error(err)
	}
}

// anyStopped reports whether a process stands.
func anyStopped(pids []int) bool {
	for _, pid := range pids {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if _, state, _ := strings.Cut(string(text), ") "); strings.HasPrefix(state, "T") {
			return true
		}
	}
	return false
}

// playOnce is the process that plays.
func playOnce(ctx context.Context, name string) error {
	for _, p := range plays() {
		if p.name() == name {
			_, err := p.once(ctx, &bench{}, 0)
			return err
		}
	}
	return fmt.Errorf("no case %q", name)
}
