package redlock

import (
	"fmt"
	"time"

	"fencepost/models"
	"fencepost/models/redis"
)

// clientParam says whose client it is.
var clientParam = models.Param{Name: "client", Unit: models.Choice,
	Choices: []string{"spec", "antirez", "redsync", "node-v4", "node-v5", "redlock-rb", "redisson"},
	Doc: "whose client: the documentation's, antirez's redlock.rb, redsync v4, node-redlock 4.2.0 or 5.0.0-beta.2, " +
		"the gem redlock, or RedissonRedLock; the defaults of other parameters depend on it"}

// contextParam has the name of go-redis's option.
var contextParam = models.Param{Name: "context-timeout", Unit: models.Choice, Choices: []string{"off", "on"},
	Doc: "client redsync: whether the context of an attempt, which ends after 5% of the TTL, ends the wait for a reply as well; " +
		"off is go-redis's default, on its ContextTimeoutEnabled and what rueidis does"}

// validParam says how a program asks whether it still has the lock. Redsync's Valid asks every server
// for the key, waits for all of them (or with FailFast for a majority) and answers yes if a majority
// has it, without another look at its clock; it is deprecated in favour of Until, and still does that
// (go-redsync/redsync mutex.go, ValidContext; issue 72).
var validParam = models.Param{Name: "valid", Unit: models.Choice, Choices: []string{"until", "query"},
	Doc: "client redsync: how the program asks whether it still has the lock: it compares its clock with Until, or calls Valid, which asks all servers and looks at no clock"}

const validByQuery = 1

// ofClient declares a parameter of which the first value is what the client does.
func ofClient(name, doc string, others ...string) models.Param {
	return models.Param{Name: name, Unit: models.Choice, Choices: append([]string{"client"}, others...), Doc: doc + "; client: as that client does it"}
}

// params declares the parameters.
func params() []models.Param {
	return []models.Param{
		clientParam,
		{Name: "ttl", Unit: models.Duration, Doc: "time to live of the keys; 0 is the client's own: redsync 8s, redisson 30s (lockWatchdogTimeout), " +
			"the others the documentation's example of 10s"},
		redis.WatchdogParam,
		{Name: "servers", Unit: models.Count, Default: 5, Min: 1, Max: 99, Doc: "independent servers; a majority is needed"},
		{Name: "drift", Unit: models.Millionths, Default: 10_000, Max: 1_000_000, Doc: "share of the TTL that is allowed for clock drift; redisson allows none"},
		{Name: "drift-fixed", Unit: models.Duration, Default: int64(2 * time.Millisecond), Doc: "fixed part of the allowance; redsync and redisson have none"},
		{Name: "timeout", Unit: models.Duration, Doc: "how long to wait for each server's reply; 0 is the client's own: spec 50ms, antirez 5s, " +
			"redsync 5s (go-redis, ReadTimeout), redlock-rb 100ms, redisson 3s, node-v4 and node-v5 until TCP gives up"},
		contextParam, validParam,
		{Name: "command-retries", Unit: models.Count, Min: -1, Max: 100, Doc: "how often a request without a reply is sent again; 0 is the client's own: " +
			"redsync 3 (go-redis, MaxRetries) until the context ends, redisson 4 for renewals and leases, the others never; -1 is never"},
		redis.BackoffParam,
		ofClient("order", "whom an attempt asks", "parallel", "sequential"),
		ofClient("replies", "when an attempt is over: when all have answered or run into the timeout, or when a majority has said yes or no (redsync's FailFast)", "all", "quorum"),
		ofClient("elapsed-check", "whether an attempt is refused that has left no validity", "on", "off"),
		ofClient("clock", "with which of its clocks the client measures", "monotonic", "wall"),
		ofClient("start", "from when the validity counts: each attempt, or the first (node-redlock 5.0.0-beta.2)", "attempt", "call"),
		ofClient("value", "how often the random value is drawn", "attempt", "call"),
		ofClient("undo", "when a failed attempt is given back: each at once, or what is left after the last", "each", "last"),
		ofClient("extend-sets", "whether an extension sets the key on servers that have none (redsync's SetNXOnExtend)", "no", "yes"),
		{Name: "using", Unit: models.Choice, Choices: []string{"no", "yes"}, Doc: "with client: node-v5, the section runs in using(), which extends by itself and aborts a signal"},
		{Name: "token", Unit: models.Choice, Choices: []string{"none", "client-counter"}, Doc: "a number that passes for a fencing token: none, or a counter in the client's own memory"},
		redis.PersistenceParam, redis.ExpiryClockParam,
		{Name: "restart-delay", Unit: models.Duration, Doc: "for how long a server that comes back answers nothing, on its own clock; the documentation asks for more than the longest TTL"},
		{Name: "restart-delay-clock", Unit: models.Choice, Choices: []string{"monotonic", "wall"}, Doc: "by which of its clocks the server measures restart-delay"},
		{Name: "retry-base", Unit: models.Duration, Doc: "delay before the second attempt; it doubles with every further one; 0 is the client's own delays: spec and redsync 50ms to 250ms, " +
			"antirez 0 to 199ms, node-v4 and node-v5 100ms to 299ms, redlock-rb 200ms to 249ms"},
		{Name: "retry-max", Unit: models.Duration, Doc: "with retry-base, what the delay grows to; never less than that"},
		{Name: "retry-jitter", Unit: models.Duration, Doc: "with retry-base, a delay is longer by up to this much, drawn evenly"},
		{Name: "attempts", Unit: models.Count, Doc: "attempts before the client gives up; 0 is the client's own: antirez 3, redsync 32, node-v4 and node-v5 11, redlock-rb 4, spec and redisson no end"},
	}
}

