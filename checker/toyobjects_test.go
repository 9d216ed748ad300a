package checker

import (
	"fencepost/sim"
	"fencepost/sim/history"
)

// toyObjects are several objects of one kind, each behind a fence of its own: jobs and the record of
// which was done last, data that are referred to and deleted, or logs.
type toyObjects struct {
	kind string
	all  [toyCount]toyObject
}

// toyCount is how many they are: each section works on one.
const toyCount = 4

type toyObject struct {
	fence   toyStore
	value   int64
	content int64
	// done are the jobs that are done, and the entries, by the key that tells a copy.
	done map[toyKey]bool
	busy sim.Time // until when a job goes on
}

// toyKey is the key of a request: what it is for, and whose it is, if that is part of it.
type toyKey struct {
	what   int64
	client int
}

func (o *toyObjects) several() bool {
	return o.kind == ofJobs || o.kind == ofReferences || o.kind == ofLogs
}

// audit is the value of each object, or of the one.
func (t *toy) audit() (values []int64) {
	if !t.objects.several() {
		return []int64{t.store.value}
	}
	for i := range t.objects.all {
		values = append(values, t.objects.all[i].value)
	}
	return values
}

// start is what an object is before anybody has written.
func (o *toyObjects) start() int64 {
	if o.kind == ofReferences {
		return history.Unreferenced
	}
	return 0
}

func (t *toy) object(i int) *toyObject {
	o := &t.objects.all[i]
	if o.done == nil {
		o.done, o.content = map[toyKey]bool{}, t.objects.start()
	}
	return o
}

// look reads an object. Who is refused goes no further.
func (t *toy) look(c *toyClient) (served bool) {
	before := c.object
	c.object = t.random.IntN(toyCount)
	o := t.object(c.object)
	r := history.Record{Kind: history.Request, Hold: c.hold, Effect: history.ReadEffect, Object: uint8(c.object)}
	t.add(t.now, r)
	if t.fencedBy(&o.fence, c.token, r.Effect) {
		r.Kind = history.Reject
		t.add(t.now, r)
		return false
	}
	r.Kind, r.Value, r.Content = history.Read, o.value, o.content
	if t.bug != "a client remembers of another object what it read" || c.object == before {
		c.content = o.content
	}
	t.add(t.now, r)
	return true
}

// perform asks for the effect of the job after the one that was read.
func (t *toy) perform(c *toyClient) {
	t.dispatch(toyWrite{hold: c.hold, client: c.index, object: c.object, effect: history.OutsideEffect, content: c.content + 1})
}

// change writes what the client makes of what it has read: the record of its job, a deletion, a
// reference, or an entry. Client 1 prunes.
func (t *toy) change(c *toyClient) {
	w := toyWrite{hold: c.hold, client: c.index, object: c.object, token: c.token, effect: history.WriteEffect, content: c.content + 1}
	if t.objects.kind == ofReferences {
		switch {
		case c.index == 0 && c.content != history.Unreferenced && t.bug != "a prune deletes without reading":
			return
		case c.index == 0:
			w.content = history.Gone
		case t.random.IntN(3) == 0:
			return // it needs nothing
		default:
			w.content = history.Referenced
		}
		w.version = int(c.content) // what its writer takes to be there
	}
	w.value = t.r.NextValue()
	t.dispatch(w)
	if t.objects.kind == ofLogs && t.random.IntN(3) == 0 {
		t.dispatch(w) // a copy
	}
}

// dispatch sends a request, which now and then takes its time.
func (t *toy) dispatch(w toyWrite) {
	if t.random.IntN(3) == 0 {
		w.ticks = t.random.IntN(20)
	}
	t.add(t.now, history.Record{Kind: history.Request, Hold: w.hold, Effect: w.effect, Object: uint8(w.object)})
	t.flight = append(t.flight, w)
	t.deliver()
}

// serve serves a request for one of several objects.
func (t *toy) serve(w toyWrite) {
	o := t.object(w.object)
	r := history.Record{Kind: history.Reject, Hold: w.hold, Effect: w.effect, Object: uint8(w.object)}
	switch {
	case w.effect == history.OutsideEffect:
		t.do(o, w)
		return
	case t.fencedBy(&o.fence, w.token, w.effect), t.objects.kind == ofLogs && t.known(o, w, w.value):
		t.add(t.now, r)
		return
	}
	r.Kind, r.Value, r.Base = history.Write, w.value, o.value
	o.value, o.content = w.value, w.content
	switch {
	case t.objects.kind == ofJobs:
		r.Change = history.Completes
	case t.objects.kind == ofLogs:
		r.Change = history.Appends
	case w.content == history.Gone:
		r.Change = history.Deletes
	default:
		r.Change = history.Refers
		if w.version == history.Gone && t.bug == "a reference does not bring back what is gone" {
			o.content = history.Gone
		}
	}
	r.Content = o.content
	t.add(t.now, r)
}

// known reports whether a request with a key was served before, and remembers it.
func (t *toy) known(o *toyObject, w toyWrite, what int64) bool {
	key := toyKey{what: what}
	switch {
	case t.bug == "a key is compared with those of the wrong process" && t.objects.kind == ofJobs:
		key.client = w.client
	case t.bug == "a key is compared with those of the wrong process":
		key.client = len(o.done) // of whoever came before
	case t.has("keys are forgotten", 6):
		clear(o.done)
	}
	known := o.done[key]
	o.done[key] = true
	return known
}

// do begins a job, unless another goes on or it is done.
func (t *toy) do(o *toyObject, w toyWrite) {
	if o.busy > t.now && t.bug != "a job begins while another goes on" || t.known(o, w, w.content) {
		return
	}
	o.busy = t.now + sim.Time(t.random.IntN(12))*s
	t.add(t.now, history.Record{Kind: history.Perform, Hold: w.hold, Effect: w.effect, Object: uint8(w.object), Content: w.content, Until: o.busy})
}
