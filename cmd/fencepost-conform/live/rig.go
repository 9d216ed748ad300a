//go:build linux

package live

import (
	"maps"
	"os"
	"os/exec"

	"fencepost/models"
)

// rig is a lock system as it is tried: real servers, a real client library, and the model of both.
type rig struct {
	library string // of the workers
	lock    string // of fencepost
	// params are those of the model that make it that library.
	params map[string]string
	renews bool     // the library prolongs a lock when it is told to
	needs  []string // programs and files
	// modules are those of the library, and version says that of the servers.
	modules []string
	version func() string
	serve   func(c *cluster, p models.Params, o setup) error
}

// setup is what servers are made with.
type setup struct {
	clock string // the library that moves wall clocks; empty if none is moved
}

// rigs are all that are tried.
var rigs = map[string]*rig{
	"redis":         onRedis(rig{library: "redislock", lock: "redis", params: redislockParams, modules: redislockModules, serve: redisServers}),
	"redis-bare":    onRedis(rig{library: "go-redis", lock: "redis", params: map[string]string{"command-retries": "3"}, modules: []string{goRedis}, serve: redisServers}),
	"redis-replica": onRedis(rig{library: "redislock", lock: "redis-replica", params: redislockParams, modules: redislockModules, serve: sentinelServers}),
	"redlock": onRedis(rig{library: "redsync", lock: "redlock", serve: redisServers,
		params:  map[string]string{"client": "redsync", "context-timeout": "on"},
		modules: []string{"github.com/go-redsync/redsync/v4", goRedis}}),
	"etcd": {library: "concurrency", lock: "etcd", serve: etcdServers,
		needs: []string{"etcd"}, modules: []string{"go.etcd.io/etcd/client/v3"}, version: said("etcd", "etcd", `etcd Version: (\S+)`)},
	"zookeeper": {library: "go-zookeeper", lock: "zookeeper", serve: zookeeperServers, params: map[string]string{"recipe": "plain"},
		needs: []string{"java", zookeeperJar}, modules: []string{"github.com/go-zookeeper/zk"}, version: zookeeperVersion},
}

// goRedis is the module of the client below the libraries.
const goRedis = "github.com/redis/go-redis/v9"

// redislock asks once by default, here as long as its own limit of one TTL lets it.
var (
	redislockParams  = map[string]string{"client": "redislock", "attempts": "1000"}
	redislockModules = []string{"github.com/bsm/redislock", goRedis}
)

// onRedis adds what all rigs on Redis have.
func onRedis(r rig) *rig {
	r.renews, r.needs, r.version = true, []string{"redis-server"}, said("Redis", "redis-server", `v=(\S+)`)
	return &r
}

// missing says what is not there that a rig needs; empty if all is.
func (r *rig) missing() (all []string) {
	for _, program := range r.needs {
		if _, err := exec.LookPath(program); err != nil {
			if _, err := os.Stat(program); err != nil {
				all = append(all, program)
			}
		}
	}
	return all
}

// tuned is a lock whose parameters have other defaults.
type tuned struct {
	models.Lock
	defaults map[string]string
}

// Describe implements [models.Lock].
func (l tuned) Describe() models.Description {
	d := l.Lock.Describe()
	all := d.Params
	d.Params = nil
	for _, p := range all {
		if text, ok := l.defaults[p.Name]; ok {
			v, err := p.Parse(text)
			if err != nil {
				panic(err) // the table of cases is wrong
			}
			p.Default = v
		}
		d.Params = append(d.Params, p)
	}
	return d
}

// both are the settings of a rig and of a case.
func both(a, b map[string]string) map[string]string {
	all := map[string]string{}
	maps.Copy(all, a)
	maps.Copy(all, b)
	return all
}
