package k8slease

import (
	"fmt"
	"time"

	"fencepost/models"
)

// Defaults that follow from others: a RenewDeadline of two thirds of the LeaseDuration and a
// RetryPeriod of a fifth of that are 10 s and 2 s for the 15 s of the core components
// (kubernetes/component-base config/v1alpha1/defaults.go,
// RecommendedDefaultLeaderElectionConfiguration).
const derived = "0 is "

var params = []models.Param{
	models.TTL(15*time.Second, time.Second, "LeaseDuration; the record has it in whole seconds, rounded down"),
	{Name: "renew-deadline", Unit: models.Duration, Doc: "RenewDeadline: how long the leader tries to renew; " + derived + "two thirds of ttl"},
	{Name: "retry-period", Unit: models.Duration, Doc: "RetryPeriod: from one attempt to the next; " + derived + "a fifth of renew-deadline"},
	{Name: "timeout", Unit: models.Duration, Doc: "timeout of one request; " + derived + "half of renew-deadline, and 1 s at least, as in resourcelock.NewFromKubeconfig"},
	{Name: "ttl-others", Unit: models.Duration, Doc: "LeaseDuration of all clients but the first; " + derived + "the first client's"},
	{Name: "renew-deadline-others", Unit: models.Duration, Doc: "their RenewDeadline; " + derived + "the first client's or, if ttl-others is given, two thirds of that"},
	{Name: "retry-period-others", Unit: models.Duration, Doc: "their RetryPeriod; " + derived + "the first client's or, if one of the two above is given, a fifth of their RenewDeadline"},
	expiryParam, askParam, releaseParam, identityParam, tokenParam,
}

// expiryParam says which lease duration a candidate waits out. Until Kubernetes 1.26 it was
// its own, whatever the record said (kubernetes/kubernetes pull request 114872).
var expiryParam = models.Param{Name: "expiry", Unit: models.Choice, Choices: []string{"record", "own"},
	Doc: "whose lease duration a candidate waits out: that in the record, or its own as before Kubernetes 1.27"}

const expiryByRecord = 0

// askParam says what the program asks when it wants to know whether it still leads.
var askParam = models.Param{Name: "ask", Unit: models.Choice, Choices: []string{"context", "is-leader", "both"},
	Doc: "what the program asks: whether its context is cancelled, the method IsLeader, or both"}

const (
	askContext = iota
	askIsLeader
	askBoth
)

// releaseParam is ReleaseOnCancel, which the core components leave unset; client-go's
// example sets it (examples/leader-election/main.go).
var releaseParam = models.Param{Name: "release-on-cancel", Unit: models.Choice, Choices: []string{"no", "yes"},
	Doc: "ReleaseOnCancel: whether a leader that stops gives the lease back, or lets it run out"}

const releaseOnCancel = 1

// identityParam says who a restarted process is. Core components add a random suffix to the
// host's name (cmd/kube-scheduler/app/server.go); the pod of a StatefulSet often gives
// its name alone.
var identityParam = models.Param{Name: "identity", Unit: models.Choice, Choices: []string{"process", "host"},
	Doc: "holderIdentity: new for each process, or the host's, which a restarted process has again"}

const identityOfProcess = 0

// tokenParam says what the program takes for a fencing token. client-go offers none: the package
// comment says that it does no fencing, so a token is only what a program makes one of.
var tokenParam = models.Param{Name: "token", Unit: models.Choice, Choices: []string{"none", "lease-transitions", "resource-version"},
	Doc: "what the program sends as a fencing token: nothing, leaseTransitions, which does not rise when an identity regains its own lease, or the resourceVersion of the update that made it leader"}

const (
	tokenNone = iota
	tokenTransitions
	tokenVersion
)

// config is a LeaderElectionConfig.
type config struct {
	lease, renew, retry, timeout time.Duration
	own                          bool // expiry
	ask, token                   int
	release                      bool
}

// configOf is the configuration of a client.
func configOf(p models.Params, client int) config {
	c := timing(p, client)
	c.timeout = p.Duration("timeout")
	if c.timeout == 0 {
		c.timeout = max(time.Second, c.renew/2)
	}
	c.own = p.Choice(expiryParam.Name) != expiryByRecord
	c.ask, c.token = p.Choice(askParam.Name), p.Choice(tokenParam.Name)
	c.release = p.Choice(releaseParam.Name) == releaseOnCancel
	return c
}

// timing fills in what is not given.
func timing(p models.Params, client int) config {
	c := config{lease: p.Duration("ttl"), renew: p.Duration("renew-deadline"), retry: p.Duration("retry-period")}
	if client > 0 {
		c = otherTiming(p, c)
	}
	if c.renew == 0 {
		c.renew = c.lease * 2 / 3
	}
	if c.retry == 0 {
		c.retry = c.renew / 5
	}
	return c
}

// otherTiming is what is given for the others than the first client. What is not is the
// first's, unless it follows from something that they have for themselves.
func otherTiming(p models.Params, first config) config {
	c := config{lease: p.Duration("ttl-others"), renew: p.Duration("renew-deadline-others"), retry: p.Duration("retry-period-others")}
	same := c.lease == 0
	if same {
		c.lease = first.lease
	}
	same = same && c.renew == 0
	if same {
		c.renew = first.renew
	}
	if same && c.retry == 0 {
		c.retry = first.retry
	}
	return c
}

// validate is what NewLeaderElector refuses (leaderelection.go), for both kinds of client.
func validate(p models.Params) error {
	for client, suffix := range [...]string{"", "-others"} {
		c := timing(p, client)
		switch {
		case c.lease < time.Second:
			return fmt.Errorf("ttl%s is %v: the record has whole seconds, so it is at least 1s", suffix, c.lease)
		case c.retry < time.Millisecond:
			return fmt.Errorf("retry-period%s is %v: it is at least 1ms, and so a fifth of renew-deadline%s if it is left out", suffix, c.retry, suffix)
		case c.lease <= c.renew:
			return fmt.Errorf("renew-deadline%s is %v and ttl%s %v: the lease must be the longer of the two; leave renew-deadline%s out for two thirds of it",
				suffix, c.renew, suffix, c.lease, suffix)
		case c.renew*10 <= c.retry*jitterTenths:
			return fmt.Errorf("retry-period%s is %v and renew-deadline%s %v: the deadline must be more than 1.2 times the period; leave retry-period%s out for a fifth of it",
				suffix, c.retry, suffix, c.renew, suffix)
		}
	}
	return nil
}

// jitterTenths is JitterFactor, 1.2: a candidate sleeps for the retry period and up to this
// many tenths of it more.
const jitterTenths = 12

// longestSleep is how long a candidate sleeps between two attempts at most.
func (c config) longestSleep() time.Duration { return c.retry + c.retry*jitterTenths/10 }

// takeover: a candidate sees the leader's last renewal at its first attempt after that, a
// longest sleep later at most; it waits the lease out, and is late by another sleep. What
// the requests take is left out.
func takeover(p models.Params) time.Duration {
	var lease, sleep time.Duration
	for client := range 2 {
		c := timing(p, client)
		lease, sleep = max(lease, c.lease), max(sleep, c.longestSleep())
	}
	return lease + 2*sleep
}
