package raftkv

import (
	"fmt"
	"time"
)

// Timing is how fast the members of a cluster are, which is what lock systems that run on a
// replicated log differ in.
type Timing struct {
	// Tick is the time between two heartbeats of the leader.
	Tick time.Duration
	// ElectionTicks are the silent ticks after which a follower takes its leader for dead,
	// and those within which a leader must hear of a quorum.
	ElectionTicks int
	// Spread: a candidate's timeout is drawn from so many ticks, of which the first is
	// ElectionTicks.
	Spread int
	// RetryMin and RetryMax are for members that ask for votes again sooner than they give up
	// a silent leader: one that knows no leader does so after a time drawn from between these
	// two, as often as it takes. 0 is after another election timeout, as in raft.
	RetryMin, RetryMax time.Duration
	// RequestTimeout is how long a member works on a request.
	RequestTimeout time.Duration
	// Volatile members keep their log in memory: writing takes no time, and who crashes has
	// lost it.
	Volatile bool
}

// CommitTime is ample for a commit by a healthy majority: what a lock that runs on a log allows
// for it in its takeover.
const CommitTime = 500 * time.Millisecond

// fewestElectionTicks keeps a quiet cluster, whose followers count up to two ticks between
// two heartbeats, far from an election.
const fewestElectionTicks = 5

// check refuses a timing with which a cluster of so many members does not work. Candidates
// that all wait for the same time may split the votes for ever.
func (t Timing) check(members int) {
	switch {
	case t.Tick <= 0 || t.ElectionTicks < fewestElectionTicks || t.RequestTimeout <= 0:
		panic(fmt.Sprintf("raftkv: timing %+v: it needs a tick, %d election ticks and a timeout", t, fewestElectionTicks))
	case t.Spread < 1 || t.Spread == 1 && members > 1:
		panic(fmt.Sprintf("raftkv: timing %+v: a spread of 2 or more has to tell candidates apart", t))
	case t.RetryMin < 0 || t.RetryMax < t.RetryMin || t.RetryMax > 0 && t.RetryMax == t.RetryMin:
		panic(fmt.Sprintf("raftkv: timing %+v: retries are drawn from a range", t))
	}
}
