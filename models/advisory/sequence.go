package advisory

import (
	"fencepost/sim/clock"
	"fencepost/sim/network"
)

// sequence is the counter for tokens. PostgreSQL logs 32 values ahead, so that it skips
// some and repeats none after a crash (src/backend/commands/sequence.c, SEQ_LOG_VALS); what
// stands for it in MySQL, a row with a counter, logs each value.
type sequence struct {
	last    int64
	logged  int64
	lagging []entry // logged and not sent to the standby yet
	sent    int64
}

// entry is one of the log: how far the sequence is logged with it.
type entry struct {
	logged int64
	due    clock.Mono // when it is sent
}

const logAhead = 32

// sequenceAt is one that was read from the log.
func sequenceAt(logged int64) sequence {
	return sequence{last: logged, logged: logged, sent: logged}
}

func (s *server) next() int64 {
	q := &s.sequence
	if q.last++; q.last > q.logged {
		q.logged = q.last
		if !s.system.config.mysql {
			q.logged += logAhead
		}
		e := entry{q.logged, s.host.Mono().Add(s.system.config.replicationLag)}
		q.lagging = append(q.lagging, e)
		s.host.At(e.due, timerWAL)
	}
	return q.last
}

// ship sends the standby what is due. The timer may have been set for an entry that is gone:
// of a primary that has been replaced since.
func (s *server) ship() {
	q := &s.sequence
	for len(q.lagging) > 0 && q.lagging[0].due <= s.host.Mono() {
		q.sent, q.lagging = q.lagging[0].logged, q.lagging[1:]
		s.tell(s.peer().host.Addr(), 0, opWAL)
	}
}

// replay applies what a primary has logged, to its standby.
func (s *server) replay(m *network.Message) {
	if !s.cluster.primary && m.Token > s.sequence.logged {
		s.sequence = sequenceAt(m.Token)
	}
}
