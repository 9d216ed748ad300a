package redisreplica

import "fencepost/sim/network"

// failover is how far a Sentinel has come with one.
type failover struct {
	state    failoverState
	since    int64 // of the state
	epoch    int64
	start    int64 // of the last one, also another's for which the Sentinel voted
	promoted int
}

type failoverState uint8

const (
	failoverNone failoverState = iota
	failoverVote
	failoverSelect
	failoverPromote
	failoverReconfigure
	failoverSwitch
)

func (f *failover) enter(s failoverState, now int64) { f.state, f.since = s, now }

// judge is the part of sentinelHandleRedisInstance that a Sentinel in TILT leaves out.
func (b *box) judge(now int64) {
	s := &b.sentinel
	for i := range s.servers {
		b.judgeDown(i, now)
	}
	b.judgeObjectively(now)
	if b.startIfNeeded(now) {
		b.ask(now, true)
	}
	b.goOn(now)
	b.ask(now, false)
	if s.failover.state == failoverSwitch {
		b.switchTo(s.failover.promoted)
	}
}

// judgeDown is sentinelCheckSubjectivelyDown.
func (b *box) judgeDown(i int, now int64) {
	s, in := &b.sentinel, &b.sentinel.servers[i]
	silent := in.unanswered != 0 && now-in.unanswered > b.system.downAfter
	replica := i == s.master && in.follows != nobody && now-in.followsFrom > b.system.downAfter+2*infoPeriod
	down := silent || replica
	if down && !in.down {
		in.downSince = now
	}
	in.down = down
}

// judgeObjectively is sentinelCheckObjectivelyDown. Opinions are valid for five periods.
func (b *box) judgeObjectively(now int64) {
	s := &b.sentinel
	opinions := 1
	for i := range s.peers {
		p := &s.peers[i]
		if now-p.answered > 5*askPeriod {
			p.saysDown = false
		}
		if p.saysDown {
			opinions++
		}
	}
	s.objectively = s.servers[s.master].down && opinions >= b.system.quorum
}

// startIfNeeded is sentinelStartFailoverIfNeeded: it opens an epoch, and starts the vote in
// up to a second.
func (b *box) startIfNeeded(now int64) bool {
	s := &b.sentinel
	f := &s.failover
	if !s.objectively || f.state != failoverNone || f.start != 0 && now-f.start < 2*b.system.failoverTimeout {
		return false
	}
	s.currentEpoch++
	f.epoch, f.start = s.currentEpoch, now+b.desync()
	f.enter(failoverVote, now)
	return true
}

func (b *box) desync() int64 { return b.random.Int64N(maxDesync) }

// ask asks the other Sentinels for their opinion of the master, and for their votes if there
// is a failover (sentinelAskMasterStateToOtherSentinels).
func (b *box) ask(now int64, forced bool) {
	s := &b.sentinel
	if !s.servers[s.master].down {
		return
	}
	body := network.Body{Op: opIsDown, Value: int64(s.master), Token: s.currentEpoch, Key: nobody}
	if s.failover.state != failoverNone {
		body.Key = int64(b.index)
	}
	for i := range s.peers {
		if p := &s.peers[i]; i != b.index && (forced || now-max(p.answered, p.asked) >= askPeriod) {
			p.asked = now
			b.send(i, body)
		}
	}
}

// giveOpinion is SENTINEL IS-MASTER-DOWN-BY-ADDR.
func (b *box) giveOpinion(m *network.Message) {
	s := &b.sentinel
	reply := network.Body{Op: opIsDownReply, Key: nobody}
	reply.OK = s.tilt == 0 && int(m.Value) == s.master && s.servers[s.master].down
	if m.Key != nobody && int(m.Value) == s.master {
		reply.Key, reply.Revision = int64(b.vote(m.Token, int(m.Key))), s.leaderEpoch
	}
	b.host.Reply(m, reply)
}

// vote is sentinelVoteLeader: one vote in an epoch, for whoever asks first. Who votes for
// another starts no failover for a while.
func (b *box) vote(epoch int64, candidate int) (leader int) {
	s := &b.sentinel
	s.currentEpoch = max(s.currentEpoch, epoch)
	if s.leaderEpoch < epoch && s.currentEpoch <= epoch {
		s.leader, s.leaderEpoch = candidate, s.currentEpoch
		if candidate != b.index {
			s.failover.start = b.wall() + b.desync()
		}
	}
	return s.leader
}

