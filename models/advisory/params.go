package advisory

import (
	"errors"
	"fmt"
	"time"

	"fencepost/models"
)

var params = []models.Param{
	{Name: "database", Unit: models.Choice, Choices: []string{"postgres", "mysql"}, Doc: "whose rules hold for sessions and for what a token survives"},
	{Name: "keepalive-idle", Unit: models.Duration, Default: int64(7200 * time.Second), Min: int64(time.Millisecond), Doc: "TCP keepalive: quiet time before the first probe (Linux, tcp_keepalive_time)"},
	{Name: "keepalive-interval", Unit: models.Duration, Default: int64(75 * time.Second), Min: int64(time.Millisecond), Doc: "from one probe to the next (tcp_keepalive_intvl)"},
	{Name: "keepalive-count", Unit: models.Count, Default: 9, Min: 1, Max: 100, Doc: "probes without an answer before the connection is dead (tcp_keepalive_probes)"},
	{Name: "check-interval", Unit: models.Duration, Doc: "how often a session that waits for the lock looks whether its connection is closed; 0 is never in postgres (client_connection_check_interval) and 1s in mysql (sql/mdl.cc)"},
	{Name: "idle-timeout", Unit: models.Duration, Doc: "quiet time after which a session is ended; 0 is never in postgres (idle_session_timeout) and 28800s in mysql (wait_timeout)"},
	{Name: "timeout", Unit: models.Duration, Doc: "how long a client waits for a reply, a wait for the lock included (socketTimeout of a driver); 0 is as long as keepalive needs"},
	{Name: "failover", Unit: models.Duration, Default: int64(60 * time.Second), Doc: "how long the standby waits for a silent primary before it takes its place (repmgr, reconnect_attempts 6 times reconnect_interval 10s); 0 is never"},
	fencingParam,
	{Name: "replication-lag", Unit: models.Duration, Doc: "how long a change takes before it is sent to the standby, which nobody waits for"},
	reconnectParam, tokenParam,
}

const mysql = 1

var fencingParam = models.Param{Name: "fencing", Unit: models.Choice, Choices: []string{"none", "standby-lost"},
	Doc: "what becomes of a primary that no longer hears its standby: it goes on until it meets its successor (repmgr's default), or it is stopped after half of failover (repmgr, child_nodes_disconnect_command), " +
		"also if only the standby has died and nobody takes over; with a third party, as Patroni has for its leader key, it could go on then"}

const fencedWhenStandbyLost = 1

// fencedBefore is the part of failover after which a primary is stopped: repmgr's
// child_nodes_disconnect_timeout is 30 s where its standby takes over after 60 s.
const fencedBefore = 2

var reconnectParam = models.Param{Name: "reconnect", Unit: models.Choice, Choices: []string{"error", "silent"},
	Doc: "what a driver does whose connection is lost: it returns an error, or connects anew and goes on in a session without the lock (such as MySQL's former MYSQL_OPT_RECONNECT)"}

const reconnectSilently = 1

var tokenParam = models.Param{Name: "token", Unit: models.Choice, Choices: []string{"none", "sequence"},
	Doc: "what the program sends as a fencing token: nothing, or the next value of a sequence, taken when it has the lock"}

const tokenSequence = 1

// config is what the parameters say, with the defaults of the database.
type config struct {
	mysql, silent, token     bool
	fencing                  bool
	idle, interval           time.Duration // keepalive
	count                    int
	check, quiet, timeout    time.Duration
	failover, replicationLag time.Duration
}

func configOf(p models.Params) config {
	c := config{
		mysql: p.Choice("database") == mysql, silent: p.Choice(reconnectParam.Name) == reconnectSilently,
		token: p.Choice(tokenParam.Name) == tokenSequence, fencing: p.Choice(fencingParam.Name) == fencedWhenStandbyLost,
		idle: p.Duration("keepalive-idle"), interval: p.Duration("keepalive-interval"), count: p.Int("keepalive-count"),
		check: p.Duration("check-interval"), quiet: p.Duration("idle-timeout"), timeout: p.Duration("timeout"),
		failover: p.Duration("failover"), replicationLag: p.Duration("replication-lag"),
	}
	if c.timeout == 0 {
		c.timeout = c.keepalive()
	}
	if c.mysql && c.check == 0 {
		c.check = time.Second
	}
	if c.mysql && c.quiet == 0 {
		c.quiet = 28800 * time.Second
	}
	return c
}

// keepalive is how long TCP needs to find out that the other end is silent.
func (c config) keepalive() time.Duration { return c.idle + time.Duration(c.count)*c.interval }

func validate(p models.Params) error {
	if f := p.Duration("failover"); f != 0 && f < pollsPerFailover*time.Millisecond {
		return fmt.Errorf("failover is %v: the standby needs a few milliseconds to ask the primary; 0 is never", f)
	}
	if p.Duration("replication-lag") > 0 && p.Duration("failover") == 0 {
		return errors.New("replication-lag means nothing with failover 0: leave it out, or let the standby take over")
	}
	if p.Choice(fencingParam.Name) == fencedWhenStandbyLost && p.Duration("failover") == 0 {
		return errors.New("fencing: standby-lost stops the primary for a standby that never takes over, with failover 0: leave it out, or let the standby take over")
	}
	return nil
}

// connectTimeout bounds the opening of a connection (PgJDBC, connectTimeout), connectPause is
// the pause after one that failed.
const (
	connectTimeout = 10 * time.Second
	connectPause   = time.Second
)

// takeover: the lock has no time to live, so it is free again when the server has given up
// the session of a silent holder: by keepalive, or earlier by the idle timeout. Or the holder
// lives and the server dies: then the next grant needs a standby that has taken over, waiters
// that have given up the old server, and a connection. Waiters that have died in the queue
// take their time one after the other, which is not in it.
func takeover(p models.Params) time.Duration {
	c := configOf(p)
	silent := c.keepalive()
	if c.quiet > 0 {
		silent = min(silent, c.quiet)
	}
	return max(silent, c.failover+c.failover/pollsPerFailover+c.timeout+connectTimeout+connectPause)
}
