package virtual

import (
	"context"
	"strconv"
	"time"

	"github.com/go-redsync/redsync/v4"
	redsyncredis "github.com/go-redsync/redsync/v4/redis"
	goredispool "github.com/go-redsync/redsync/v4/redis/goredis/v9"

	"fencepost/cmd/fencepost-conform/answer"
	"fencepost/models"
	"fencepost/models/redis"
	"fencepost/models/redlock"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
	"fencepost/sim/rng"
)

// Redsync is Redlock with the real go-redsync/redsync as the client, on connections that are the
// simulated network's. Its values and delays are drawn as the model draws them.
type Redsync struct {
	models.Lock
	*stack // below the library; nil is a pool of ours, and servers of the model
}

// NewRedsync returns it.
func NewRedsync() models.Lock { return Redsync{redlock.New(), nil} }

// NewRedsyncStack returns it on go-redis and miniredis.
func NewRedsyncStack() models.Lock { return Redsync{redlock.New(), &stack{}} }

// Build implements [models.Lock].
func (l Redsync) Build(e *models.Env) models.System {
	s := &redsyncSystem{world: newWorld(l.Lock, e), stack: l.stack}
	if s.stack != nil {
		s.serve(&s.world, e.Params.Int("servers"))
	}
	for i := range e.Clients {
		s.libraries = append(s.libraries, &redsyncLibrary{system: s, index: i})
	}
	return s
}

type redsyncSystem struct {
	world
	*stack
	libraries []*redsyncLibrary
}

// Reset implements [models.System].
func (s *redsyncSystem) Reset() {
	s.world.Reset()
	if s.stack != nil {
		s.reset()
	}
	for i, l := range s.libraries {
		l.random = s.env.Stream("redlock.client", i)
		l.start()
	}
}

// Locker implements [models.System].
func (s *redsyncSystem) Locker(client int) models.Locker {
	l := s.libraries[client]
	l.start()
	return l
}

// redsyncLibrary is redsync in one client.
type redsyncLibrary struct {
	system *redsyncSystem
	index  int
	random rng.Stream
	pools  []redsyncredis.Pool
	mutex  *redsync.Mutex
	hold   history.HoldID
}

// start is what a process does first.
func (l *redsyncLibrary) start() {
	l.pools, l.hold = nil, 0
	if s := l.system; s.stack != nil {
		for _, c := range s.connect(&s.world, l.index, &l.hold) {
			l.pools = append(l.pools, goredispool.NewPool(c.Client))
		}
	} else {
		for i := range s.env.Params.Int("servers") {
			l.pools = append(l.pools, &pool{library: l, server: i, to: s.host(i + 1).Addr()})
		}
	}
	l.mutex = l.newMutex()
}

// newMutex is a Mutex as the parameters have it.
func (l *redsyncLibrary) newMutex() *redsync.Mutex {
	p := l.system.env.Params
	retry := models.Retry{Base: 50 * time.Millisecond, Max: 50 * time.Millisecond, Jitter: 199 * time.Millisecond}
	if p.Duration("retry-base") > 0 {
		retry = models.RetryOf(p)
	}
	options := []redsync.Option{
		redsync.WithGenValueFunc(func() (string, error) { return strconv.FormatInt(redis.NewValue(&l.random), 10), nil }),
		redsync.WithRetryDelayFunc(func(tries int) time.Duration { return retry.Delay(tries-1, &l.random) }),
	}
	if ttl := p.Duration("ttl"); ttl > 0 {
		options = append(options, redsync.WithExpiry(ttl))
	}
	if n := p.Int("attempts"); n > 0 {
		options = append(options, redsync.WithTries(n))
	}
	return redsync.New(l.pools...).NewMutex(key, options...)
}

// Acquire implements [models.Locker]: Lock.
func (l *redsyncLibrary) Acquire(p *host.Process, hold history.HoldID) (models.Grant, error) {
	l.hold, l.mutex = hold, l.newMutex()
	of := func(op *network.Op) steps {
		if op == redis.OpSet {
			return steps{"acquire.send", "acquire.reply"}
		}
		return steps{}
	}
	var err error
	l.system.bridge.do(p, of, func(ctx context.Context) { err = l.mutex.LockContext(ctx) })
	l.system.hear(l.index, "Lock", err)
	if err != nil {
		return models.Grant{}, notAcquired(answer.Redsync(err, len(l.pools)))
	}
	return models.Grant{}, nil
}

