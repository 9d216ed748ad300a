package etcd

import "fencepost/models"

// What versions of etcd differ in, as far as it changes who has the lock, and what an
// operator can switch on; the parameters for it. The defaults are those of 3.5.13 and later.

// clientParam is the version of the client library. Before 3.5.0 a waiter whose turn has
// come does not look whether its own key is still there, and takes the lock although its
// lease may have expired while it waited (etcd-io/etcd, issue 11456).
var clientParam = models.Param{Name: "client", Unit: models.Choice, Choices: []string{"3.5", "3.4"},
	Doc: "version of the client library: one before 3.5.0 does not look, when its turn comes, whether its own key is still there"}

const client34 = 1

// leaderCheckParam is whether the members know the check of leadership. Without it a
// leader that its disk holds up renews, and has others revoke, although it was replaced
// long ago (etcd-io/etcd, issues 12528 and 15247; pull request 16822).
var leaderCheckParam = models.Param{Name: "leader-check", Unit: models.Choice, Choices: []string{"on", "off"},
	Doc: "whether a member makes sure that it still leads before it renews or revokes a lease; off is 3.5.12, 3.4.30 and what came before"}

const leaderCheckOff = 1

// checkpointParam is the feature gates LeaseCheckpoint and LeaseCheckpointPersist, both off
// by default; from cluster version 3.6 on the second goes with the first
// (server/lease/lessor.go, shouldPersistCheckpoints).
var checkpointParam = models.Param{Name: "checkpoint", Unit: models.Choice, Choices: []string{"off", "on", "persist"},
	Doc: "whether the leader puts into the log what is left of leases of more than 5 min, so that its successor goes on from there; persist: a member that starts anew still knows"}

const (
	checkpointOff = iota
	checkpointOn
	checkpointPersist
)

// variant is the version of a member.
type variant struct {
	trusting   bool // it takes itself for the leader without a check
	checkpoint int
}

func variantOf(p models.Params) variant {
	return variant{
		trusting:   p.Choice(leaderCheckParam.Name) == leaderCheckOff,
		checkpoint: p.Choice(checkpointParam.Name),
	}
}

// looksForItsKey reports whether a waiter looks for its own key when its turn comes.
func (l *library) looksForItsKey() bool {
	return l.system.env.Params.Choice(clientParam.Name) != client34
}
