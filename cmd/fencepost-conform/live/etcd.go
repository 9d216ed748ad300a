//go:build linux

package live

import (
	"context"
	"fmt"
	"strings"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"fencepost/models"
)

// etcdServers makes the members of a cluster, with etcd's own heartbeat and election timeout.
func etcdServers(c *cluster, p models.Params, _ setup) error {
	n := p.Int("servers")
	ports, err := freePorts(2 * n)
	if err != nil {
		return err
	}
	url := func(port int) string { return "http://" + local(port) }
	var members []string
	for i := range n {
		members = append(members, fmt.Sprintf("m%d=%s", i, url(ports[n+i])))
	}
	for i := range n {
		c.add(local(ports[i])).runs(nil, "etcd", "--name", fmt.Sprintf("m%d", i), "--data-dir", "data",
			"--listen-client-urls", url(ports[i]), "--advertise-client-urls", url(ports[i]),
			"--listen-peer-urls", url(ports[n+i]), "--initial-advertise-peer-urls", url(ports[n+i]),
			"--initial-cluster", strings.Join(members, ","))
	}
	c.answers = func(s *server) error { _, err := etcdStatus(s.address); return err }
	c.leader = func() (int, bool) { return etcdLeader(c.servers) }
	return nil
}

// etcdStatus asks a member how it is; it fails if that knows no leader.
func etcdStatus(address string) (*clientv3.StatusResponse, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	client, err := clientv3.New(clientv3.Config{Context: ctx, Endpoints: []string{address}, Logger: zap.NewNop()})
	if err != nil {
		return nil, err
	}
	defer client.Close()
	status, err := client.Status(ctx, address)
	if err == nil && status.Leader == 0 {
		err = fmt.Errorf("%s has no leader", address)
	}
	return status, err
}

func etcdLeader(servers []*server) (int, bool) {
	for i, s := range servers {
		if status, err := etcdStatus(s.address); err == nil && status.Leader == status.Header.MemberId {
			return i, true
		}
	}
	return 0, false
}
