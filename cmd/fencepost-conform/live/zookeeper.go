//go:build linux

package live

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"fencepost/models"
)

// zookeeperJar is where Debian's package has it; its manifest names what else it needs.
const zookeeperJar = "/usr/share/java/zookeeper.jar"

// zookeeperServers makes an ensemble. Its Java is told to compile and to collect in the cheapest way, since several
// runs share a small machine.
func zookeeperServers(c *cluster, p models.Params, _ setup) error {
	n := p.Int("servers")
	ports, err := freePorts(3 * n)
	if err != nil {
		return err
	}
	// initLimit and syncLimit are those of the sample that ZooKeeper comes with (zoo_sample.cfg).
	config := fmt.Sprintf("tickTime=%d\ninitLimit=10\nsyncLimit=5\nadmin.enableServer=false\n4lw.commands.whitelist=srvr\n", p.Duration("tick-time").Milliseconds())
	if n > 1 {
		for i := range n {
			config += fmt.Sprintf("server.%d=127.0.0.1:%d:%d\n", i+1, ports[n+i], ports[2*n+i])
		}
	}
	for i := range n {
		dir := filepath.Join(c.dir, fmt.Sprintf("zookeeper-%d", i+1))
		data := filepath.Join(dir, "data")
		if err := os.MkdirAll(data, 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(data, "myid"), []byte(fmt.Sprint(i+1)), 0o644); err != nil {
			return err
		}
		file := filepath.Join(dir, "zoo.cfg")
		own := fmt.Sprintf("dataDir=%s\nclientPort=%d\nclientPortAddress=127.0.0.1\n", data, ports[i])
		if err := os.WriteFile(file, []byte(config+own), 0o644); err != nil {
			return err
		}
		c.add(local(ports[i])).runs(nil, "java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", zookeeperJar, "org.apache.zookeeper.server.quorum.QuorumPeerMain", file)
	}
	c.answers = func(s *server) error { _, err := zookeeperMode(s.address); return err }
	c.leader = func() (int, bool) { return zookeeperLeader(c.servers) }
	return nil
}

// zookeeperMode asks a server what it is, with the command srvr; it fails if that does not serve yet, which
// is some time after it listens.
func zookeeperMode(address string) (string, error) {
	conn, err := net.DialTimeout("tcp", address, time.Second)
	if err != nil {
		return "", err
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(time.Second))
	if _, err := conn.Write([]byte("srvr")); err != nil {
		return "", err
	}
	text, err := io.ReadAll(conn)
	if err != nil {
		return "", err
	}
	_, after, found := strings.Cut(string(text), "Mode: ")
	if !found {
		return "", errors.New("it does not serve yet")
	}
	mode, _, _ := strings.Cut(after, "\n")
	return mode, nil
}

func zookeeperLeader(servers []*server) (int, bool) {
	for i, s := range servers {
		if mode, err := zookeeperMode(s.address); err == nil && mode == "leader" {
			return i, true
		}
	}
	return 0, false
}
