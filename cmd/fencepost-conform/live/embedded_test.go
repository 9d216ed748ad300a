//go:build linux

package live

import (
	"fmt"
	"net/url"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"go.etcd.io/etcd/server/v3/embed"

	"fencepost/models"
)

// Members of an etcd cluster that need nothing to be installed: the server is embedded in this test's
// binary, one process for each, with small ticks.
const (
	embeddedHeartbeat = 10  // milliseconds
	embeddedElection  = 100 // likewise
)

// embeddedServers makes them, as etcdServers makes those of the installed etcd.
func embeddedServers(c *cluster, p models.Params, o setup) error {
	if err := etcdServers(c, p, o); err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	for _, s := range c.servers {
		flags := s.programs[0].args[1:]
		s.programs[0].args = append([]string{self, "etcd"}, flags...)
	}
	return nil
}

// serveEtcd is a member: it takes the flags of etcd that etcdServers gives.
func serveEtcd(args []string) error {
	flags := map[string]string{}
	for i := 0; i+1 < len(args); i += 2 {
		flags[strings.TrimPrefix(args[i], "--")] = args[i+1]
	}
	config := embed.NewConfig()
	config.Name, config.Dir, config.InitialCluster = flags["name"], flags["data-dir"], flags["initial-cluster"]
	config.TickMs, config.ElectionMs = embeddedHeartbeat, embeddedElection
	for name, to := range map[string]*[]url.URL{
		"listen-client-urls": &config.ListenClientUrls, "advertise-client-urls": &config.AdvertiseClientUrls,
		"listen-peer-urls": &config.ListenPeerUrls, "initial-advertise-peer-urls": &config.AdvertisePeerUrls,
	} {
		u, err := url.Parse(flags[name])
		if err != nil {
			return err
		}
		*to = []url.URL{*u}
	}
	config.LogLevel = "error"
	server, err := embed.StartEtcd(config)
	if err != nil {
		return err
	}
	defer server.Close()
	end := make(chan os.Signal, 1)
	signal.Notify(end, syscall.SIGTERM)
	select {
	case <-end:
		return nil
	case err := <-server.Err():
		return err
	}
}

// TestOnEmbeddedEtcd: Session and Mutex of clientv3 do in real time what the model says, without a guard and with
// fence-writes in both orders. Ten seconds, most of which it waits.
func TestOnEmbeddedEtcd(t *testing.T) {
	if testing.Short() {
		t.Skip("ten seconds")
	}
	rig := *rigs["etcd"]
	rig.serve = embeddedServers
	for i, name := range []string{
		"kleppmann etcd none", "kleppmann etcd fence-writes", "kleppmann etcd fence-reads-writes",
		"stale-write-in-between etcd fence-writes", "stale-write-in-between etcd fence-reads-writes",
	} {
		t.Run(strconv.Itoa(i)+" "+name, func(t *testing.T) {
			t.Parallel()
			p := *one(t, name)
			p.rig = &rig
			seen := &tally{}
			o, err := p.played(t.Context(), &bench{dir: t.TempDir(), Options: Options{Late: busy}}, 0)
			if err != nil {
				t.Fatal(err)
			}
			seen.add(o)
			simulated, err := p.simulated(t.Context(), 100)
			if err != nil {
				t.Fatal(err)
			}
			if differs := seen.differs(simulated, early, busy); len(differs) > 0 {
				t.Errorf("%s", fmt.Sprint(differs))
			}
		})
	}
}
