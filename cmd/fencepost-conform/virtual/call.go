package virtual

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"testing/synctest"
	"time"

	"fencepost/models/redis"
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
	over    <-chan struct{}                 // closed when it is
	waiting map[uint32]chan network.Message // for a reply, by the number of the message
	mutex   sync.Mutex
	posts   []post
}

// post is what a library wants of the process.
type post struct {
	what    wish
	request *request
	carries any                  // what this sending of it carries beside its body
	reply   chan network.Message // to this sending of it
}

type wish int

const (
	toSend wish = iota // a request, and not for the first time if it is of a round already
	gaveUp             // it waits for this reply no more
	joined             // it is done with a request, however often that was sent, and waits for the others of its round
	finished
)

// request is what a library asks one server to do.
type request struct {
	server int // in the order of which they are sent
	to     network.Addr
	body   network.Body

	asked atomic.Bool
	round *round
	done  chan struct{} // closed when all of its round have ended and the step after them is passed
}

// round is the requests that a library first sends at once.
type round struct {
	requests []*request
	open     int // that are waited for
}

func newRequest(server int, to network.Addr, b network.Body) *request {
	return &request{server: server, to: to, body: b, done: make(chan struct{})}
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
	c := &call{bridge: b, process: p, steps: of, over: ctx.Done(), waiting: map[uint32]chan network.Message{}}
	end := b.begin(c)
	defer func() { end(); cancel() }() // also if the process is killed
	go func() {
		library(context.WithValue(ctx, callKey{}, c))
		c.post(post{what: finished})
	}()
	for {
		synctest.Wait()
		posts := c.take()
		if slices.ContainsFunc(posts, func(p post) bool { return p.what == finished }) {
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
func (c *call) ask(ctx context.Context, r *request, carries any, timeout time.Duration) (network.Message, error) {
	reply := make(chan network.Message, 1)
	r.asked.Store(true)
	c.post(post{toSend, r, carries, reply})
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	var err error
	select {
	case m := <-reply:
		return m, nil
	case <-c.over:
		return network.Message{}, context.Canceled
	case <-ctx.Done():
		err = ctx.Err()
	case <-timer.C:
		err = errTimeout
	}
	c.post(post{what: gaveUp, request: r, reply: reply})
	return network.Message{}, err
}

// join is called by a library that is done with a request. It returns when all requests of the round have
// ended, as a program goes on that waits for all.
func (c *call) join(r *request) {
	if !r.asked.Load() {
		return
	}
	c.post(post{what: joined, request: r})
	select {
	case <-r.done:
	case <-c.over:
	}
}

// handle does what was posted: it sends first.
func (c *call) handle(posts []post) {
	var first, again []post
	for _, p := range posts {
		switch {
		case p.what == toSend && p.request.round == nil:
			first = append(first, p)
		case p.what == toSend:
			again = append(again, p)
		}
	}
	c.send(again, redis.StepResend)
	if len(first) > 0 {
		c.begin(first)
	}
	for _, p := range posts {
		switch p.what {
		case gaveUp:
			maps.DeleteFunc(c.waiting, func(_ uint32, reply chan network.Message) bool { return reply == p.reply })
		case joined:
			c.end(p.request)
		}
	}
}

// begin begins a round.
func (c *call) begin(posts []post) {
	together := &round{open: len(posts)}
	for _, p := range posts {
		p.request.round, together.requests = together, append(together.requests, p.request)
	}
	c.send(posts, c.steps(posts[0].request.body.Op).before)
}

// send passes a step and sends requests in the order of the servers.
func (c *call) send(posts []post, step string) {
	if len(posts) > 0 && step != "" {
		c.process.Step(step)
	}
	slices.SortFunc(posts, func(a, b post) int { return a.request.server - b.request.server })
	for _, p := range posts {
		b := p.request.body
		b.Ref = p.carries
		c.waiting[c.process.Send(p.request.to, b)] = p.reply
	}
}

// answer hands a reply to whoever waits for it.
func (c *call) answer(m *network.Message) {
	if reply := c.waiting[m.Call]; reply != nil {
		delete(c.waiting, m.Call)
		reply <- *m
	}
}

// end counts a request that is over, and passes the step behind its round with the last one.
func (c *call) end(r *request) {
	if r.round.open--; r.round.open > 0 {
		return
	}
	if s := c.steps(r.body.Op); s.after != "" {
		c.process.Step(s.after)
	}
	for _, other := range r.round.requests {
		close(other.done)
	}
}
