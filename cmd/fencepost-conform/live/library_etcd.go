//go:build linux

package live

import (
	"context"
	"errors"
	"net"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
	"go.uber.org/zap"
	"google.golang.org/grpc"
)

// ofConcurrency is clientv3's Mutex on a Session. Its token is the create revision of its key. Around it is what
// the model takes for the program: a request has its timeout, a quiet connection is asked whether it lives as
// etcdctl has it, and after an error there is a new session and another attempt.
type ofConcurrency struct {
	client  *clientv3.Client
	ttl     time.Duration
	session *concurrency.Session
	mutex   *concurrency.Mutex
}

// Keep-alives of etcdctl (etcdctl/ctlv3/ctl.go); gRPC makes 10 s of the first.
const (
	keepAliveTime    = 2 * time.Second
	keepAliveTimeout = 6 * time.Second
)

func newConcurrency(ctx context.Context, o *outfit) (library, error) {
	timeout := o.duration("timeout")
	c, err := clientv3.New(clientv3.Config{Context: ctx, Endpoints: o.Servers, DialTimeout: 5 * time.Second, Logger: zap.NewNop(),
		DialKeepAliveTime: keepAliveTime, DialKeepAliveTimeout: keepAliveTimeout,
		DialOptions: []grpc.DialOption{
			grpc.WithContextDialer(func(ctx context.Context, address string) (net.Conn, error) {
				return dial(ctx, "tcp", address, dialTimeout)
			}),
			grpc.WithChainUnaryInterceptor(func(ctx context.Context, method string, req, reply any, on *grpc.ClientConn, invoke grpc.UnaryInvoker, options ...grpc.CallOption) error {
				ctx, cancel := context.WithTimeout(ctx, timeout)
				defer cancel()
				return invoke(ctx, method, req, reply, on, options...)
			}),
		}})
	if err != nil {
		return nil, err
	}
	_, err = c.Get(ctx, key) // so that there is a connection
	return &ofConcurrency{client: c, ttl: o.duration("ttl")}, err
}

func (l *ofConcurrency) Acquire(ctx context.Context) (token int64, err error) {
	for ctx.Err() == nil {
		if l.session == nil || !l.Valid() {
			if l.session, err = concurrency.NewSession(l.client, concurrency.WithTTL(int(l.ttl/time.Second))); err != nil {
				continue
			}
		}
		if token, err = l.lock(ctx); err == nil {
			return token, nil
		}
		_ = l.session.Close()
		l.session = nil
	}
	return 0, err
}

func (l *ofConcurrency) lock(ctx context.Context) (token int64, err error) {
	l.mutex = concurrency.NewMutex(l.session, "/"+key)
	if err := l.mutex.Lock(ctx); err != nil {
		return 0, err
	}
	own, err := l.client.Get(ctx, l.mutex.Key())
	if err != nil {
		return 0, err
	}
	if len(own.Kvs) != 1 {
		return 0, errors.New("the mutex's key is not there")
	}
	return own.Kvs[0].CreateRevision, nil
}

func (l *ofConcurrency) Valid() bool {
	select {
	case <-l.session.Done():
		return false
	default:
		return true
	}
}

// Renew is not called: a session renews its lease.
func (l *ofConcurrency) Renew(context.Context) error { return errors.ErrUnsupported }

func (l *ofConcurrency) Release(ctx context.Context) error { return l.mutex.Unlock(ctx) }

func (l *ofConcurrency) NotHeld(err error) bool {
	return errors.Is(err, concurrency.ErrSessionExpired) || errors.Is(err, concurrency.ErrLockReleased)
}