// elected is sentinelGetLeader: a majority of all Sentinels, and at least quorum.
func (b *box) elected(epoch int64) (leader int) {
	s := &b.sentinel
	votes := make([]int, len(s.peers))
	for i := range s.peers {
		if p := &s.peers[i]; i != b.index && p.leader != nobody && p.leaderEpoch == s.currentEpoch {
			votes[p.leader]++
		}
	}
	mine := b.index
	for i, n := range votes {
		if n > 0 && (votes[mine] == 0 || n > votes[mine]) {
			mine = i
		}
	}
	if mine = b.vote(epoch, mine); mine != nobody && s.leaderEpoch == epoch {
		votes[mine]++
	}
	for i, n := range votes {
		if n >= max(len(s.peers)/2+1, b.system.quorum) {
			return i
		}
	}
	return nobody
}

// goOn is sentinelFailoverStateMachine.
func (b *box) goOn(now int64) {
	f := &b.sentinel.failover
	switch f.state {
	case failoverVote:
		if b.elected(f.epoch) == b.index {
			f.enter(failoverSelect, now)
		} else if now-f.start > min(electionTimeout, b.system.failoverTimeout) {
			b.abort(now)
		}
	case failoverSelect:
		if f.promoted = b.choose(now); f.promoted == nobody {
			b.abort(now)
			return
		}
		f.enter(failoverPromote, now)
		b.send(f.promoted, network.Body{Op: opReplicaOf, Key: nobody})
	case failoverPromote:
		if now-f.since > b.system.failoverTimeout {
			b.abort(now)
		}
	case failoverReconfigure:
		b.reconfigure(now)
	}
}

func (b *box) abort(now int64) {
	f := &b.sentinel.failover
	f.promoted = nobody
	f.enter(failoverNone, now)
}

// choose is sentinelSelectSlave: a replica that is there, of which the last INFO is not old,
// and whose link has not been down for much longer than the master. The one with most of the
// stream wins; a run id, which is random, settles the rest.
func (b *box) choose(now int64) (best int) {
	s := &b.sentinel
	validity := int64(5 * pingPeriod)
	unlinked := 10 * b.system.downAfter
	if master := &s.servers[s.master]; master.down {
		unlinked += now - master.downSince
	} else {
		validity = 3 * infoPeriod
	}
	best = nobody
	for i := range s.servers {
		in := &s.servers[i]
		if i == s.master || in.down || in.informed == 0 || now-in.available > 5*pingPeriod ||
			now-in.informed > validity || in.linkDown > unlinked {
			continue
		}
		if best == nobody || in.offset > s.servers[best].offset ||
			in.offset == s.servers[best].offset && in.runID < s.servers[best].runID {
			best = i
		}
	}
	return best
}

// reconfigure tells the other replicas of their new master, one at a time (parallel-syncs 1),
// and ends the failover when all that are there follow it, or after its timeout
// (sentinelFailoverReconfNextSlave, sentinelFailoverDetectEnd).
func (b *box) reconfigure(now int64) {
	s, f := &b.sentinel, &b.sentinel.failover
	underWay, left := 0, 0
	for i := range s.servers {
		if in := &s.servers[i]; in.reconf == reconfSent || in.reconf == reconfUnderWay {
			underWay++
		}
	}
	late := now-f.since > b.system.failoverTimeout
	for i := range s.servers {
		in := &s.servers[i]
		if i == s.master || i == f.promoted || in.reconf == reconfDone {
			continue
		}
		switch {
		case in.reconf == reconfSent && now-in.reconfAt > reconfTimeout:
			in.reconf = reconfDone // it will be corrected later
		case in.reconf == reconfNone && !in.down && (underWay == 0 || late):
			in.reconf, in.reconfAt = reconfSent, now
			underWay++
			b.send(i, network.Body{Op: opReplicaOf, Key: int64(f.promoted)})
		}
		if !in.down {
			left++
		}
	}
	if left == 0 || late {
		f.enter(failoverSwitch, now)
	}
}
