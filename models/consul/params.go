package consul

import (
	"errors"
	"time"

	"fencepost/models"
	"fencepost/models/raftkv"
)

// The range of a session's TTL (agent/consul/config.go, SessionTTLMin; agent/structs,
// SessionTTLMax).
const (
	minTTL = 10 * time.Second
	maxTTL = 24 * time.Hour
)

// maxLockDelay is structs.MaxLockDelay.
const maxLockDelay = time.Minute

// Values of the parameters that are words.
const (
	releaseKeys = iota
	deleteKeys
)

const (
	checkSerf = iota
	checkNone
)

const (
	agentOwnProcess = iota
	agentSameHost
)

const (
	viaAgent = iota
	viaServer
)

const (
	tokenLockIndex = iota
	tokenModifyIndex
)

const (
	deadlineNone = iota
	deadlineTTL
)

const (
	restoreLog = iota
	restoreSnapshot
)

var params = []models.Param{
	ttlParam(),
	{Name: "servers", Unit: models.Count, Default: 3, Min: 1, Max: 9,
		Doc: "servers; a majority is needed"},
	{Name: "raft-multiplier", Unit: models.Count, Default: 5, Min: 1, Max: 10,
		Doc: "scales raft's times, of which the heartbeat and the election timeout are 1 s at 1; Consul advises 1 for production"},
	{Name: "lock-delay", Unit: models.Duration, Default: int64(15 * time.Second), Max: int64(maxLockDelay),
		Doc: "how long a key is refused after the end of a session that held it; 0 is off"},
	{Name: "behavior", Unit: models.Choice, Choices: []string{"release", "delete"},
		Doc: "what the end of a session does to the key that it holds"},
	{Name: "checks", Unit: models.Choice, Choices: []string{"serf", "none"},
		Doc: "whether a session ends with the gossip's good opinion of its client's agent"},
	{Name: "agent", Unit: models.Choice, Choices: []string{"own-process", "same-host"},
		Doc: "what a pause of a client stops: its process alone, while the agent beside it answers probes, or the whole machine"},
	{Name: "via", Unit: models.Choice, Choices: []string{"agent", "server"},
		Doc: "what the program's client has connected to: the agent beside it, which finds a dead connection within 40 s, or a server (CONSUL_HTTP_ADDR), where TCP does in 5 min; needs checks: none, since no agent of its own has the session"},
	{Name: "token", Unit: models.Choice, Choices: []string{"lock-index", "modify-index"},
		Doc: "the number that the application takes for its fencing token"},
	{Name: "monitor-retries", Unit: models.Count,
		Doc: "errors in a row that the monitor of the lock rides out, 2 s apart (LockOptions.MonitorRetries)"},
	{Name: "deadline", Unit: models.Choice, Choices: []string{"none", "ttl"},
		Doc: "whether the application stops by itself when no renewal was answered for a TTL"},
	{Name: "restore", Unit: models.Choice, Choices: []string{"log", "snapshot"},
		Doc: "what a server starts from: the log, which it applies again, or a snapshot of all that it had applied"},
}

func ttlParam() models.Param {
	p := models.TTL(15*time.Second, minTTL, "TTL of the session; Consul keeps it for twice as long (api/lock.go, DefaultLockSessionTTL)")
	p.Max = int64(maxTTL)
	return p
}

var steps = append(append([]models.Step{}, models.StepsOfAcquire...),
	models.Step{Name: "session.create", Doc: "Lock was called: its session has not been asked for"},
	models.Step{Name: "wait", Doc: "the key is held: the blocking read for its release has not been sent"},
	models.Step{Name: "refused", Doc: "the key is free and was refused: a lock-delay is in force, the client sleeps for 5 s"},
	models.Step{Name: "renew.send", Doc: "half a TTL has passed, or a second since a renewal failed: the next has not been sent"},
	models.Step{Name: "renew.reply", Doc: "the reply to a renewal is in, and has not been looked at"},
	models.Step{Name: "lost", Doc: "the monitor is about to close the channel that tells of the loss"},
)

// timing derives raft's timing from the multiplier. Heartbeats are a tenth to two tenths of
// the heartbeat timeout apart; a follower's timeout is drawn between that and its double
// (hashicorp/raft, replication.go, heartbeat; raft.go, runFollower, randomTimeout).
func timing(multiplier int) raftkv.Timing {
	return raftkv.Timing{
		Tick:           time.Duration(multiplier) * time.Second / electionTicks,
		ElectionTicks:  electionTicks,
		Spread:         electionTicks,
		RequestTimeout: rpcHold,
	}
}

const electionTicks = 10

// electionTime is ample for an election: a silence of up to two timeouts, and as long again
// if the first vote splits.
func electionTime(p models.Params) time.Duration {
	return 4 * time.Duration(p.Int("raft-multiplier")) * time.Second
}

// reconnectTime is what it takes a client to find its connection dead, and one more.
const reconnectTime = keepAlive + 2*connectTimeout + rpcHold

// reconnect is the same for the client of a program.
func reconnect(p models.Params) time.Duration { return reconnectTime - connectTimeout + patience(p) }

// validate refuses a session without an agent that ends with one.
func validate(p models.Params) error {
	if p.Choice("via") == viaServer && p.Choice("checks") != checkNone {
		return errors.New("via: server has no agent by whose health a session could end: it needs checks: none")
	}
	return nil
}

// quietTakeover is how long a silent holder keeps others out if the leader stays: twice
// the TTL, the commit of the session's end, the lock-delay, and the sleep of a waiter who
// was refused just before that was over.
func quietTakeover(p models.Params) time.Duration {
	return multiplier*p.Duration("ttl") + raftkv.CommitTime + p.Duration("lock-delay") + lockRetry
}

// takeover is the bound that holds if the leader changes once while the holder is silent: at
// worst when the session is about to expire, and its successor arms every timer in full
// again. The waiter may have to find out that its own server is gone, for which there is
// time while the timer runs. It may lose its session by that, and begin anew.
func takeover(p models.Params) time.Duration {
	ttl := p.Duration("ttl")
	return multiplier*ttl + electionTime(p) + max(0, reconnect(p)-multiplier*ttl) + lockRetry + quietTakeover(p)
}
