//go:build linux

package live

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"fencepost/models"
	"fencepost/models/redis"
)

// redisServers makes Redis servers that know nothing of each other.
func redisServers(c *cluster, p models.Params, o setup) error {
	c.answers = isOurs
	n := 1
	if p.Has("servers") {
		n = p.Int("servers")
	}
	ports, err := freePorts(n)
	for _, port := range ports {
		if err == nil {
			_, err = addRedis(c, port, p, o)
		}
	}
	return err
}

// addRedis adds one server.
func addRedis(c *cluster, port int, p models.Params, o setup, more ...string) (*server, error) {
	s := c.add(local(port))
	var env []string
	if o.clock != "" {
		clock, err := newWallClock(filepath.Join(c.dir, fmt.Sprintf("clock-%d", port)))
		if err != nil {
			return nil, err
		}
		s.clock, env = clock, clock.environment(o.clock)
	}
	args := []string{"redis-server", "--bind", "127.0.0.1", "--port", fmt.Sprint(port), "--save", ""}
	args = append(args, persistence(p)...)
	s.runs(env, append(args, more...)...)
	return s, nil
}

// persistence is what a server keeps on its disk, as options.
func persistence(p models.Params) []string {
	switch redis.Persistence(p.Choice(redis.PersistenceParam.Name)) {
	case redis.EverySec:
		return []string{"--appendonly", "yes", "--appendfsync", "everysec"}
	case redis.Always:
		return []string{"--appendonly", "yes", "--appendfsync", "always"}
	}
	return []string{"--appendonly", "no"}
}

// sentinelServers makes a master and its replicas, each with a Sentinel beside it. Servers reach each other
// by way of links, whose addresses are the ones that they go by.
func sentinelServers(c *cluster, p models.Params, o setup) error {
	n := p.Int("servers")
	ports, err := freePorts(2 * n)
	if err != nil {
		return err
	}
	var outward []string
	for i := range n {
		between, address, err := c.links.bare(local(ports[i]))
		if err != nil {
			return err
		}
		outward = append(outward, address)
		host, port, _ := net.SplitHostPort(address)
		more := []string{"--replica-announce-ip", host, "--replica-announce-port", port}
		if i > 0 {
			more = append(more, "--replicaof", strings.Replace(outward[0], ":", " ", 1))
		}
		s, err := addRedis(c, ports[i], p, o, more...)
		if err != nil {
			return err
		}
		s.peers, s.announced = between, address
	}
	for i, s := range c.servers {
		if err := s.addSentinel(c, ports[n+i], outward[0], p); err != nil {
			return err
		}
	}
	c.leader = func() (int, bool) { return masterOf(c.servers) }
	c.answers = func(s *server) error { return watched(c.servers, s) }
	return nil
}

// addSentinel adds a Sentinel to a server, which watches the master.
func (s *server) addSentinel(c *cluster, port int, master string, p models.Params) error {
	quorum := p.Int("quorum")
	if quorum == 0 {
		quorum = p.Int("servers")/2 + 1
	}
	host, of, _ := net.SplitHostPort(master)
	text := fmt.Sprintf(`bind 127.0.0.1
port %d
sentinel monitor %s %s %s %d
sentinel down-after-milliseconds %s %d
sentinel failover-timeout %s %d
`, port, masterName, host, of, quorum, masterName, p.Duration("down-after").Milliseconds(), masterName, p.Duration("failover-timeout").Milliseconds())
	file := filepath.Join(c.dir, fmt.Sprintf("sentinel-%d.conf", port)) // which it writes to
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		return err
	}
	s.sentinel = local(port)
	dir := filepath.Join(c.dir, fmt.Sprintf("sentinel-%d", port))
	s.programs = append(s.programs, &program{dir: dir, args: []string{"redis-server", file, "--sentinel"}})
	return nil
}

// masterName is how Sentinels call the master.
const masterName = "fencepost"

// quiet is a log of go-redis that nobody reads: it tells of each server that does not answer yet.
type quiet struct{}

func (quiet) Printf(context.Context, string, ...any) {}

func init() { goredis.SetLogger(quiet{}) }

// ask sends a command to a Redis or a Sentinel.
func ask(address string, command ...any) *goredis.Cmd {
	client := goredis.NewClient(&goredis.Options{Addr: address, MaxRetries: -1, DialerRetries: 1, DialTimeout: time.Second, ReadTimeout: time.Second})
	defer client.Close()
	return client.Do(context.Background(), command...)
}

// masterOf asks who is the master.
func masterOf(servers []*server) (int, bool) {
	for i, s := range servers {
		if role, err := ask(s.address, "ROLE").Slice(); err == nil && len(role) > 0 && role[0] == "master" {
			return i, true
		}
	}
	return 0, false
}

// watched fails unless the Sentinel beside a server knows all others and all replicas, and a replica has what
// the master has.
func watched(servers []*server, s *server) error {
	all := fmt.Sprintf("status=ok,address=%s,slaves=%d,sentinels=%d", servers[0].announced, len(servers)-1, len(servers))
	if err := says(all, s.sentinel, "sentinel"); err != nil || s == servers[0] {
		return err
	}
	return says("master_link_status:up", s.address, "replication")
}

// says fails unless a line stands in what a Redis or a Sentinel tells of itself.
func says(line, address, section string) error {
	text, err := ask(address, "INFO", section).Text()
	if err == nil && !strings.Contains(text, line) {
		err = fmt.Errorf("it does not say %q yet: %s", line, text)
	}
	return err
}

// isOurs fails unless the Redis that answers is the process that was started, with the library that moves its
// clock if there is one.
func isOurs(s *server) error {
	pid := s.programs[0].process.Process.Pid
	if err := says(fmt.Sprintf("process_id:%d\r\n", pid), s.address, "server"); err != nil || s.clock == nil {
		return err
	}
	maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", pid))
	if err == nil && !strings.Contains(string(maps), s.clock.file) {
		err = errors.New("it does not go by the clock that is moved")
	}
	return err
}

// goesBy fails unless a Redis says that its clock is ahead by so much, give or take a second.
func goesBy(s *server, ahead time.Duration) error {
	told, err := ask(s.address, "TIME").StringSlice()
	if err != nil {
		return err
	}
	seconds, err := strconv.ParseInt(told[0], 10, 64)
	if off := time.Since(time.Unix(seconds, 0).Add(-ahead)); err == nil && off.Abs() > 2*time.Second {
		err = fmt.Errorf("the clock of %s does not follow: it is %v from where it is to be", s.address, off)
	}
	return err
}
