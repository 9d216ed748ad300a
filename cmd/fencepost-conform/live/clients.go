//go:build linux

package live

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/go-redsync/redsync/v4"
	redsyncredis "github.com/go-redsync/redsync/v4/redis"
	"github.com/go-redsync/redsync/v4/redis/goredis/v9"
	"github.com/redis/go-redis/v9"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
	"go.uber.org/zap"
)

// key is that of the lock.
const key = "lock"

func newClient(ctx context.Context, lock string, ttl time.Duration, servers []string) (client, error) {
	switch lock {
	case "redis":
		return &redisClient{redis: goRedis(servers[0]), ttl: ttl}, nil
	case "redlock":
		var pools []redsyncredis.Pool
		for _, address := range servers {
			pools = append(pools, goredis.NewPool(goRedis(address)))
		}
		return &redsyncClient{mutex: redsync.New(pools...).NewMutex(key, redsync.WithExpiry(ttl), redsync.WithTries(1000))}, nil
	case "etcd":
		return newEtcdClient(ctx, ttl, servers)
	case "zookeeper":
		return newZooKeeperClient(ttl, servers)
	}
	return nil, fmt.Errorf("no lock %q", lock)
}

func goRedis(address string) *redis.Client { return redis.NewClient(&redis.Options{Addr: address}) }

// redisClient does what the Redis documentation says of a single instance, and tries again after
// redsync's delays.
type redisClient struct {
	redis *redis.Client
	ttl   time.Duration
	value int64
}

func (c *redisClient) Acquire(ctx context.Context) (int64, error) {
	for {
		c.value = rand.Int64()
		ok, err := c.redis.SetNX(ctx, key, c.value, c.ttl).Result()
		if err != nil || ok {
			return 0, err
		}
		time.Sleep(50*time.Millisecond + rand.N(200*time.Millisecond))
	}
}

func (c *redisClient) Valid() bool { return true }

var compareAndDelete = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

func (c *redisClient) Release(ctx context.Context) error {
	deleted, err := compareAndDelete.Run(ctx, c.redis, []string{key}, c.value).Int()
	if err == nil && deleted == 0 {
		err = errors.New("the key is another's, or gone")
	}
	return err
}

// redsyncClient is redsync on go-redis, as it comes.
type redsyncClient struct{ mutex *redsync.Mutex }

func (c *redsyncClient) Acquire(ctx context.Context) (int64, error) {
	return 0, c.mutex.LockContext(ctx)
}
func (c *redsyncClient) Valid() bool { return time.Now().Before(c.mutex.Until()) }
func (c *redsyncClient) Release(ctx context.Context) error {
	_, err := c.mutex.UnlockContext(ctx)
	return err
}

// etcdClient is clientv3's Mutex on a Session. Its token is the create revision of its key.
type etcdClient struct {
	client  *clientv3.Client
	ttl     time.Duration
	session *concurrency.Session
	mutex   *concurrency.Mutex
}

func newEtcdClient(ctx context.Context, ttl time.Duration, servers []string) (client, error) {
	c, err := clientv3.New(clientv3.Config{Context: ctx, Endpoints: servers, DialTimeout: 5 * time.Second, Logger: zap.NewNop()})
	return &etcdClient{client: c, ttl: ttl}, err
}

func (c *etcdClient) Acquire(ctx context.Context) (token int64, err error) {
	if c.session, err = concurrency.NewSession(c.client, concurrency.WithTTL(int(c.ttl/time.Second))); err != nil {
		return 0, err
	}
	c.mutex = concurrency.NewMutex(c.session, "/"+key)
	if err := c.mutex.Lock(ctx); err != nil {
		return 0, err
	}
	own, err := c.client.Get(ctx, c.mutex.Key())
	if err != nil || len(own.Kvs) != 1 {
		return 0, fmt.Errorf("the mutex's key is not there: %w", err)
	}
	return own.Kvs[0].CreateRevision, nil
}

func (c *etcdClient) Valid() bool {
	select {
	case <-c.session.Done():
		return false
	default:
		return true
	}
}

func (c *etcdClient) Release(ctx context.Context) error { return c.mutex.Unlock(ctx) }
