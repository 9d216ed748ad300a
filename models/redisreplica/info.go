package redisreplica

import "fencepost/sim/network"

// informed takes in a server's INFO (sentinelRefreshInstanceInfo).
func (b *box) informed(i int, m *network.Message, now int64) {
	s, in := &b.sentinel, &b.sentinel.servers[i]
	in.informed, in.offset, in.runID, in.linkDown = now, m.Revision, uint64(m.Token), m.TTL.Milliseconds()
	if follows := int(m.Key); follows != in.follows {
		in.follows, in.followsFrom = follows, now
	}
	if s.tilt != 0 || i == s.master {
		return
	}
	switch f := &s.failover; {
	case in.follows == nobody && i == f.promoted && f.state == failoverPromote:
		b.promotionSeen(now)
	case in.follows == nobody && i != f.promoted:
		b.correct(i, now, convertAfter)
	case in.follows == f.promoted && f.promoted != nobody:
		b.reconfigured(in)
	case in.follows != nobody && in.follows != s.master && f.state == failoverNone:
		b.correct(i, now, b.system.failoverTimeout)
	}
}

// promotionSeen is when the promoted replica says that it is a master. From now on that is the
// configuration, of the failover's epoch, and the others are told at once.
func (b *box) promotionSeen(now int64) {
	s := &b.sentinel
	s.configEpoch = s.failover.epoch
	s.failover.enter(failoverReconfigure, now)
	for i := range s.peers {
		if i != b.index {
			b.greet(i, now)
		}
	}
}

// correct tells a server to follow the master, if it has not done so for a while and the
// master is sane: an old master that has come back, or a replica that missed a failover.
func (b *box) correct(i int, now, wait int64) {
	s, in, master := &b.sentinel, &b.sentinel.servers[i], &b.sentinel.servers[b.sentinel.master]
	sane := master.follows == nobody && !master.down && now-master.informed < 2*infoPeriod
	wasUp := in.downSince == 0 || now-in.downSince > wait
	if sane && wasUp && now-in.followsFrom > wait {
		b.send(i, network.Body{Op: opReplicaOf, Key: int64(s.master)})
	}
}

// reconfigured notes how far a replica has come with its new master.
func (b *box) reconfigured(in *instance) {
	if in.reconf == reconfSent {
		in.reconf = reconfUnderWay
	}
	if in.reconf == reconfUnderWay && in.linkDown == 0 {
		in.reconf = reconfDone
	}
}
