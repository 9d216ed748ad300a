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
	"syscall"
	"time"
)

// program is a real process of a server's or of a client's, which dies with this one.
type program struct {
	dir  string // where it runs, and keeps what it keeps
	args []string
	env  []string // nil is that of this process

	process *exec.Cmd // nil if it does not run
}

// start starts it. What it says goes into a file.
func (p *program) start() error {
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
	p.process = c
	return nil
}

// ofOurs has a process die with this one, and hear nothing of the terminal's Ctrl-C: who started it
// ends it.
func ofOurs() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
}

// kill ends it, stopped or not, and waits until it is gone.
func (p *program) kill() {
	if p.process != nil {
		_ = p.process.Process.Kill()
		_ = p.process.Wait()
		p.process = nil
	}
}

// last is the end of what it has said, for an error.
func (p *program) last() string {
	text, _ := os.ReadFile(filepath.Join(p.dir, "log"))
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return strings.Join(lines[max(0, len(lines)-3):], "\n")
}

// freeze stops a process with SIGSTOP, and waits until it stands.
func freeze(p *program) error {
	c := p.process
	if err := c.Process.Signal(syscall.SIGSTOP); err != nil {
		return err
	}
	for begin := time.Now(); time.Since(begin) < patience; time.Sleep(time.Millisecond) {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", c.Process.Pid))
		if err != nil {
			return err
		}
		_, after, _ := strings.Cut(string(text), ") ") // the name may hold anything
		if strings.HasPrefix(after, "T") {
			return nil
		}
	}
	return errors.New("a process does not stop")
}

// thaw lets it go on.
func thaw(p *program) error { return p.process.Process.Signal(syscall.SIGCONT) }

// freePorts returns ports that nobody has; somebody may take one before it is used.
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
