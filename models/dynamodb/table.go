package dynamodb

import (
	"time"

	"fencepost/models"
	"fencepost/sim/clock"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
)

// Requests to the service, for the one item. The reply to a write is OK if its condition
// was met.
var (
	// OpGet is a GetItem with a consistent read. The reply is OK if there is an item.
	OpGet = network.NewOp("dynamodb.get")
	// OpPutNew is a PutItem if there is none.
	OpPutNew = network.NewOp("dynamodb.put-new")
	// OpPutReleased is a PutItem if the item is marked as released.
	OpPutReleased = network.NewOp("dynamodb.put-released")
	// OpPutExpired is a PutItem if the item has a version.
	OpPutExpired = network.NewOp("dynamodb.put-expired")
	// OpHeartbeat is an UpdateItem of version and lease if it has a version.
	OpHeartbeat = network.NewOp("dynamodb.heartbeat")
	// OpDelete is a DeleteItem if it has a version.
	OpDelete = network.NewOp("dynamodb.delete")
	// OpMark is an UpdateItem that marks it as released if it has a version.
	OpMark = network.NewOp("dynamodb.mark")
	// OpReply answers each of them.
	OpReply = network.NewOp("dynamodb.reply")
	// OpUnavailable is the answer 503.
	OpUnavailable = network.NewOp("dynamodb.unavailable")
)

// table is the service with the one item.
type table struct {
	system   *system
	host     *host.Host
	present  bool
	version  int64         // recordVersionNumber
	lease    time.Duration // leaseDuration
	released bool          // isReleased
	hold     history.HoldID
	back     clock.Mono // it is available from then on
}

func (t *table) reset() { *t = table{system: t.system, host: t.host} }

// Restart implements [host.Restarter]: nothing is lost, and nothing served for a while.
func (t *table) Restart(host.Lost) { t.back = t.host.Mono().Add(t.system.config.unavailable) }

// Timer implements [host.Server]. The service has no timers, but takes orders: a DeleteItem
// without a condition, as the housekeeping of a table with a TTL does.
func (t *table) Timer(tag int) {
	if order, ok := models.OrderOf(tag); ok && t.present && t.host.Mono() >= t.back {
		t.present = false
		t.system.env.Recorder.AddRemoval(order, t.hold)
		t.end(history.Removed)
	}
}

// Receive implements [host.Server].
func (t *table) Receive(m *network.Message) {
	if t.host.Mono() < t.back {
		t.host.Reply(m, network.Body{Op: OpUnavailable})
		return
	}
	ok := t.meets(m)
	if ok {
		t.apply(m)
	}
	b := network.Body{Op: OpReply, OK: ok}
	if m.Op == OpGet && ok {
		b.Value, b.TTL = t.version, t.lease
		if t.released {
			b.Token = 1
		}
	}
	t.host.Reply(m, b)
}

// meets evaluates the condition of a request. Token is the version that it expects.
func (t *table) meets(m *network.Message) bool {
	switch m.Op {
	case OpGet:
		return t.present
	case OpPutNew:
		return !t.present
	case OpPutReleased:
		return t.present && t.released
	}
	return t.present && t.version == m.Token
}

func (t *table) apply(m *network.Message) {
	switch m.Op {
	case OpPutNew, OpPutReleased, OpPutExpired:
		t.put(m)
	case OpHeartbeat:
		t.version, t.lease = m.Value, m.TTL
		t.promise(history.Promise)
	case OpDelete:
		t.present = false
		t.end("released")
	case OpMark:
		t.released = true
		t.end("released")
	}
}

func (t *table) put(m *network.Message) {
	t.end(history.TakenOver)
	t.present, t.version, t.lease, t.released, t.hold = true, m.Value, m.TTL, false, m.Hold
	t.promise(history.Grant)
	if !t.system.awaited(m.Hold, m.Value) {
		t.system.abandon(m.Hold)
	}
}

// promise records a promise to the hold. A released item that is still given new versions
// is nobody's.
func (t *table) promise(k history.Kind) {
	if t.hold != 0 {
		until := t.system.env.PromiseEnd(t.host.World().Now(), t.lease, 0)
		t.system.env.Recorder.Add(history.Record{Kind: k, Hold: t.hold, Until: until})
	}
}

// end records that the item is no longer that of a hold, if it was one's.
func (t *table) end(why string) {
	if t.hold != 0 {
		t.system.env.Recorder.Add(history.Record{Kind: history.ServiceEnd, Hold: t.hold, Text: why})
	}
	t.hold = 0
}
