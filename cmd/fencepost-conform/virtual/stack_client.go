package virtual

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"fencepost/models/redis"
	"fencepost/sim/history"
	"fencepost/sim/network"
)

// hook is a hook of go-redis' around commands.
type hook func(next goredis.ProcessHook) goredis.ProcessHook

// DialHook implements go-redis' Hook.
func (h hook) DialHook(next goredis.DialHook) goredis.DialHook { return next }

// ProcessHook implements go-redis' Hook.
func (h hook) ProcessHook(next goredis.ProcessHook) goredis.ProcessHook { return h(next) }

// ProcessPipelineHook implements go-redis' Hook.
func (h hook) ProcessPipelineHook(next goredis.ProcessPipelineHook) goredis.ProcessPipelineHook {
	return next
}

// client is a go-redis client of one server, in one process.
type client struct {
	*goredis.Client
	number int // of the server, from 0
	to     network.Addr
	server *server
	hold   *history.HoldID // on whose behalf the process acts

	mutex    sync.Mutex
	commands map[string]command // that are under way, by their words
}

// command is a command of a library's, on behalf of a process.
type command struct {
	call    *call
	request *request
}

// never is a timeout that does not come.
const never = time.Duration(1 << 62)

func newClient(w *world, number int, s *server, hold *history.HoldID) *client {
	c := &client{number: number, to: s.host.Addr(), server: s, hold: hold, commands: map[string]command{}}
	p := w.env.Params
	options := &goredis.Options{
		Addr: address, Dialer: c.dial, ReadTimeout: p.Duration("timeout"), MaxRetries: p.Int("command-retries"),
	}
	if backoff := p.Duration(redis.BackoffParam.Name); backoff > 0 {
		options.MinRetryBackoff, options.MaxRetryBackoff = backoff, backoff
	}
	options.ContextTimeoutEnabled = p.Has("context-timeout") && p.Choice("context-timeout") > 0
	c.Client = goredis.NewClient(options)
	c.AddHook(hook(c.process))
	return c
}

// process keeps a command together with the call that it belongs to, however often it is sent, and has
// it return when its round is over.
func (c *client) process(next goredis.ProcessHook) goredis.ProcessHook {
	return func(ctx context.Context, cmd goredis.Cmder) error {
		if handShake(cmd.Name()) {
			return next(ctx, cmd)
		}
		var words []string
		for _, arg := range cmd.Args() {
			words = append(words, fmt.Sprint(arg))
		}
		b := bodyOf(words)
		b.Hold = *c.hold
		under := command{callOf(ctx), newRequest(c.number, c.to, b)}
		c.put(words, &under)
		err := next(ctx, cmd)
		c.put(words, nil)
		under.call.join(under.request)
		return err
	}
}

// handShake reports whether a command belongs to that of a connection.
func handShake(name string) bool { return name == "hello" || name == "client" }

// bodyOf is what a command of the libraries' says in terms of the model. A script is told by how many
// arguments it has.
func bodyOf(words []string) network.Body {
	switch name := words[0]; {
	case name == "set": // key value px milliseconds nx, or key value ex seconds nx
		ttl := millis(words[4])
		if words[3] == "ex" {
			ttl *= 1000
		}
		return network.Body{Op: redis.OpSet, Value: valueOf(words[2]), TTL: ttl}
	case name != "evalsha" && name != "eval": // script 1 key value ...
		panic("a command that no library sends: " + name)
	case len(words) == 5:
		return network.Body{Op: redis.OpDelete, Value: valueOf(words[4])}
	case len(words) == 6:
		return network.Body{Op: redis.OpExtend, Value: valueOf(words[4]), TTL: millis(words[5])}
	default: // length of the value, ttl
		return network.Body{Op: redis.OpObtain, Value: valueOf(words[4]), TTL: millis(words[6])}
	}
}

// put notes that a command begins, or with nil that it has ended.
func (c *client) put(words []string, under *command) {
	text := strings.Join(words, "\n")
	c.mutex.Lock()
	defer c.mutex.Unlock()
	_, is := c.commands[text]
	switch {
	case under == nil:
		delete(c.commands, text)
	case is:
		panic("the same command twice at once: " + strconv.Quote(text))
	default:
		c.commands[text] = *under
	}
}

func (c *client) find(words []string) command {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.commands[strings.Join(words, "\n")]
}