// Valid implements [models.Locker]: a program that looks at Until, as redsync's documentation asks for.
func (l *redsyncLibrary) Valid(*host.Process) bool { return time.Now().Before(l.mutex.Until()) }

// Release implements [models.Locker]: Unlock.
func (l *redsyncLibrary) Release(p *host.Process) error {
	return l.try(p, "Unlock", steps{"release.send", "release.reply"}, (*redsync.Mutex).UnlockContext)
}

// Renew implements [models.Renewer]: Extend.
func (l *redsyncLibrary) Renew(p *host.Process) error {
	return l.try(p, "Extend", steps{"renew.send", "renew.reply"}, (*redsync.Mutex).ExtendContext)
}

func (l *redsyncLibrary) try(p *host.Process, name string, s steps, method func(*redsync.Mutex, context.Context) (bool, error)) error {
	var ok bool
	var err error
	l.system.bridge.do(p, func(*network.Op) steps { return s }, func(ctx context.Context) { ok, err = method(l.mutex, ctx) })
	if ok {
		l.system.hear(l.index, name, nil)
		return nil
	}
	l.system.hear(l.index, name, err)
	return answer.Redsync(err, len(l.pools))
}

// pool implements redsync's Pool for one server, and connection its Conn.
type pool struct {
	library *redsyncLibrary
	server  int
	to      network.Addr
}

func (p *pool) Get(ctx context.Context) (redsyncredis.Conn, error) {
	return &connection{pool: p, ctx: ctx}, nil
}

type connection struct {
	*pool
	ctx  context.Context
	last *request
}

// do sends a command, and heeds the context if the parameter says so.
func (c *connection) do(b network.Body) (network.Message, error) {
	params := c.library.system.env.Params
	ctx, timeout := c.ctx, params.Duration("timeout")
	if params.Choice("context-timeout") == 0 {
		ctx = context.Background()
	}
	if timeout == 0 {
		timeout = redis.GoRedisTimeout
	}
	b.Hold = c.library.hold
	c.last = newRequest(c.server, c.to, b)
	return callOf(c.ctx).ask(ctx, c.last, nil, timeout)
}

// SetNX implements redsync's Conn.
func (c *connection) SetNX(_, v string, expiry time.Duration) (bool, error) {
	m, err := c.do(network.Body{Op: redis.OpSet, Value: valueOf(v), TTL: expiry})
	return m.OK, err
}

// Eval runs one of redsync's scripts, told by how many arguments it has.
func (c *connection) Eval(_ *redsyncredis.Script, keysAndArgs ...any) (any, error) {
	b := network.Body{Op: redis.OpDelete, Value: valueOf(keysAndArgs[1].(string))}
	if len(keysAndArgs) == 3 {
		b.Op, b.TTL = redis.OpExtend, time.Duration(keysAndArgs[2].(int))*time.Millisecond
	}
	m, err := c.do(b)
	if err != nil || !m.OK {
		return int64(0), err
	}
	return int64(1), nil
}

// Close implements redsync's Conn.
func (c *connection) Close() error {
	if c.last != nil {
		callOf(c.ctx).join(c.last)
	}
	return nil
}

func (c *connection) Get(string) (string, error)            { panic("redsync asks for a value") }
func (c *connection) Set(string, string) (bool, error)      { panic("redsync sets a value") }
func (c *connection) ScriptLoad(*redsyncredis.Script) error { panic("redsync loads a script") }
func (c *connection) PTTL(string) (time.Duration, error)    { panic("redsync asks for a TTL") }

// valueOf is a value as the servers have it; that of a lock which redsync was never given is empty.
func valueOf(text string) int64 {
	if text == "" {
		return 0
	}
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		panic("a value that redsync was not given: " + text)
	}
	return v
}
