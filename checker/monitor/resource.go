package monitor

import (
	"slices"

	"fencepost/sim/history"
)

// ResourceKinds are the harms that can be found.
var ResourceKinds = []string{"lost-update", "stale-order", "stale-read", "doubled-effect", "dangling"}

// Resource: what the lock protects was harmed. Each of its objects is judged by itself. The harms are
//
//   - lost-update: a write replaced the write of another hold that its own read had not seen, or
//     counted on from an older number, or appended to what it had not seen. It is judged under
//     every guard, since preventing it is what lock and guard are for. Which write came before is
//     known from the record, also if the resource itself has lost one.
//   - stale-order: the resource served a request of a hold after it had served a
//     request of a later hold. It is judged for those requests that the guard
//     promises to keep in order.
//   - stale-read: a read was served with another value than the newest, which is the one
//     that the resource had applied last. It is judged for resources that promise the
//     newest value. That a read is served after a later hold's request is stale-order, if
//     the guard orders reads, and no harm of its own if it does not.
//   - doubled-effect: what was to happen once happened twice: an effect outside of the data for one
//     job, or an entry of a log; or two effects of two holds went on at one time.
//   - dangling: there is a reference to what has been deleted.
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

	objects [history.MaxObjects]object
	grant   []int // by hold: its position in the order of grants
	grants  int
}

// object is what is known of one of the objects.
type object struct {
	holds  []served       // by hold
	writer history.HoldID // of the value that it has now
	value  int64          // that value; it starts as 0
	latest latest         // among the ordered requests
	outside
	entries
	references
}

// served is what the resource did for a hold with an object.
type served struct {
	seen int64
	read bool
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
	m.grant, m.grants = m.grant[:0], 0
	for i := range m.objects {
		m.objects[i].reset()
	}
}

func (o *object) reset() {
	o.holds, o.writer, o.value, o.latest = o.holds[:0], 0, 0, latest{}
	o.outside.reset()
	o.entries.reset()
	o.references = references{}
}

// Observe implements [history.Observer].
func (m *Resource) Observe(r *history.Record) {
	switch r.Kind {
	case history.Grant:
		m.grants++
		*slot(&m.grant, int(r.Hold)) = m.grants
	case history.Read:
		m.order(r)
		m.read(r)
	case history.Write:
		m.order(r)
		m.write(r)
	case history.Perform:
		m.order(r)
		m.perform(r)
	}
}

// slot returns the element of a list that grows as far as it is used.
func slot[T any](list *[]T, i int) *T {
	for len(*list) <= i {
		var zero T
		*list = append(*list, zero)
	}
	return &(*list)[i]
}

func (m *Resource) read(r *history.Record) {
	o := &m.objects[r.Object]
	if m.Newest && r.Value != o.value {
		m.StaleReads++
		m.add(Finding{Kind: "stale-read", At: r.At, First: o.writer, Second: r.Hold, Object: int(r.Object),
			From: r.At, To: r.At, Seen: r.Value, Newest: o.value})
	}
	*slot(&o.holds, int(r.Hold)) = served{r.Value, true}
}

func (m *Resource) write(r *history.Record) {
	o := &m.objects[r.Object]
	h := slot(&o.holds, int(r.Hold))
	switch r.Change {
	case history.Replaces, history.Counts, history.Appends:
		if h.read && o.value != h.seen && o.writer != r.Hold {
			m.LostUpdates++
			m.add(Finding{Kind: "lost-update", At: r.At, First: o.writer, Second: r.Hold, Object: int(r.Object), Change: r.Change,
				From: r.At, To: r.At, Replaced: o.value, Seen: h.seen, Written: r.Value})
		}
	case history.Refers, history.Deletes:
		m.refer(r)
	}
	if r.Change == history.Appends {
		m.enter(r)
	}
	o.writer, o.value = r.Hold, r.Value
	h.seen = r.Value
}

// order checks a request against the latest hold that the guard compares it with. Who was
// never let in, but believes, has no place in that order.
func (m *Resource) order(r *history.Record) {
	if !slices.Contains(m.Ordered, r.Effect) {
		return
	}
	o := &m.objects[r.Object]
	switch grant := *slot(&m.grant, int(r.Hold)); {
	case grant == 0:
	case grant < o.latest.grant:
		m.add(Finding{Kind: "stale-order", At: r.At, First: r.Hold, Second: o.latest.hold, Object: int(r.Object), From: r.At, To: r.At})
	case grant > o.latest.grant:
		o.latest = latest{grant, r.Hold}
	}
}
