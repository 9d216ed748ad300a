//go:build linux

package live

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"fencepost/checker/external"
)

// player is a worker process, as seen from outside.
type player struct {
	name    string
	process *exec.Cmd
	orders  *json.Encoder
	answers chan order
	history *external.History
}

// patience is how long a worker may take for a step.
const patience = 60 * time.Second

func newPlayer(ctx context.Context, name string, l *lock, ttl time.Duration, s *servers, r *resource, h *external.History) (*player, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	c := exec.CommandContext(ctx, self, append([]string{"worker", l.name, ttl.String(), r.listener.Addr().String()}, s.addresses...)...)
	c.Stderr = os.Stderr
	c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	in, err := c.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.Start(); err != nil {
		return nil, err
	}
	p := &player{name: name, process: c, orders: json.NewEncoder(in), answers: make(chan order, 1), history: h}
	go func() {
		defer close(p.answers)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			var o order
			if json.Unmarshal(lines.Bytes(), &o) != nil {
				return
			}
			p.answers <- o
		}
	}()
	return p, nil
}

// stop kills the worker, stopped or not.
func (p *player) stop() {
	_ = p.process.Process.Kill()
	_ = p.process.Wait()
}

// tell gives an order and does not wait.
func (p *player) tell(o order) error { return p.orders.Encode(o) }

// wait waits for the answer to an order.
func (p *player) wait(ctx context.Context) (order, error) {
	select {
	case o, ok := <-p.answers:
		if !ok {
			return o, fmt.Errorf("worker %s has gone", p.name)
		}
		note(p.history, p.name, o)
		return o, nil
	case <-ctx.Done():
		return order{}, ctx.Err()
	case <-time.After(patience):
		return order{}, fmt.Errorf("worker %s does not answer within %v", p.name, patience)
	}
}

// do gives an order and waits for its answer.
func (p *player) do(ctx context.Context, o order) (order, error) {
	if err := p.tell(o); err != nil {
		return o, err
	}
	return p.wait(ctx)
}

// must is do of a step that has to succeed.
func (p *player) must(ctx context.Context, o order) (order, error) {
	a, err := p.do(ctx, o)
	if err == nil && !a.OK {
		err = fmt.Errorf("worker %s: %s failed: %s", p.name, o.Do, a.Error)
	}
	return a, err
}

// freeze stops the worker with SIGSTOP, and waits until it stands.
func (p *player) freeze() error {
	if err := p.process.Process.Signal(syscall.SIGSTOP); err != nil {
		return err
	}
	for begin := time.Now(); time.Since(begin) < patience; time.Sleep(time.Millisecond) {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.process.Process.Pid))
		if err != nil {
			return err
		}
		_, after, _ := strings.Cut(string(text), ") ") // the name may hold anything
		if strings.HasPrefix(after, "T") {
			return nil
		}
	}
	return errors.New("the worker does not stop")
}

// thaw lets it go on.
func (p *player) thaw() error { return p.process.Process.Signal(syscall.SIGCONT) }
