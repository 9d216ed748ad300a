//go:build linux

package live

import (
	"context"
	"errors"
	"net"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/go-zookeeper/zk"
)

// ofGoZookeeper is the lock recipe of ZooKeeper's documentation on a bare client. Its token is the
// czxid of its own node. As in the model, a request whose connection is lost is made again, and a session
// that is over is followed by another attempt.
type ofGoZookeeper struct {
	conn    *zk.Conn
	delay   time.Duration
	own     string
	session int64 // whose node it is
}

// silent is a log that nobody reads.
type silent struct{}

func (silent) Printf(string, ...any) {}

func newGoZookeeper(_ context.Context, o *outfit) (library, error) {
	conn, events, err := zk.Connect(o.Servers, o.duration("ttl"), zk.WithLogger(silent{}),
		zk.WithHostProvider(&inOrder{servers: o.Servers, next: o.First}), zk.WithDialer(func(network, address string, timeout time.Duration) (net.Conn, error) {
			return dial(context.Background(), network, address, timeout)
		}))
	if err != nil {
		return nil, err
	}
	for e := range events {
		if e.State == zk.StateHasSession {
			break
		}
	}
	l := &ofGoZookeeper{conn: conn, delay: o.duration("retry-base")}
	if _, err := conn.Create(parent, nil, 0, zk.WorldACL(zk.PermAll)); err != nil && !errors.Is(err, zk.ErrNodeExists) {
		return nil, err
	}
	return l, nil
}

const parent = "/" + key

// inOrder tries servers one after the other, from one of its own on.
type inOrder struct {
	servers    []string
	last, next int
}

// Init implements [zk.HostProvider].
func (p *inOrder) Init([]string) error {
	p.last = -1
	return nil
}

// Len implements [zk.HostProvider].
func (p *inOrder) Len() int { return len(p.servers) }

// Next implements [zk.HostProvider]: the client waits for a second when all have been tried.
func (p *inOrder) Next() (server string, retryStart bool) {
	server, retryStart = p.servers[p.next], p.next == p.last
	p.next = (p.next + 1) % len(p.servers)
	if p.last < 0 {
		p.last = (p.next + len(p.servers) - 1) % len(p.servers)
	}
	return server, retryStart
}

// Connected implements [zk.HostProvider].
func (p *inOrder) Connected() { p.last = (p.next + len(p.servers) - 1) % len(p.servers) }

// Acquire queues up until it has been the first.
func (l *ofGoZookeeper) Acquire(ctx context.Context) (token int64, err error) {
	for ctx.Err() == nil {
		if token, err = l.queue(ctx); err == nil {
			return token, nil
		}
		time.Sleep(l.delay)
	}
	return 0, err
}

// queue makes a node and waits until it comes first.
func (l *ofGoZookeeper) queue(ctx context.Context) (token int64, err error) {
	// Upon a lost connection the library looks for the node by the GUID in its name.
	l.own, err = l.conn.CreateProtectedEphemeralSequential(parent+"/n-", nil, zk.WorldACL(zk.PermAll))
	if err != nil {
		return 0, err
	}
	l.session = l.conn.SessionID()
	for {
		before, err := retrying(ctx, l, l.before)
		if err != nil {
			return 0, err
		}
		if before == "" {
			break
		}
		changed, err := retrying(ctx, l, func() (<-chan zk.Event, error) {
			there, _, changed, err := l.conn.ExistsW(before)
			if !there {
				changed = nil
			}
			return changed, err
		})
		if err != nil {
			return 0, err
		}
		if changed != nil {
			<-changed
		}
	}
	stat, err := retrying(ctx, l, func() (*zk.Stat, error) {
		there, stat, err := l.conn.Exists(l.own)
		if err == nil && !there {
			err = zk.ErrNoNode
		}
		return stat, err
	})
	if err != nil {
		return 0, err
	}
	return stat.Czxid, nil
}

// retrying makes a request again as long as it fails because its connection does.
func retrying[T any](ctx context.Context, l *ofGoZookeeper, request func() (T, error)) (T, error) {
	for {
		reply, err := request()
		lost := errors.Is(err, zk.ErrConnectionClosed) || errors.Is(err, zk.ErrNoServer)
		if !lost || ctx.Err() != nil {
			return reply, err
		}
		time.Sleep(l.delay)
	}
}

// before is the node that comes right before the client's own; empty if that is the first.
func (l *ofGoZookeeper) before() (string, error) {
	nodes, _, err := l.conn.Children(parent)
	if err != nil {
		return "", err
	}
	slices.SortFunc(nodes, func(a, b string) int { return strings.Compare(sequence(a), sequence(b)) })
	i := slices.Index(nodes, path.Base(l.own))
	switch {
	case i < 0:
		return "", zk.ErrNoNode
	case i == 0:
		return "", nil
	}
	return parent + "/" + nodes[i-1], nil
}

// sequence is the number behind the GUID in a node's name.
func sequence(node string) string { return node[strings.LastIndex(node, "-"):] }

func (l *ofGoZookeeper) Valid() bool {
	return l.conn.State() == zk.StateHasSession && l.conn.SessionID() == l.session
}

// Renew is not called: a session lives by its pings.
func (l *ofGoZookeeper) Renew(context.Context) error { return errors.ErrUnsupported }

func (l *ofGoZookeeper) Release(ctx context.Context) error {
	_, err := retrying(ctx, l, func() (struct{}, error) {
		if l.conn.SessionID() != l.session {
			return struct{}{}, zk.ErrSessionExpired
		}
		return struct{}{}, l.conn.Delete(l.own, -1)
	})
	return err
}

func (l *ofGoZookeeper) NotHeld(err error) bool {
	return errors.Is(err, zk.ErrNoNode) || errors.Is(err, zk.ErrSessionExpired)
}
