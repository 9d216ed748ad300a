package checker

import (
	"slices"
	"time"

	"fencepost/checker/monitor"
	"fencepost/sim"
	"fencepost/sim/history"
)

// request is a protected request: when it was sent, and what the resource made of it.
type request struct {
	sent   history.Record
	served history.Record // a read, write, mark, effect or rejection; without a kind there was none
	// copied says that what was sent once was served before.
	copied bool
}

// took is how long a request was under way.
func (q *request) took() time.Duration { return q.served.At.Sub(q.sent.At) }

// requests pairs what was sent with what was served, in the order of the record. What was served is
// the last that was sent with the same value, if it has not been served yet: one who asks again has
// heard nothing of what he sent before. Without such a one it is a copy, which a network makes.
func (f *facts) requests() []request {
	if f.paired != nil {
		return f.paired
	}
	f.paired = []request{}
	for i := range f.recorder.Records {
		switch rec := &f.recorder.Records[i]; rec.Kind {
		case history.Request:
			f.paired = append(f.paired, request{sent: *rec})
		case history.Read, history.Write, history.Mark, history.Perform, history.Reject:
			f.serve(rec)
		}
	}
	return f.paired
}

func (f *facts) serve(rec *history.Record) {
	original := -1
	for i := len(f.paired) - 1; i >= 0; i-- {
		q := &f.paired[i]
		if !asked(&q.sent, rec) {
			continue
		}
		if q.served.Kind == 0 {
			q.served = *rec
			return
		}
		original = i
	}
	if original < 0 {
		f.paired = append(f.paired, request{sent: *rec, served: *rec}) // nobody knows when it was sent
		return
	}
	f.paired = append(f.paired, request{sent: f.paired[original].sent, served: *rec, copied: true})
}

// asked reports whether it is for this that a request was sent. What a read returns is not known
// when it is sent, and an effect has no value in older records.
func asked(sent, served *history.Record) bool {
	return sent.Hold == served.Hold && sent.Effect == served.Effect && sent.Object == served.Object &&
		(sent.Value == 0 || served.Value == 0 || served.Kind == history.Read || sent.Value == served.Value)
}

// servedFor returns the first request of a hold that was served about the object of a finding, by
// then, and for which something is so.
func (f *facts) servedFor(id history.HoldID, v monitor.Finding, so func(q *request) bool) *request {
	all := f.requests()
	for i := range all {
		q := &all[i]
		if id != 0 && q.served.Hold == id && q.served.Kind != 0 && q.served.Kind != history.Reject && about(&q.served, v) && so(q) {
			return q
		}
	}
	return nil
}

// overdue is the request of a finding's holds, about its object, that was served, or rejected, after
// its hold had ended: of several the one that took longest.
func (f *facts) overdue(v monitor.Finding) (late *request) {
	all := f.requests()
	for i := range all {
		q := &all[i]
		id := q.sent.Hold
		if (id != v.First && id != v.Second) || q.served.Kind == 0 || !about(&q.served, v) || !f.over(id, q.served.At) {
			continue
		}
		if late == nil || q.took() > late.took() {
			late = q
		}
	}
	return late
}

// over reports whether a hold had ended by an instant.
func (f *facts) over(id history.HoldID, at sim.Time) bool { return f.end(id) <= at }

// concerned are the one or two requests that a finding is about, the earlier hold's first.
func (f *facts) concerned(v monitor.Finding) []*request {
	at := func(q *request) bool { return q.served.At == v.At }
	wrote := func(value int64) func(q *request) bool {
		return func(q *request) bool { return q.served.Kind == history.Write && q.served.Value == value }
	}
	changed := func(q *request) bool { return q.served.Kind == history.Write }
	var first, second *request
	switch v.Kind {
	case "overlap":
		first, second = f.sentIn(v.First, v), f.sentIn(v.Second, v)
	case "lost-update":
		first, second = f.servedFor(v.First, v, wrote(v.Replaced)), f.servedFor(v.Second, v, wrote(v.Written))
	case "stale-order":
		first = f.servedFor(v.First, v, func(q *request) bool { return at(q) && slices.Contains(f.ordered, q.served.Effect) })
		second = f.servedFor(v.Second, v, func(q *request) bool { return slices.Contains(f.ordered, q.served.Effect) })
	case "stale-read":
		first, second = f.servedFor(v.First, v, wrote(v.Newest)), f.servedFor(v.Second, v, func(q *request) bool { return at(q) && q.served.Kind == history.Read })
	case "doubled-effect":
		first, second = f.twice(v)
	case "dangling":
		first, second = f.lastChange(v.First, v), f.servedFor(v.Second, v, func(q *request) bool { return at(q) && changed(q) })
	}
	var list []*request
	for _, q := range []*request{first, second} {
		if q != nil {
			list = append(list, q)
		}
	}
	return list
}

// twice are the requests by which something happened a second time.
func (f *facts) twice(v monitor.Finding) (first, second *request) {
	same := func(q *request) bool {
		switch {
		case v.Job != 0:
			return q.served.Kind == history.Perform && q.served.Content == v.Job
		case v.Written != 0:
			return q.served.Kind == history.Write && q.served.Value == v.Written
		}
		return q.served.Kind == history.Perform
	}
	going := func(q *request) bool { return same(q) && (v.Job != 0 || v.Written != 0 || q.served.Until > v.At) }
	first = f.servedFor(v.First, v, going)
	second = f.servedFor(v.Second, v, func(q *request) bool { return same(q) && q.served.At == v.At && q != first })
	return first, second
}

// lastChange is the last write of a hold to the object of a finding, before that.
func (f *facts) lastChange(id history.HoldID, v monitor.Finding) (last *request) {
	f.servedFor(id, v, func(q *request) bool {
		if q.served.Kind == history.Write {
			last = q
		}
		return false
	})
	return last
}

// sentIn is the first request that a hold sent in the window of a finding.
func (f *facts) sentIn(id history.HoldID, v monitor.Finding) *request {
	all := f.requests()
	for i := range all {
		if q := &all[i]; q.sent.Kind == history.Request && !q.copied && q.sent.Hold == id && q.sent.At >= v.From && q.sent.At <= v.To {
			return q
		}
	}
	return nil
}
