package monitor

import (
	"slices"

	"fencepost/sim/history"
)

// ResourceKinds are the harms that can be found.
var ResourceKinds = []string{"lost-update", "stale-order", "stale-read"}

// Resource: what the lock protects was harmed. For a register that is read, modified
// and written, the harms are
//
//   - lost-update: a write replaced the write of another hold that its own read had
//     not seen. It is judged under every guard, since preventing it is what lock and
//     guard are for. Which write it replaced is known from the writes before it, also if
//     the resource itself has lost one.
//   - stale-order: the resource served a request of a hold after it had served a
//     request of a later hold. It is judged for those requests that the guard
//     promises to keep in order.
//   - stale-read: a read was served with another value than the newest, which is the one
//     that the resource had applied last. It is judged for resources that promise the
//     newest value. That a read is served after a later hold's request is stale-order, if
//     the guard orders reads, and no harm of its own if it does not.
//
// A late write that lands before any later hold has touched the resource harms
// nobody.
type Resource struct {
	findings
	// Ordered are the effects that the guard keeps in order.
	Ordered []history.Effect
	// Newest says that the resource promises the newest value to each read.
	Newest bool
	// LostUpdates and StaleReads count the violations of those kinds.
	LostUpdates, StaleReads int

	holds  []served
	writer history.HoldID // of the value that the register has now
	value  int64          // that value; it starts as 0
	grants int
	latest latest // among the ordered requests
}

// served is what the resource did for a hold.
type served struct {
	grant int // position in the order of grants
	seen  int64
	read  bool
}

// latest is the latest hold, in grant order, that was served.
type latest struct {
	grant int
	hold  history.HoldID
}

// Reset prepares for a new run.
func (m *Resource) Reset() {
	m.reset()
	m.LostUpdates, m.StaleReads = 0, 0
	m.holds, m.writer, m.value, m.grants = m.holds[:0], 0, 0, 0
	m.latest = latest{}
}

// Observe implements [history.Observer].
func (m *Resource) Observe(r *history.Record) {
	switch r.Kind {
	case history.Grant:
		m.grants++
		m.of(r.Hold).grant = m.grants
	case history.Read:
		m.order(r)
		m.read(r)
	case history.Write:
		m.order(r)
		m.write(r)
	}
}

func (m *Resource) of(hold history.HoldID) *served {
	for len(m.holds) <= int(hold) {
		m.holds = append(m.holds, served{})
	}
	return &m.holds[hold]
}

func (m *Resource) read(r *history.Record) {
	if m.Newest && r.Value != m.value {
		m.StaleReads++
		m.add(Finding{Kind: "stale-read", At: r.At, First: m.writer, Second: r.Hold,
			From: r.At, To: r.At, Seen: r.Value, Newest: m.value})
	}
	h := m.of(r.Hold)
	h.seen, h.read = r.Value, true
}

func (m *Resource) write(r *history.Record) {
	h := m.of(r.Hold)
	if h.read && m.value != h.seen && m.writer != r.Hold {
		m.LostUpdates++
		m.add(Finding{Kind: "lost-update", At: r.At, First: m.writer, Second: r.Hold,
			From: r.At, To: r.At, Replaced: m.value, Seen: h.seen, Written: r.Value})
	}
	m.writer, m.value = r.Hold, r.Value
	h.seen = r.Value
}

// order checks a request against the latest hold that the guard compares it with. Who was
// never let in, but believes, has no place in that order.
func (m *Resource) order(r *history.Record) {
	if !slices.Contains(m.Ordered, r.Effect) {
		return
	}
	switch grant := m.of(r.Hold).grant; {
	case grant == 0:
	case grant < m.latest.grant:
		m.add(Finding{Kind: "stale-order", At: r.At, First: r.Hold, Second: m.latest.hold, From: r.At, To: r.At})
	case grant > m.latest.grant:
		m.latest = latest{grant, r.Hold}
	}
}
