package redis

import (
	"fencepost/models"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
)

// Persistence is what a server keeps on its disk.
type Persistence int

const (
	// NoPersistence is a server without an append-only file, as by default (redis.conf,
	// appendonly no). Its snapshots are no help to a lock: the first comes 3600 s after a
	// change, unless there are a hundred of them.
	NoPersistence Persistence = iota
	// EverySec is appendfsync everysec: a command is written before it is answered, unless
	// an fsync is under way, and an fsync follows in the background, once a second at most.
	EverySec
	// Always is appendfsync always: no reply before the fsync.
	Always
)

// PersistenceParam is the parameter that says what servers keep.
var PersistenceParam = models.Param{Name: "persistence", Unit: models.Choice, Choices: []string{"none", "everysec", "always"},
	Doc: "what a server keeps on disk: nothing, or the append-only file with that appendfsync (redis.conf, APPEND ONLY MODE)"}

// Durable reports whether whatever a server has answered survives its crash.
func Durable(p models.Params) bool {
	return Persistence(p.Choice(PersistenceParam.Name)) == Always
}

// WaitsForDisk reports whether a server has a disk that can make a difference.
func WaitsForDisk(p models.Params) bool {
	return Persistence(p.Choice(PersistenceParam.Name)) != NoPersistence
}

// Tags of a server's timers.
const (
	tagCron = iota
	tagSynced
	tagCycle
)

// appendOnly is the append-only file, and what flushAppendOnlyFile (redis/redis src/aof.c)
// remembers of it. Times are the server's wall clock in milliseconds, as there since Redis 7.
type appendOnly struct {
	policy    Persistence
	disk      host.Stable[keyspace]
	buffered  bool     // a command waits to be written
	unsynced  bool     // something is written that no fsync covers
	syncing   bool     // an fsync is under way
	covered   keyspace // what it covers
	lastSync  int64    // when the last one began
	postponed int64    // since when the buffer waits for an fsync; 0 is not
	cron      bool     // serverCron will look after it

	// With appendfsync always, what an fsync holds up.
	answers []answer
	waiting []network.Message
}

// answer is a reply that waits for an fsync.
type answer struct {
	to    network.Message
	reply network.Body
	what  changeKind
	key   Key
}

// reset is the state at the start of a process with an empty disk.
func (f *appendOnly) reset(now int64) {
	f.disk = host.Stable[keyspace]{}
	f.start(now)
}

// start is the state at the start of a process.
func (f *appendOnly) start(now int64) {
	*f = appendOnly{policy: f.policy, disk: f.disk, lastSync: now, answers: f.answers[:0], waiting: f.waiting[:0]}
}

// flush is flushAppendOnlyFile for appendfsync everysec, before the server sleeps.
func (s *Server) flush() {
	f := s.file
	if now := s.host.Wall().Milli(); s.write(now) && now-f.lastSync >= 1000 {
		f.lastSync = now
		if !f.syncing {
			s.sync()
		}
	}
	if (f.buffered || f.unsynced) && !f.cron {
		f.cron = true
		s.host.After(cronPeriod, tagCron)
	}
}

// write writes what is buffered, and reports whether there is something to be synced. While
// an fsync is under way a write would have to wait for it, so that it is put off, for 2 s
// at most; the write that then does wait is left out.
func (s *Server) write(now int64) bool {
	f := s.file
	if !f.buffered {
		return f.unsynced && !f.syncing
	}
	if f.syncing {
		if f.postponed == 0 {
			f.postponed = now
		}
		if now-f.postponed < 2000 {
			return false
		}
	}
	f.disk.Written = s.keyspace
	f.buffered, f.unsynced, f.postponed = false, true, 0
	return true
}

// sync begins an fsync of what is written.
func (s *Server) sync() {
	f := s.file
	f.covered, f.unsynced, f.syncing = f.disk.Written, false, true
	if s.host.Disk.Sync(tagSynced) {
		s.synced()
	}
}

// synced ends an fsync. What was written meanwhile is not covered.
func (s *Server) synced() {
	s.file.syncing = false
	s.file.disk.SyncAs(s.file.covered)
}

// Timer implements [host.Server]: serverCron, or the end of an fsync.
func (s *Server) Timer(tag int) {
	if order, ok := models.OrderOf(tag); ok {
		s.remove(order)
		return
	}
	switch tag {
	case tagCron:
		s.file.cron = false
		s.flush()
	case tagCycle:
		s.runCycle()
	case tagSynced:
		s.synced()
		if s.file.policy == Always {
			s.goOn()
		}
	}
}

// receiveAlways runs a command if the server is not held up by an fsync.
func (s *Server) receiveAlways(m *network.Message) {
	if s.file.syncing {
		s.file.waiting = append(s.file.waiting, *m)
		return
	}
	s.run(m)
	s.syncAndAnswer()
}

// run executes a command, whose reply waits for the end of the event loop's round.
func (s *Server) run(m *network.Message) {
	reply, what := s.execute(m)
	s.file.answers = append(s.file.answers, answer{*m, reply, what, s.key})
}

// syncAndAnswer ends a round: it writes and syncs what the round has changed, and then
// answers.
func (s *Server) syncAndAnswer() {
	f := s.file
	if f.buffered {
		f.disk.Written, f.buffered = s.keyspace, false
		s.sync()
	}
	if !f.syncing {
		s.answerAll()
	}
}

// goOn is when an fsync has held up the server: it answers, and what has arrived
// meanwhile is run in one round.
func (s *Server) goOn() {
	s.answerAll()
	for i := range s.file.waiting {
		s.run(&s.file.waiting[i])
	}
	s.file.waiting = s.file.waiting[:0]
	s.syncAndAnswer()
}

func (s *Server) answerAll() {
	for i := range s.file.answers {
		a := &s.file.answers[i]
		s.tell(a.what, &a.key)
		s.host.Reply(&a.to, a.reply)
	}
	s.file.answers = s.file.answers[:0]
}

// Restart implements [host.Restarter]. The server loads what its file has. A key in it that
// has expired is there until somebody touches it or the next cycle, and one whose SET was
// never answered is a promise to nobody: its client will not learn of it. Loading takes no
// time. Subscriptions end with their connections.
func (s *Server) Restart(lost host.Lost) {
	s.subscribers, s.latches = s.subscribers[:0], s.latches[:0]
	if s.present && s.overdue() && s.Promises(s.key.Value) {
		s.gone(&s.key, history.Expired)
	}
	s.keyspace = keyspace{}
	if s.file != nil {
		s.file.disk.Lose(lost)
		s.file.start(s.host.Wall().Milli())
		s.keyspace = s.file.disk.Written
	}
	if !s.present || s.key.Value != s.known.Value {
		s.gone(&s.known, history.Lost)
	}
	s.cycle = 0
	s.scheduleCycle()
}
