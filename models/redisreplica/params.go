package redisreplica

import (
	"fmt"
	"time"

	"fencepost/models"
	"fencepost/models/redis"
)

var params = []models.Param{
	{Name: "servers", Unit: models.Count, Default: 3, Min: 2, Max: 9, Doc: "hosts, each with a server and a Sentinel; the first server is the master, the others are its replicas"},
	{Name: "quorum", Unit: models.Count, Doc: "Sentinels that must find the master down; 0 is a majority"},
	{Name: "down-after", Unit: models.Duration, Default: int64(30 * time.Second), Min: int64(100 * time.Millisecond), Doc: "silence after which a Sentinel finds a server down (sentinel.c, down-after-milliseconds)"},
	{Name: "failover-timeout", Unit: models.Duration, Default: int64(3 * time.Minute), Min: int64(time.Second), Doc: "how long a failover may take; the next attempt comes after twice that (sentinel.c)"},
	{Name: "wait-replicas", Unit: models.Count, Min: -1, Doc: "replicas that must have acknowledged a lock; 0 is the client's own: bare and redislock none, " +
		"redisson one if any is connected (checkLockSyncedSlaves); -1 is not to ask"},
	{Name: "wait-timeout", Unit: models.Duration, Default: int64(time.Second), Min: int64(time.Millisecond), Doc: "how long WAIT waits for them (Redisson's slavesSyncTimeout)"},
	{Name: "min-replicas", Unit: models.Count, Doc: "replicas without which a master runs no write (redis.conf, min-replicas-to-write); 0 is off, the default"},
	{Name: "min-replicas-max-lag", Unit: models.Duration, Default: int64(10 * time.Second), Min: int64(time.Second), Doc: "how old a replica's last acknowledgement may be for it to count, in whole seconds (redis.conf)"},
}

func validate(p models.Params) error {
	servers := p.Int("servers")
	switch {
	case p.Int("quorum") > servers:
		return fmt.Errorf("quorum: %d Sentinels never agree where there are servers: %d", p.Int("quorum"), servers)
	case p.Int("wait-replicas") >= servers:
		return fmt.Errorf("wait-replicas: %d is more than the replicas of servers: %d; at most %d", p.Int("wait-replicas"), servers, servers-1)
	case p.Int("min-replicas") >= servers:
		return fmt.Errorf("min-replicas: %d is more than the replicas of servers: %d; at most %d", p.Int("min-replicas"), servers, servers-1)
	}
	if err := redis.ValidateClient(p); err != nil {
		return err
	}
	if p.Int("wait-replicas") > 0 && !redis.SendsWait(p) {
		return fmt.Errorf("wait-replicas: %d does not go with client: redislock, which sends no WAIT: leave it 0", p.Int("wait-replicas"))
	}
	return nil
}

// waiting is how many replicas a client waits for.
type waiting int

const (
	forNone waiting = 0
	// forAny is Redisson's syncedEval: all that are connected are waited for, and one will do.
	forAny waiting = -1
)

// waitingOf reads what the client does by itself, or is told to do.
func waitingOf(p models.Params) waiting {
	switch n := p.Int("wait-replicas"); {
	case n > 0:
		return waiting(n)
	case n == 0 && redis.ChecksReplicas(p):
		return forAny
	}
	return forNone
}

// settings are the parameters, read once. Times of Sentinels are milliseconds.
type settings struct {
	quorum          int
	downAfter       int64
	failoverTimeout int64

	waiting     waiting
	waitTimeout time.Duration
	timeout     time.Duration // of a client's command
	goRedis     bool          // the clients are on go-redis

	minReplicas int
	maxLag      int64 // in seconds
}

func settingsOf(p models.Params) settings {
	quorum := p.Int("quorum")
	if quorum == 0 {
		quorum = p.Int("servers")/2 + 1
	}
	return settings{
		quorum:          quorum,
		downAfter:       p.Duration("down-after").Milliseconds(),
		failoverTimeout: p.Duration("failover-timeout").Milliseconds(),

		waiting:     waitingOf(p),
		waitTimeout: p.Duration("wait-timeout"),
		timeout:     redis.Timeout(p),
		goRedis:     redis.IsRedislock(p),

		minReplicas: p.Int("min-replicas"),
		maxLag:      int64(p.Duration("min-replicas-max-lag") / time.Second),
	}
}
