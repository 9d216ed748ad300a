//go:build linux

package live

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
	"go.uber.org/zap"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"fencepost/models"
)

// ofConcurrency is clientv3's Mutex on a Session. Its token is the create revision of its key. Around it is what
// the model takes for the program: a request has its timeout, a quiet connection is asked whether it lives as
// etcdctl has it, and after an error the session is closed, and Acquire makes another attempt. Unlike the
// model's it goes to all members in turn, as clientv3 does.
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
	if err := warmUpEtcd(ctx, o); err != nil {
		return nil, err
	}
	c, err := o.ofEtcd(ctx)
	if err != nil {
		return nil, err
	}
	_, err = c.Get(ctx, key) // so that there is a connection
	return &ofConcurrency{client: c, ttl: o.duration("ttl")}, err
}

// ofEtcd is a client of all members.
func (o *outfit) ofEtcd(ctx context.Context) (*clientv3.Client, error) {
	return clientv3.New(clientv3.Config{Context: ctx, Endpoints: o.Servers, DialTimeout: dialTimeout, Logger: zap.NewNop(),
		DialKeepAliveTime: keepAliveTime, DialKeepAliveTimeout: keepAliveTimeout,
		DialOptions: []grpc.DialOption{
			grpc.WithContextDialer(func(ctx context.Context, address string) (net.Conn, error) {
				return dial(ctx, "tcp", address, dialTimeout)
			}),
			grpc.WithChainUnaryInterceptor(timeLimit(o.duration("timeout"))),
		}})
}

// warmUpEtcd has the members do what they will be asked to, by way of another client: that of the run is to have
// no loops that run already.
func warmUpEtcd(ctx context.Context, o *outfit) error {
	c, err := o.ofEtcd(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	s, err := concurrency.NewSession(c)
	if err != nil {
		return err
	}
	m := concurrency.NewMutex(s, fmt.Sprintf("/warm-up/%d", os.Getpid()))
	if err := m.Lock(ctx); err != nil {
		return err
	}
	if err := m.Unlock(ctx); err != nil {
		return err
	}
	return s.Close()
}

// timeLimit gives each request a time. clientv3 would repeat any request whose context has ended while the
// program's has not; a write it is not to send again (client/v3/retry.go), so that the end of its time
// is another error.
func timeLimit(timeout time.Duration) grpc.UnaryClientInterceptor {
	return func(ctx context.Context, method string, request, reply any, on *grpc.ClientConn, invoke grpc.UnaryInvoker, options ...grpc.CallOption) error {
		limited, cancel := context.WithTimeout(ctx, timeout)
		defer cancel()
		err := invoke(limited, method, request, reply, on, options...)
		if err != nil && limited.Err() != nil && ctx.Err() == nil && slices.Contains(writes, method) {
			return status.Errorf(codes.Aborted, "not answered within %v", timeout)
		}
		return err
	}
}

// writes are the requests of a mutex that write.
var writes = []string{"/etcdserverpb.KV/Txn", "/etcdserverpb.KV/DeleteRange"}

func (l *ofConcurrency) Acquire(ctx context.Context) (token int64, err error) {
	for ctx.Err() == nil {
		if l.session == nil || !l.Valid() {
			if l.session, err = concurrency.NewSession(l.client, concurrency.WithTTL(int(l.ttl/time.Second))); err != nil {
				l.session = nil
				time.Sleep(10 * time.Millisecond) // it may fail at once
				continue
			}
		}
		if token, err = l.lock(ctx); err == nil {
			return token, nil
		}
		l.closeSession()
	}
	return 0, err
}

func (l *ofConcurrency) closeSession() {
	_ = l.session.Close()
	l.session = nil
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
	if l.session == nil {
		return false
	}
	select {
	case <-l.session.Done():
		return false
	default:
		return true
	}
}

// Renew is not called: a session renews its lease.
func (l *ofConcurrency) Renew(context.Context) error { return errors.ErrUnsupported }

func (l *ofConcurrency) Release(ctx context.Context) error {
	err := l.mutex.Unlock(ctx)
	if err != nil {
		l.closeSession()
	}
	return err
}

func (l *ofConcurrency) Meant(err error) error {
	if errors.Is(err, concurrency.ErrSessionExpired) || errors.Is(err, concurrency.ErrLockReleased) {
		return models.ErrNotHeld
	}
	return err
}
