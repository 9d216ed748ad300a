package virtual

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing/synctest"
	"time"

	"fencepost/sim/host"
	"fencepost/sim/network"
)

// opBell wakes a process whose library has posted something.
var opBell = network.NewOp("conform.bell")

// steps are the names of the steps before and after a round of requests; empty are none.
type steps struct{ before, after string }

// call is a call of a library's, on behalf of a process.
type call struct {
	bridge  *bridge
	process *host.Process
	steps   func(op *network.Op) steps
	over    <-chan struct{}     // closed when it is
	waiting map[uint32]*request // by the number of the message
	mutex   sync.Mutex
	posts   []post
}

// post is what a library wants of the process: to send a request, to know that it waits for a reply no
// more, or that it has finished.
type post struct {
	request          *request
	gaveUp, finished bool
}

// request is one request to one server.
type request struct {
	server int // in the order of which they are sent
	to     network.Addr
	body   network.Body

	round *round
	reply chan network.Message
}

// round is the requests that a library sends at once.
type round struct {
	open int           // that are waited for
	done chan struct{} // closed when all have ended and the step after them is passed
}

// errTimeout is that of a reply that did not come in time.
var errTimeout = errors.New("i/o timeout")

type callKey struct{}

// callOf is the call that a context belongs to.
func callOf(ctx context.Context) *call { return ctx.Value(callKey{}).(*call) }

// do runs a call of a library's, and returns when it does. The library has a context by which what it
// sends finds the call.
func (b *bridge) do(p *host.Process, of func(op *network.Op) steps, library func(ctx context.Context)) {
	ctx, cancel := context.WithCancel(context.Background())
	c := &call{bridge: b, process: p, steps: of, over: ctx.Done(), waiting: map[uint32]*request{}}
	end := b.begin(c)
	defer func() { end(); cancel() }() // also if the process is killed
	go func() {
		library(context.WithValue(ctx, callKey{}, c))
		c.post(post{finished: true})
	}()
	for {
		synctest.Wait()
		posts := c.take()
		if slices.ContainsFunc(posts, func(p post) bool { return p.finished }) {
			return
		}
		if len(posts) > 0 {
			c.handle(posts)
			continue
		}
		if m, ok := p.Recv(p.Now().Add(host.Forever)); ok && m.Op != opBell {
			c.answer(&m)
		}
	}
}

// ring wakes the process, or has it look when its host goes on.
func (c *call) ring() {
	h := c.process.Host()
	m := network.Message{To: network.Addr{Node: h.ID, Port: c.process.Port()}}
	m.Op = opBell
	h.Deliver(&m)
}

func (c *call) post(p post) {
	c.mutex.Lock()
	c.posts = append(c.posts, p)
	c.mutex.Unlock()
	c.bridge.tell()
}

func (c *call) posted() bool {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return len(c.posts) > 0
}

func (c *call) take() []post {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	posts := c.posts
	c.posts = nil
	return posts
}

// ask is called by a library, in a goroutine of its own: it sends a request and waits for the reply, so
// long or until a context ends.
func (c *call) ask(ctx context.Context, r *request, timeout time.Duration) (network.Message, error) {
	r.reply = make(chan network.Message, 1)
	c.post(post{request: r})
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	var err error
	select {
	case m := <-r.reply:
		return m, nil
	case <-c.over:
		return network.Message{}, context.Canceled
	case <-ctx.Done():
		err = ctx.Err()
	case <-timer.C:
		err = errTimeout
	}
	c.post(post{request: r, gaveUp: true})
	return network.Message{}, err
}

// join is called by a library that is done with a request. It returns when all requests of the round have
// ended, as a program goes on that waits for all.
func (c *call) join(r *request) {
	if r.round == nil {
		return // it was never sent
	}
	select {
	case <-r.round.done:
	case <-c.over:
	}
}

// handle sends what was posted, and counts what is waited for no more.
func (c *call) handle(posts []post) {
	var requests []*request
	for _, posted := range posts {
		if !posted.gaveUp {
			requests = append(requests, posted.request)
		}
	}
	if len(requests) > 0 {
		c.send(requests)
	}
	for _, posted := range posts {
		if posted.gaveUp {
			c.end(posted.request)
		}
	}
}

// send begins a round. Its requests are sent in the order of the servers.
func (c *call) send(requests []*request) {
	slices.SortFunc(requests, func(a, b *request) int { return a.server - b.server })
	if s := c.steps(requests[0].body.Op); s.before != "" {
		c.process.Step(s.before)
	}
	together := &round{open: len(requests), done: make(chan struct{})}
	for _, r := range requests {
		r.round = together
		c.waiting[c.process.Send(r.to, r.body)] = r
	}
}

// answer hands a reply to whoever waits for it.
func (c *call) answer(m *network.Message) {
	if r := c.waiting[m.Call]; r != nil {
		r.reply <- *m
		c.end(r)
	}
}

// end counts a request that is over, and passes the step behind its round with the last one.
func (c *call) end(r *request) {
	for number, other := range c.waiting {
		if other == r {
			delete(c.waiting, number)
		}
	}
	if r.round.open--; r.round.open > 0 {
		return
	}
	if s := c.steps(r.body.Op); s.after != "" {
		c.process.Step(s.after)
	}
	close(r.round.done)
}
