//go:build linux

package live

import (
	"context"
	"errors"
	"net"
	"slices"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
	redsyncredis "github.com/go-redsync/redsync/v4/redis"
	pool "github.com/go-redsync/redsync/v4/redis/goredis/v9"
	goredis "github.com/redis/go-redis/v9"

	"fencepost/cmd/fencepost-conform/answer"
)

// key is that of the lock.
const key = "lock"

// ofRedis is a client of one server, which has a connection already.
func (o *outfit) ofRedis(ctx context.Context, server string) (*goredis.Client, error) {
	c := goredis.NewClient(&goredis.Options{Addr: server, ReadTimeout: o.duration("timeout"), ContextTimeoutEnabled: o.Params["context-timeout"] != 0, MaxRetries: o.resends(), Dialer: o.reach, DialerRetries: dials})
	return c, c.Ping(ctx).Err()
}

// resends is how often a command is sent again: 0 is go-redis's own number, here as in the model.
func (o *outfit) resends() int { return int(o.Params["command-retries"]) }

// ofMaster is a client of whichever server the Sentinels take for the master, which it asks them with its
// first command.
func (o *outfit) ofMaster() *goredis.Client {
	return goredis.NewFailoverClient(&goredis.FailoverOptions{MasterName: masterName, SentinelAddrs: o.Sentinels,
		ReadTimeout: o.duration("timeout"), MaxRetries: o.resends(), Dialer: o.reach, DialerRetries: dials})
}

// reach makes a connection to a server, which Sentinels name as servers reach it, on the client's own way.
func (o *outfit) reach(ctx context.Context, network, address string) (net.Conn, error) {
	if i := slices.Index(o.Announced, address); i >= 0 {
		conn, err := dial(ctx, network, o.Servers[i], dialTimeout)
		if err != nil {
			return nil, err
		}
		to, err := net.ResolveTCPAddr(network, address)
		return &renamed{conn, to}, err
	}
	if slices.Contains(o.Servers, address) {
		return dial(ctx, network, address, dialTimeout)
	}
	d := net.Dialer{Timeout: dialTimeout} // a Sentinel
	return d.DialContext(ctx, network, address)
}

// renamed is a connection to a server as servers name it: go-redis closes those that are not to the master.
type renamed struct {
	net.Conn
	to net.Addr
}

// RemoteAddr implements [net.Conn].
func (c *renamed) RemoteAddr() net.Addr { return c.to }

// dialTimeout is go-redis's own. That it dials five times for each time that it sends a command is not in the
// model, so it does once here.
const (
	dialTimeout = 5 * time.Second
	dials       = 1
)

// ofRedislock is bsm/redislock on one server, or on a master with replicas.
type ofRedislock struct {
	client   *redislock.Client
	ttl      time.Duration
	attempts int64
	lock     *redislock.Lock
}

func newRedislock(ctx context.Context, o *outfit) (library, error) {
	l := &ofRedislock{ttl: o.duration("ttl"), attempts: max(o.Params["attempts"], 1)}
	if o.Sentinels != nil {
		l.client = redislock.New(o.ofMaster())
		return l, nil
	}
	client, err := o.ofRedis(ctx, o.Servers[0])
	l.client = redislock.New(client)
	return l, err
}

func (l *ofRedislock) Acquire(ctx context.Context) (_ int64, err error) {
	l.lock, err = l.client.Obtain(ctx, key, l.ttl, &redislock.Options{RetryStrategy: &delays{left: l.attempts}})
	return 0, err
}

// delays is a strategy of 50 to 250 ms, so often.
type delays struct{ left int64 }

// NextBackoff implements redislock's RetryStrategy.
func (d *delays) NextBackoff() time.Duration {
	if d.left--; d.left <= 0 {
		return 0
	}
	return betweenTries()
}

func (l *ofRedislock) Valid() bool { return true }

func (l *ofRedislock) Renew(ctx context.Context) error { return l.lock.Refresh(ctx, l.ttl, nil) }

func (l *ofRedislock) Release(ctx context.Context) error { return l.lock.Release(ctx) }

func (l *ofRedislock) Meant(err error) error { return answer.Redislock(err) }

// ofRedsync is redsync on go-redis.
type ofRedsync struct {
	mutex   *redsync.Mutex
	servers int
}

func newRedsync(ctx context.Context, o *outfit) (library, error) {
	var pools []redsyncredis.Pool
	for _, server := range o.Servers {
		client, err := o.ofRedis(ctx, server)
		if err != nil {
			return nil, err
		}
		pools = append(pools, pool.NewPool(client))
	}
	options := []redsync.Option{redsync.WithExpiry(o.duration("ttl"))}
	if attempts := o.Params["attempts"]; attempts != 0 {
		options = append(options, redsync.WithTries(int(attempts)))
	}
	return &ofRedsync{redsync.New(pools...).NewMutex(key, options...), len(pools)}, nil
}

func (l *ofRedsync) Acquire(ctx context.Context) (int64, error) { return 0, l.mutex.LockContext(ctx) }

func (l *ofRedsync) Valid() bool { return time.Now().Before(l.mutex.Until()) }

func (l *ofRedsync) Renew(ctx context.Context) error { return done(l.mutex.ExtendContext(ctx)) }

func (l *ofRedsync) Release(ctx context.Context) error { return done(l.mutex.UnlockContext(ctx)) }

// done makes one answer of redsync's two.
func done(ok bool, err error) error {
	if err == nil && !ok {
		err = errNotDone
	}
	return err
}

var errNotDone = errors.New("redsync did not do it and does not say why")

func (l *ofRedsync) Meant(err error) error { return answer.Redsync(err, l.servers) }
