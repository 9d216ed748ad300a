//go:build linux

package live

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-zookeeper/zk"
)

// zookeeperJar is where Debian's package has it; its manifest names what else it needs.
const zookeeperJar = "/usr/share/java/zookeeper.jar"

// startZooKeeper starts one server with a tick of [zookeeperTick], which grants sessions of 2 ticks and
// more.
func startZooKeeper(ctx context.Context, dir string) (*servers, error) {
	s := &servers{dir: dir, answers: serves}
	ports, err := freePorts(1)
	if err != nil {
		return nil, err
	}
	config := fmt.Sprintf("tickTime=%d\ndataDir=%s\nclientPort=%d\nclientPortAddress=127.0.0.1\nadmin.enableServer=false\n",
		zookeeperTick.Milliseconds(), filepath.Join(dir, "data"), ports[0])
	file := filepath.Join(dir, "zoo.cfg")
	if err := os.WriteFile(file, []byte(config), 0o644); err != nil {
		return nil, err
	}
	s.addresses = []string{fmt.Sprintf("127.0.0.1:%d", ports[0])}
	return s.started(ctx, s.start("java", "-cp", zookeeperJar, "org.apache.zookeeper.server.ZooKeeperServerMain", file))
}

// serves fails unless a server is ready, which it is some time after it listens (the command srvr).
func serves(address string) error {
	conn, err := net.DialTimeout("tcp", address, time.Second)
	if err != nil {
		return err
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(time.Second))
	if _, err := conn.Write([]byte("srvr")); err != nil {
		return err
	}
	text, err := io.ReadAll(conn)
	if err == nil && !strings.Contains(string(text), "Mode:") {
		err = errors.New("it does not serve yet")
	}
	return err
}

const zookeeperTick = 500 * time.Millisecond

// zookeeperClient is the lock recipe of ZooKeeper's documentation on the bare client. Its token is the
// czxid of its own node.
type zookeeperClient struct {
	conn *zk.Conn
	own  string
}

// silent is a log that nobody reads.
type silent struct{}

func (silent) Printf(string, ...any) {}

func newZooKeeperClient(ttl time.Duration, servers []string) (client, error) {
	conn, events, err := zk.Connect(servers, ttl, zk.WithLogger(silent{}))
	if err != nil {
		return nil, err
	}
	for e := range events {
		if e.State == zk.StateHasSession {
			break
		}
	}
	if _, err := conn.Create("/"+key, nil, 0, zk.WorldACL(zk.PermAll)); err != nil && !errors.Is(err, zk.ErrNodeExists) {
		return nil, err
	}
	return &zookeeperClient{conn: conn}, nil
}

func (c *zookeeperClient) Acquire(context.Context) (token int64, err error) {
	if c.own, err = c.conn.Create("/"+key+"/n-", nil, zk.FlagEphemeral|zk.FlagSequence, zk.WorldACL(zk.PermAll)); err != nil {
		return 0, err
	}
	for {
		before, err := c.before()
		if err != nil {
			return 0, err
		}
		if before == "" {
			break
		}
		there, _, changed, err := c.conn.ExistsW(before)
		if err != nil {
			return 0, err
		}
		if there {
			<-changed
		}
	}
	there, stat, err := c.conn.Exists(c.own)
	if err == nil && !there {
		err = errors.New("the own node is gone")
	}
	if err != nil {
		return 0, err
	}
	return stat.Czxid, nil
}

// before is the node that comes right before the client's own; empty if that is the first.
func (c *zookeeperClient) before() (string, error) {
	nodes, _, err := c.conn.Children("/" + key)
	if err != nil {
		return "", err
	}
	slices.SortFunc(nodes, func(a, b string) int { return strings.Compare(a, b) })
	i := slices.Index(nodes, path.Base(c.own))
	switch {
	case i < 0:
		return "", errors.New("the own node is gone")
	case i == 0:
		return "", nil
	}
	return "/" + key + "/" + nodes[i-1], nil
}

func (c *zookeeperClient) Valid() bool { return c.conn.State() == zk.StateHasSession }

func (c *zookeeperClient) Release(context.Context) error { return c.conn.Delete(c.own, -1) }
