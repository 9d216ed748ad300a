//go:build linux

package live

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"fencepost/models"
)

// ofGoRedis is what the Redis documentation says of a single instance, on go-redis.
type ofGoRedis struct {
	client *goredis.Client
	ttl    time.Duration
	value  int64
}

func newBareRedis(ctx context.Context, o *outfit) (library, error) {
	client, err := o.ofRedis(ctx, o.Servers[0])
	return &ofGoRedis{client: client, ttl: o.duration("ttl")}, err
}

// Acquire tries again after redsync's delays. What it may have set, without an answer, it takes back.
func (l *ofGoRedis) Acquire(ctx context.Context) (_ int64, err error) {
	for ctx.Err() == nil {
		l.value = rand.Int64()
		ok, err := l.client.SetNX(ctx, key, l.value, l.ttl).Result()
		if ok {
			return 0, nil
		}
		if err != nil {
			_ = l.Release(ctx)
		}
		time.Sleep(betweenTries())
	}
	return 0, ctx.Err()
}

// betweenTries is redsync's delay.
func betweenTries() time.Duration { return 50*time.Millisecond + rand.N(200*time.Millisecond) }

func (l *ofGoRedis) Valid() bool { return true }

var (
	compareAndDelete = goredis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)
	compareAndExpire = goredis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("PEXPIRE", KEYS[1], ARGV[2]) end return 0`)
)

func (l *ofGoRedis) Renew(ctx context.Context) error {
	return ours(compareAndExpire.Run(ctx, l.client, []string{key}, l.value, l.ttl.Milliseconds()).Int())
}

func (l *ofGoRedis) Release(ctx context.Context) error {
	return ours(compareAndDelete.Run(ctx, l.client, []string{key}, l.value).Int())
}

// ours is what a script's answer says of the key.
func ours(n int, err error) error {
	if err == nil && n == 0 {
		err = fmt.Errorf("the key is another's, or gone: %w", models.ErrNotHeld)
	}
	return err
}

func (l *ofGoRedis) Meant(err error) error { return err }
