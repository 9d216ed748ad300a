package hazelcast

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"fencepost/models"
)

// The kinds of lock, by their place among the choices.
const (
	fencedLock = iota
	imapLock
)

// persistenceParam says what CP members keep. Without it, as by default, a member that has crashed
// cannot come back, and a group that has lost its majority is lost (com.hazelcast.config.cp,
// CPSubsystemConfig.java, setPersistenceEnabled; Hazelcast reference manual, CP Subsystem
// Persistence, which is a feature of the Enterprise edition).
var persistenceParam = models.Param{Name: "persistence", Unit: models.Choice, Choices: []string{"off", "on"},
	Doc: "with kind: fenced, whether members keep their log and their votes on disk (persistence-enabled) and come back with them, or stay away once they have crashed"}

// persistent reports whether members come back with what they had.
func persistent(p models.Params) bool {
	return p.Choice("kind") == fencedLock && p.Choice(persistenceParam.Name) > 0
}

var params = []models.Param{
	models.TTL(300*time.Second, time.Second, "session TTL (CPSubsystemConfig, session-time-to-live-seconds)"),
	{Name: "kind", Unit: models.Choice, Default: fencedLock, Choices: []string{"fenced", "imap"},
		Doc: "FencedLock of the CP Subsystem, or the lock of a map, which both sides of a split go on to grant"},
	{Name: "heartbeat", Unit: models.Duration, Default: int64(5 * time.Second), Min: int64(time.Millisecond),
		Doc: "between two heartbeats of a session (session-heartbeat-interval-seconds), or of members (hazelcast.heartbeat.interval.seconds)"},
	{Name: "servers", Unit: models.Count, Default: 3, Min: 1, Max: 7, Doc: "members; of FencedLock's a majority is needed"},
	persistenceParam,
	{Name: "timeout", Unit: models.Duration, Default: int64(callTimeout), Min: int64(time.Millisecond),
		Doc: "how long the library waits for a silent member before it asks another (hazelcast.operation.call.timeout.millis)"},
	{Name: "no-heartbeat", Unit: models.Duration, Default: int64(time.Minute), Min: int64(time.Second),
		Doc: "with kind: imap, the silence after which a member or a holder is gone (hazelcast.max.no.heartbeat.seconds)"},
	{Name: "lease", Unit: models.Duration, Doc: "with kind: imap, the lease of the lock; 0 is none"},
	{Name: "merge-first", Unit: models.Duration, Default: int64(300 * time.Second), Min: int64(time.Second),
		Doc: "with kind: imap, when the two sides of a split first look for each other (hazelcast.merge.first.run.delay.seconds)"},
	{Name: "merge-next", Unit: models.Duration, Default: int64(120 * time.Second), Min: int64(time.Second),
		Doc: "and how often from then on (hazelcast.merge.next.run.delay.seconds)"},
}

// validate refuses sessions that end between two heartbeats, as CPSubsystemConfig does.
func validate(p models.Params) error {
	if p.Choice("kind") == imapLock && p.Choice(persistenceParam.Name) > 0 {
		return errors.New("persistence: on is of the CP Subsystem: a map's lock is in memory; it needs kind: fenced")
	}
	name := [...]string{"ttl", "no-heartbeat"}[p.Choice("kind")]
	if silence, beat := p.Duration(name), p.Duration("heartbeat"); silence <= beat {
		return fmt.Errorf("%s %v must be longer than heartbeat %v: raise %s or lower heartbeat", name, silence, beat, name)
	}
	return nil
}

var steps = slices.Concat(models.StepsOfAcquire, []models.Step{
	{Name: "session.create", Doc: "with kind: fenced, a new session is needed: it has not been asked for"},
	{Name: "heartbeat.send", Doc: "a heartbeat is due: nothing has been sent"},
	{Name: "heartbeat.reply", Doc: "the reply to a heartbeat is in and has not been looked at"},
})
