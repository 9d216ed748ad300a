//go:build linux

package live

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// player is a worker process, as seen from outside.
type player struct {
	name    string
	program *program
	said    *lastWords

	mutex   sync.Mutex
	orders  *json.Encoder
	next    int
	waiting map[int]chan order
}

// patience is how long a worker or a server may take to begin.
const patience = 60 * time.Second

// newPlayer starts a worker and waits until it is ready.
func newPlayer(ctx context.Context, name string, o outfit) (*player, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	c := exec.Command(self, "worker", string(text))
	p := &player{name: name, program: &program{}, said: &lastWords{}, waiting: map[int]chan order{}}
	c.Stderr, c.SysProcAttr = p.said, ofOurs()
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
	p.orders = json.NewEncoder(in)
	p.program.attend(c, func(error) {}) // who waits for an answer hears of it
	go p.listen(out)
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if _, err := p.do(ctx, "ready"); err != nil {
		p.stop()
		return nil, err
	}
	return p, nil
}

// listen hands each answer to whoever waits for it.
func (p *player) listen(out io.Reader) {
	for lines := bufio.NewScanner(out); lines.Scan(); {
		var o order
		if json.Unmarshal(lines.Bytes(), &o) != nil {
			break
		}
		p.mutex.Lock()
		if c := p.waiting[o.Number]; c != nil {
			c <- o
			delete(p.waiting, o.Number)
		}
		p.mutex.Unlock()
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for _, c := range p.waiting {
		close(c)
	}
	p.waiting = nil
}

// stop kills the worker.
func (p *player) stop() { p.program.kill() }

// do gives an order and waits for its answer.
func (p *player) do(ctx context.Context, what string) (order, error) {
	answer := make(chan order, 1)
	p.mutex.Lock()
	if p.waiting == nil {
		p.mutex.Unlock()
		return order{}, p.gone()
	}
	p.next++
	p.waiting[p.next] = answer
	err := p.orders.Encode(order{Number: p.next, Do: what})
	p.mutex.Unlock()
	if err != nil {
		return order{}, p.gone()
	}
	select {
	case o, ok := <-answer:
		switch {
		case !ok:
			return o, p.gone()
		case o.Broken:
			return o, fmt.Errorf("%s cannot %s: %s", p.name, what, o.Error)
		}
		return o, nil
	case <-ctx.Done():
		return order{}, fmt.Errorf("%s does not %s: %w", p.name, what, context.Cause(ctx))
	}
}

// gone is the error of a worker that has ended.
func (p *player) gone() error { return fmt.Errorf("%w: %s: %s", errGone, p.name, p.said) }

var errGone = errors.New("a worker has gone")

// lastWords keeps the end of what a process says.
type lastWords struct {
	mutex sync.Mutex
	text  []byte
}

// Write implements [io.Writer].
func (w *lastWords) Write(text []byte) (int, error) {
	const most = 2000
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.text = append(w.text, text...)
	w.text = w.text[max(0, len(w.text)-most):]
	return len(text), nil
}

func (w *lastWords) String() string {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return strings.TrimSpace(string(w.text))
}