// shortestTTL leaves something of a TTL when 2 ms are allowed for drift.
const shortestTTL = 10 * time.Millisecond

// validate implements [models.Description.Validate].
func validate(p models.Params) error {
	client := clientLibrary(p.Choice(clientParam.Name))
	if ttl := p.Duration("ttl"); ttl > 0 && ttl < shortestTTL {
		return fmt.Errorf("ttl %v is too short: at least %v, or 0 for the client's own", ttl, shortestTTL)
	}
	for _, name := range []string{"retry-max", "retry-jitter"} {
		if p.Duration(name) > 0 && p.Duration("retry-base") == 0 {
			return fmt.Errorf("%s without retry-base, which then is the client's own delays: set retry-base, too", name)
		}
	}
	if p.Choice("using") > 0 {
		if client != nodeV5 {
			return fmt.Errorf("using: yes with client: %s, which has no such function: set client: node-v5", clientParam.Choices[client])
		}
		if least, ttl := extendAhead+100*time.Millisecond, behaviourOf(p).ttl; ttl < least {
			return fmt.Errorf("using: yes with ttl %v: using() needs at least %v", ttl, least)
		}
	}
	if p.Choice(contextParam.Name) > 0 && client != redsync {
		return fmt.Errorf("context-timeout: on with client: %s, which has no context: it needs client: redsync", clientParam.Choices[client])
	}
	if p.Choice(validParam.Name) == validByQuery && client != redsync {
		return fmt.Errorf("valid: query with client: %s, which has no such call: it needs client: redsync", clientParam.Choices[client])
	}
	if p.Int("command-retries") > 0 && clients[client].resends == 0 {
		return fmt.Errorf("command-retries with client: %s, which sends nothing again: leave it 0", clientParam.Choices[client])
	}
	if p.Duration(redis.BackoffParam.Name) > 0 && client != redsync {
		return fmt.Errorf("command-backoff with client: %s: it is that of go-redis, and needs client: redsync", clientParam.Choices[client])
	}
	if p.Choice("extend-sets") > 0 && clients[client].extension.none {
		return fmt.Errorf("extend-sets with client: %s, which cannot extend: leave it out", clientParam.Choices[client])
	}
	if client == redisson {
		return validateRedisson(p)
	}
	return nil
}

// validateRedisson refuses what RedissonRedLock has no place for.
func validateRedisson(p models.Params) error {
	for _, name := range []string{"order", "replies", "elapsed-check", "clock", "start", "value", "undo", "retry-base", "attempts"} {
		if p[name] != 0 {
			return fmt.Errorf("%s with client: redisson, which has a protocol of its own: leave it out", name)
		}
	}
	return nil
}
