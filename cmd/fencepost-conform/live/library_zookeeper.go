//go:build linux

package live

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/go-zookeeper/zk"

	"fencepost/models"
)

// ofGoZookeeper is the lock recipe of ZooKeeper's documentation on a bare client. Its token is the
// czxid of its own node. As in the model (models/zookeeper, recipe.go), a request whose connection is lost is made
// again after a while, a node that may have been made is looked for by the GUID in its name, and a session
// that is over is followed by another attempt.
type ofGoZookeeper struct {
	outfit    *outfit
	conn      *zk.Conn      // nil before the first acquire
	base, max time.Duration // of what it waits for
	guid      string
	own       string
	session   int64 // whose node it is
}

// silent is a log that nobody reads.
type silent struct{}

func (silent) Printf(string, ...any) {}

func newGoZookeeper(_ context.Context, o *outfit) (library, error) {
	return &ofGoZookeeper{outfit: o, base: o.duration("retry-base"), max: o.duration("retry-max")}, warmUpZookeeper(o)
}

// ofZookeeper is a client with a session.
func (o *outfit) ofZookeeper() (*zk.Conn, error) {
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
	return conn, nil
}

// warmUpZookeeper makes the parent, and has the servers do what they will be asked to, by way of another client: that
// of the run begins with its first acquire, as the model's does, and pings from then on.
func warmUpZookeeper(o *outfit) error {
	conn, err := o.ofZookeeper()
	if err != nil {
		return err
	}
	defer conn.Close()
	for _, node := range []string{parent, warmUpNode} {
		if _, err := conn.Create(node, nil, 0, zk.WorldACL(zk.PermAll)); err != nil && !errors.Is(err, zk.ErrNodeExists) {
			return err
		}
	}
	for range 20 {
		node, err := conn.Create(warmUpNode+"/n-", nil, zk.FlagEphemeralSequential, zk.WorldACL(zk.PermAll))
		if err == nil {
			_, _, err = conn.Children(warmUpNode)
		}
		if err == nil {
			_, _, err = conn.Exists(node)
		}
		if err == nil {
			err = conn.Delete(node, -1)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

const warmUpNode = "/warm-up"

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
	if l.conn == nil {
		if l.conn, err = l.outfit.ofZookeeper(); err != nil {
			return 0, err
		}
	}
	for attempt := 0; ctx.Err() == nil; attempt++ {
		if err = l.create(ctx); err == nil {
			if token, err = l.wait(ctx); err == nil {
				return token, nil
			}
		}
		time.Sleep(l.pause(attempt))
	}
	return 0, err
}

// pause is the wait after an attempt: that of Curator's ExponentialBackoffRetry with three attempts.
func (l *ofGoZookeeper) pause(attempt int) time.Duration {
	n := max(1, rand.IntN(2<<min(attempt, 2)))
	return min(time.Duration(n)*l.base, l.max)
}

// create makes the own node, with a new GUID in its name.
func (l *ofGoZookeeper) create(ctx context.Context) (err error) {
	l.newGUID()
	for attempt := 0; ctx.Err() == nil; attempt++ {
		l.session = l.conn.SessionID()
		if attempt > 0 {
			found, err := l.adopt()
			if found || err != nil && !connectionLost(err) {
				return err
			}
		}
		l.own, err = l.conn.Create(parent+"/"+l.guid+"-n-", nil, zk.FlagEphemeralSequential, zk.WorldACL(zk.PermAll))
		if err == nil || !connectionLost(err) {
			return err
		}
		time.Sleep(l.pause(attempt))
	}
	return ctx.Err()
}

func (l *ofGoZookeeper) newGUID() { l.guid = fmt.Sprintf("_c_%016x", rand.Uint64()) }

// adopt looks for a node that an earlier attempt has made. One of an earlier session is about to go, and is
// deleted.
func (l *ofGoZookeeper) adopt() (found bool, err error) {
	nodes, _, err := l.conn.Children(parent)
	i := slices.IndexFunc(nodes, func(node string) bool { return strings.HasPrefix(node, l.guid) })
	if err != nil || i < 0 {
		return false, err
	}
	l.own = parent + "/" + nodes[i]
	there, stat, err := l.conn.Exists(l.own)
	if err != nil || !there {
		return false, err
	}
	if stat.EphemeralOwner != l.session {
		_ = l.conn.Delete(l.own, -1)
		l.newGUID()
		return false, nil
	}
	return true, nil
}

// wait waits until the own node comes first.
func (l *ofGoZookeeper) wait(ctx context.Context) (token int64, err error) {
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
	for attempt := 0; ; attempt++ {
		reply, err := request()
		if !connectionLost(err) || ctx.Err() != nil {
			return reply, err
		}
		time.Sleep(l.pause(attempt))
	}
}

func connectionLost(err error) bool {
	return errors.Is(err, zk.ErrConnectionClosed) || errors.Is(err, zk.ErrNoServer)
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

func (l *ofGoZookeeper) Meant(err error) error {
	if errors.Is(err, zk.ErrNoNode) || errors.Is(err, zk.ErrSessionExpired) {
		return models.ErrNotHeld
	}
	return err
}
