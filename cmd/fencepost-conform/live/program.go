//go:build linux

package live

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// program is a real process of a server's or of a client's, which dies with this one.
type program struct {
	dir  string // where it runs, and keeps what it keeps
	args []string
	env  []string // nil is that of this process

	process *exec.Cmd     // nil if it does not run
	ended   chan struct{} // closed when it has
	killed  *atomic.Bool  // by us
}

// start starts it. What it says goes into a file. Who has not killed it is told if it ends.
func (p *program) start(died func(error)) error {
	if err := os.MkdirAll(p.dir, 0o755); err != nil {
		return err
	}
	log, err := os.OpenFile(filepath.Join(p.dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer log.Close()
	c := exec.Command(p.args[0], p.args[1:]...)
	c.Dir, c.Stdout, c.Stderr, c.Env = p.dir, log, log, p.env
	c.SysProcAttr = ofOurs()
	if err := c.Start(); err != nil {
		return err
	}
	p.attend(c, died)
	return nil
}

// attend waits for the end of a process.
func (p *program) attend(c *exec.Cmd, died func(error)) {
	ended, killed := make(chan struct{}), &atomic.Bool{}
	p.process, p.ended, p.killed = c, ended, killed
	go func() {
		_ = c.Wait()
		close(ended)
		if !killed.Load() {
			died(fmt.Errorf("%s has ended and was not told to: %v\n%s", filepath.Base(c.Path), c.ProcessState, p.last()))
		}
	}()
}

// ofOurs has a process die with this one, and hear nothing of the terminal's Ctrl-C: who started it
// ends it, and its children with it.
func ofOurs() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
}

// kill ends it, stopped or not, and waits until it is gone.
func (p *program) kill() {
	if p.process != nil {
		p.killed.Store(true)
		_ = p.signal(syscall.SIGKILL)
		<-p.ended
		p.process = nil
	}
}

// signal reaches the process and its children.
func (p *program) signal(s syscall.Signal) error { return syscall.Kill(-p.process.Process.Pid, s) }

// last is the end of what it has said, for an error.
func (p *program) last() string {
	text, _ := os.ReadFile(filepath.Join(p.dir, "log"))
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return strings.Join(lines[max(0, len(lines)-3):], "\n")
}

// freeze stops a process with SIGSTOP, and waits until it stands, with all its threads.
func freeze(p *program) error {
	if err := p.signal(syscall.SIGSTOP); err != nil {
		return err
	}
	for begin := time.Now(); time.Since(begin) < patience; time.Sleep(time.Millisecond) {
		if stands(p.process.Process.Pid) {
			return nil
		}
	}
	return errors.New("a process does not stop")
}

// stands reports whether all threads of a process are stopped.
func stands(pid int) bool {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
	for _, file := range threads {
		text, err := os.ReadFile(file)
		if err != nil {
			return false // it has ended meanwhile: look again
		}
		state := text[strings.LastIndex(string(text), ") ")+2:] // the name may hold anything
		if state[0] != 'T' {
			return false
		}
	}
	return len(threads) > 0
}

// thaw lets it go on.
func thaw(p *program) error { return p.signal(syscall.SIGCONT) }

// freePorts returns ports that nobody has. Somebody may take one before it is used: then the program that was to
// use it ends, and the run begins anew.
func freePorts(n int) (ports []int, err error) {
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close() // all are open at once, so that no two are the same
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports, nil
}

// local is the address of a port of this machine.
func local(port int) string { return fmt.Sprintf("127.0.0.1:%d", port) }
