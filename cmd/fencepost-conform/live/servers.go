//go:build linux

package live

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// servers are processes on loopback ports, which die with this one.
type servers struct {
	addresses []string // of clients
	processes []*exec.Cmd
	dir       string
	answers   func(address string) error // fails if the server there does not
}

// lock is a lock system that real servers and clients make.
type lock struct {
	name  string   // of fencepost's
	needs []string // programs and files
	token bool     // has one
	// params are those of the model that is like it.
	params string
	start  func(ctx context.Context, dir string) (*servers, error)
}

var locks = []lock{
	{"redis", []string{"redis-server"}, false, "", func(ctx context.Context, dir string) (*servers, error) { return startRedis(ctx, dir, 1) }},
	{"redlock", []string{"redis-server"}, false, ", client: redsync, attempts: 1000", func(ctx context.Context, dir string) (*servers, error) { return startRedis(ctx, dir, 5) }},
	{"etcd", []string{"etcd"}, true, "", startEtcd},
	{"zookeeper", []string{"java", zookeeperJar}, true, ", servers: 1, tick-time: 500ms, recipe: plain", startZooKeeper},
}

// freePorts returns ports that nobody has; somebody may take one before it is used.
func freePorts(n int) (ports []int, err error) {
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close() // all are open at once, so that no two are the same
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports, nil
}

// start starts a program in a directory of its own.
func (s *servers) start(name string, args ...string) error {
	dir := filepath.Join(s.dir, fmt.Sprintf("server-%d", len(s.processes)+1))
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		return err
	}
	defer log.Close()
	c := exec.Command(name, args...)
	c.Dir, c.Stdout, c.Stderr = dir, log, log
	c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := c.Start(); err != nil {
		return err
	}
	s.processes = append(s.processes, c)
	return nil
}

// stop kills all, and waits until they are gone.
func (s *servers) stop() {
	for _, c := range s.processes {
		_ = c.Process.Kill()
		_ = c.Wait()
	}
}

// ready waits until a server answers at every address.
func (s *servers) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	for _, address := range s.addresses {
		for {
			err := s.answers(address)
			if err == nil {
				break
			}
			select {
			case <-ctx.Done():
				return fmt.Errorf("nobody answers at %s: %w", address, err)
			case <-time.After(20 * time.Millisecond):
			}
		}
	}
	return nil
}

// listens fails unless somebody listens at an address.
func listens(address string) error {
	conn, err := net.DialTimeout("tcp", address, time.Second)
	if err == nil {
		conn.Close()
	}
	return err
}

func startRedis(ctx context.Context, dir string, n int) (*servers, error) {
	s := &servers{dir: dir, answers: listens}
	ports, err := freePorts(n)
	for _, port := range ports {
		if err == nil {
			err = s.start("redis-server", "--bind", "127.0.0.1", "--port", fmt.Sprint(port), "--save", "", "--appendonly", "no")
		}
		s.addresses = append(s.addresses, fmt.Sprintf("127.0.0.1:%d", port))
	}
	return s.started(ctx, err)
}

func startEtcd(ctx context.Context, dir string) (*servers, error) {
	const members = 3
	s := &servers{dir: dir, answers: listens}
	ports, err := freePorts(2 * members)
	if err != nil {
		return s.started(ctx, err)
	}
	url := func(port int) string { return fmt.Sprintf("http://127.0.0.1:%d", port) }
	var cluster []string
	for i := range members {
		cluster = append(cluster, fmt.Sprintf("m%d=%s", i, url(ports[members+i])))
	}
	for i := range members {
		if err == nil {
			err = s.start("etcd", "--name", fmt.Sprintf("m%d", i), "--data-dir", "data", "--heartbeat-interval", "100", "--election-timeout", "1000",
				"--listen-client-urls", url(ports[i]), "--advertise-client-urls", url(ports[i]),
				"--listen-peer-urls", url(ports[members+i]), "--initial-advertise-peer-urls", url(ports[members+i]),
				"--initial-cluster", strings.Join(cluster, ","))
		}
		s.addresses = append(s.addresses, fmt.Sprintf("127.0.0.1:%d", ports[i]))
	}
	return s.started(ctx, err)
}

func (s *servers) started(ctx context.Context, err error) (*servers, error) {
	if err == nil {
		err = s.ready(ctx)
	}
	if err != nil {
		s.stop()
		return nil, err
	}
	return s, nil
}
