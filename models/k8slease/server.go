package k8slease

import (
	"time"

	"fencepost/models"
	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
)

// Requests to the API server, for the one Lease.
var (
	// OpGet reads it. The reply is OK if there is one.
	OpGet = network.NewOp("k8s.get")
	// OpCreate makes it. The reply is OK unless there is one.
	OpCreate = network.NewOp("k8s.create")
	// OpUpdate replaces its record, if the resourceVersion in the request is its current one.
	OpUpdate = network.NewOp("k8s.update")
	// OpReply answers each of them. It has the record and its resourceVersion.
	OpReply = network.NewOp("k8s.reply")
)

// record is the spec of a Lease as a candidate reads it: two records are equal if their
// JSON is.
type record struct {
	holder      int64         // holderIdentity; 0 is nobody
	duration    time.Duration // leaseDurationSeconds
	renewed     int64         // renewTime, in seconds of the holder's wall clock
	transitions int64         // leaseTransitions
}

// body is a message with the record.
func (r record) body(op *network.Op) network.Body {
	return network.Body{Op: op, Key: r.holder, TTL: r.duration, Value: r.renewed, Token: r.transitions}
}

func recordIn(b *network.Body) record {
	return record{holder: b.Key, duration: b.TTL, renewed: b.Value, transitions: b.Token}
}

// apiServer is the API server and what it stores. The storage survives its crashes.
type apiServer struct {
	env     *models.Env
	host    *host.Host
	present bool
	record  record
	version int64          // resourceVersion
	hold    history.HoldID // for which the record was written; 0 if it names nobody
	changed sim.Time       // when the record last became another
}

func newAPIServer(e *models.Env, h *host.Host) *apiServer {
	s := &apiServer{env: e, host: h}
	h.Server = s
	return s
}

func (s *apiServer) reset() { *s = apiServer{env: s.env, host: s.host} }

// Receive implements [host.Server].
func (s *apiServer) Receive(m *network.Message) {
	ok := false
	switch m.Op {
	case OpGet:
		ok = s.present
	case OpCreate:
		ok = !s.present
	case OpUpdate:
		ok = s.present && m.Revision == s.version
	}
	if ok && m.Op != OpGet {
		s.write(m)
	}
	b := s.record.body(OpReply)
	b.OK, b.Revision = ok, s.version
	s.host.Reply(m, b)
}

// Timer implements [host.Server]. The service has no timers, but takes orders.
func (s *apiServer) Timer(tag int) {
	if order, ok := models.OrderOf(tag); ok && s.present {
		s.remove(order)
	}
}

// remove deletes the Lease. Versions are those of the store behind the server, and go on.
func (s *apiServer) remove(order int) {
	s.env.Recorder.AddRemoval(order, s.hold)
	s.end(history.Removed)
	s.present, s.record = false, record{}
	s.version++
}

func (s *apiServer) write(m *network.Message) {
	before := s.record
	s.present, s.record = true, recordIn(&m.Body)
	s.version++
	if s.record != before {
		s.changed = s.host.World().Now()
	}
	switch {
	case s.record.holder == 0:
		s.end("released")
	case m.Hold == s.hold:
		s.tell(history.Promise, 0)
	default:
		s.takenOver(before.holder == s.record.holder, m.Hold)
		s.hold = m.Hold
		s.tell(history.Grant, tokenOf(s.env.Params.Choice(tokenParam.Name), s.record, s.version))
	}
}

// tell records a promise to the hold that the record was written for. It counts from when the
// record changed: a renewal in the second of the one before, by the leader's wall clock, leaves
// it as it was, and no candidate would see it.
func (s *apiServer) tell(k history.Kind, token int64) {
	until := s.env.PromiseEnd(s.changed, s.record.duration, 0)
	s.env.Recorder.Add(history.Record{Kind: k, Hold: s.hold, Token: token, Until: until})
}

// takenOver ends the hold before another one's. A process that is given the identity of a
// dead one gives up itself what it was promised.
func (s *apiServer) takenOver(same bool, by history.HoldID) {
	switch {
	case s.hold == 0:
	case !same:
		s.end(history.TakenOver)
	default:
		if r := s.env.Recorder; r.Hold(s.hold).Executor != r.Hold(by).Executor {
			s.note(history.ReleaseBegin, "its identity has a new process")
		}
		s.end("regained by its own identity")
	}
}

// end records that the record is no longer that of the hold, if it was one's.
func (s *apiServer) end(why string) {
	s.note(history.ServiceEnd, why)
	s.hold = 0
}

func (s *apiServer) note(k history.Kind, text string) {
	if s.hold != 0 {
		s.env.Recorder.Add(history.Record{Kind: k, Hold: s.hold, Text: text})
	}
}

// tokenOf is the fencing token that a record gives its holder. leaseTransitions begin at 0,
// which for us is no token.
func tokenOf(choice int, r record, version int64) int64 {
	switch choice {
	case tokenTransitions:
		return r.transitions + 1
	case tokenVersion:
		return version
	}
	return 0
}
