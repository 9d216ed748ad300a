package virtual

import (
	"context"
	"strconv"
	"time"

	"github.com/bsm/redislock"
	goredis "github.com/redis/go-redis/v9"

	"fencepost/cmd/fencepost-conform/answer"
	"fencepost/models"
	"fencepost/models/redis"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
	"fencepost/sim/rng"
)

// Redislock is a lock on one Redis server with the real bsm/redislock as the client, on a client of
// go-redis' interface that is the simulated network's. Its tokens and delays are drawn as the model
// draws them.
type Redislock struct {
	models.Lock
	*stack // below the library; nil is a Scripter of ours, and the model's server
}

// NewRedislock returns it.
func NewRedislock() models.Lock { return Redislock{redis.New(), nil} }

// NewRedislockStack returns it on go-redis and miniredis.
func NewRedislockStack() models.Lock { return Redislock{redis.New(), &stack{}} }

// Build implements [models.Lock].
func (l Redislock) Build(e *models.Env) models.System {
	s := &redislockSystem{world: newWorld(l.Lock, e), stack: l.stack}
	if s.stack != nil {
		s.serve(&s.world, 1)
	}
	for i := range e.Clients {
		s.libraries = append(s.libraries, &redislockLibrary{system: s, index: i})
	}
	return s
}

type redislockSystem struct {
	world
	*stack
	libraries []*redislockLibrary
}

// Reset implements [models.System].
func (s *redislockSystem) Reset() {
	s.world.Reset()
	if s.stack != nil {
		s.reset()
	}
	for i, l := range s.libraries {
		l.random = s.env.Stream("redis.client", i)
		l.start()
	}
}

// Locker implements [models.System].
func (s *redislockSystem) Locker(client int) models.Locker {
	l := s.libraries[client]
	l.start()
	return l
}

// redislockLibrary is redislock in one client.
type redislockLibrary struct {
	system *redislockSystem
	index  int
	random rng.Stream
	redis  redislock.RedisClient
	lock   *redislock.Lock
	hold   history.HoldID
}

// start is what a process does first.
func (l *redislockLibrary) start() {
	l.lock, l.hold = nil, 0
	if s := l.system; s.stack != nil {
		l.redis = s.connect(&s.world, l.index, &l.hold)[0]
	} else {
		l.redis = scripter{l}
	}
}

// Acquire implements [models.Locker]: Obtain.
func (l *redislockLibrary) Acquire(p *host.Process, hold history.HoldID) (models.Grant, error) {
	l.hold, l.lock = hold, nil
	params := l.system.env.Params
	options := &redislock.Options{Token: strconv.FormatInt(redis.NewValue(&l.random), 10),
		RetryStrategy: &retries{policy: models.RetryOf(params), random: &l.random}}
	var err error
	l.system.bridge.do(p, always(steps{"acquire.send", "acquire.reply"}), func(ctx context.Context) {
		l.lock, err = redislock.New(l.redis).Obtain(ctx, key, params.Duration("ttl"), options)
	})
	l.system.hear(l.index, "Obtain", err)
	if err != nil {
		return models.Grant{}, notAcquired(answer.Redislock(err))
	}
	return models.Grant{}, nil
}

// Valid implements [models.Locker]: redislock keeps no deadline.
func (l *redislockLibrary) Valid(*host.Process) bool { return true }

// Release implements [models.Locker].
func (l *redislockLibrary) Release(p *host.Process) (err error) {
	l.system.bridge.do(p, always(steps{"release.send", "release.reply"}), func(ctx context.Context) { err = l.lock.Release(ctx) })
	l.system.hear(l.index, "Release", err)
	return answer.Redislock(err)
}

// Renew implements [models.Renewer]: Refresh.
func (l *redislockLibrary) Renew(p *host.Process) (err error) {
	ttl := l.system.env.Params.Duration("ttl")
	l.system.bridge.do(p, always(steps{"renew.send", "renew.reply"}), func(ctx context.Context) { err = l.lock.Refresh(ctx, ttl, nil) })
	l.system.hear(l.index, "Refresh", err)
	return answer.Redislock(err)
}

func always(s steps) func(*network.Op) steps { return func(*network.Op) steps { return s } }

// retries is a strategy of redislock's that draws its delays as the model does.
type retries struct {
	policy models.Retry
	random *rng.Stream
	failed int
}

// NextBackoff implements redislock's RetryStrategy.
func (r *retries) NextBackoff() time.Duration {
	attempt := r.failed
	r.failed++
	if r.policy.Attempts <= 1 || r.policy.Over(attempt) {
		return 0
	}
	return r.policy.Delay(attempt, r.random)
}

// scripter implements go-redis' Scripter for the one server.
type scripter struct{ library *redislockLibrary }

// ask sends a script, told by how many arguments it has, and waits for the reply. The context that ends
// the call does not end the wait (go-redis, ContextTimeoutEnabled).
func (s scripter) ask(ctx context.Context, args []any) *goredis.Cmd {
	cmd := goredis.NewCmd(ctx)
	l := s.library
	b := network.Body{Op: redis.OpDelete, Value: valueOf(args[0].(string)), Hold: l.hold}
	switch len(args) {
	case 2:
		b.Op, b.TTL = redis.OpExtend, millis(args[1].(string))
	case 3:
		b.Op, b.TTL = redis.OpObtain, millis(args[2].(string))
	}
	c, r := callOf(ctx), newRequest(0, l.system.host(1).Addr(), b)
	m, err := c.ask(context.Background(), r, nil, redis.Timeout(l.system.env.Params))
	c.join(r)
	switch {
	case err != nil:
		cmd.SetErr(err)
	case b.Op != redis.OpObtain:
		cmd.SetVal(map[bool]int64{false: 0, true: 1}[m.OK])
	case m.OK:
		cmd.SetVal("OK")
	default:
		cmd.SetErr(goredis.Nil)
	}
	return cmd
}

// millis is an argument in milliseconds.
func millis(arg string) time.Duration {
	n, err := strconv.ParseInt(arg, 10, 64)
	if err != nil {
		panic(err)
	}
	return time.Duration(n) * time.Millisecond
}

// EvalSha implements go-redis' Scripter: the server knows the script.
func (s scripter) EvalSha(ctx context.Context, _ string, _ []string, args ...any) *goredis.Cmd {
	return s.ask(ctx, args)
}

func (s scripter) Eval(context.Context, string, []string, ...any) *goredis.Cmd {
	panic("redislock sends a script that the server knows")
}

func (s scripter) EvalRO(context.Context, string, []string, ...any) *goredis.Cmd {
	panic("redislock reads")
}

func (s scripter) EvalShaRO(context.Context, string, []string, ...any) *goredis.Cmd {
	panic("redislock reads")
}

func (s scripter) ScriptExists(context.Context, ...string) *goredis.BoolSliceCmd {
	panic("redislock asks for scripts")
}

func (s scripter) ScriptLoad(context.Context, string) *goredis.StringCmd {
	panic("redislock loads a script")
}
