package checker

import "fencepost/sim/history"

// toyStore is a register with one of two guards: one compares tokens, on reads and writes, the
// other compares versions, on writes.
type toyStore struct {
	cas        bool
	value, old int64
	version    int
	highest    int64
}

// toyWrite is a write on its way.
type toyWrite struct {
	hold    history.HoldID
	token   int64
	version int
	value   int64
	ticks   int // that it still takes

	client, object int // of several objects
	effect         history.Effect
	content        int64
}

// fenced reports whether a token is too low, and raises the highest.
func (t *toy) fenced(token int64, e history.Effect) bool { return t.fencedBy(&t.store, token, e) }

func (t *toy) fencedBy(st *toyStore, token int64, e history.Effect) bool {
	if st.cas || t.bug == "the store compares nothing" || e == history.ReadEffect && t.bug == "the guard compares writes alone" {
		return false
	}
	if t.has("the store forgets its highest token", 8) {
		st.highest = 0
	}
	low := token < st.highest
	if t.bug == "the guard lets a token pass that is one too low" {
		low = token < st.highest-1
	}
	if !low && (e == history.WriteEffect || t.bug != "reads raise no token") {
		st.highest = token
	}
	return low
}

func (t *toy) read(c *toyClient) {
	st := &t.store
	r := history.Record{Kind: history.Request, Hold: c.hold, Effect: history.ReadEffect}
	t.add(t.now, r)
	if r.Kind = history.Reject; !t.fenced(c.token, r.Effect) {
		r.Kind, r.Value = history.Read, st.value
		switch {
		case t.has("a replica is a write behind", 4):
			r.Value = st.old
		case t.bug == "a client caches what it wrote last" && c.seen > 0:
			r.Value = c.seen
		}
		c.version = st.version
	}
	t.add(t.now, r)
}

// write sends a write, which now and then takes its time.
func (t *toy) write(c *toyClient) {
	w := toyWrite{hold: c.hold, token: c.token, version: c.version, value: t.r.NextValue()}
	if t.random.IntN(3) == 0 {
		w.ticks = t.random.IntN(20)
	}
	t.add(t.now, history.Record{Kind: history.Request, Hold: c.hold, Effect: history.WriteEffect})
	t.flight = append(t.flight, w)
	c.seen = w.value
	t.deliver()
}

// deliver serves the writes that arrive.
func (t *toy) deliver() {
	kept := t.flight[:0]
	for _, w := range t.flight {
		if w.ticks > 0 {
			w.ticks--
			kept = append(kept, w)
			continue
		}
		if t.objects.several() {
			t.serve(w)
		} else {
			t.apply(w)
		}
	}
	t.flight = kept
}

func (t *toy) apply(w toyWrite) {
	st := &t.store
	r := history.Record{Kind: history.Write, Hold: w.hold, Effect: history.WriteEffect, Value: w.value, Base: st.value}
	stale := st.cas && w.version != st.version
	if t.bug == "a store compares versions with <=" {
		stale = w.version > st.version
	}
	switch {
	case stale, t.fenced(w.token, history.WriteEffect):
		t.add(t.now, history.Record{Kind: history.Reject, Hold: w.hold, Effect: history.WriteEffect})
		if t.bug == "a write is seen though it was rejected" {
			st.value = w.value
		}
		return
	case t.has("a restart forgets the last write", 4):
		t.add(t.now, r)
		return
	}
	st.old, st.value, st.version = st.value, w.value, st.version+1
	t.add(t.now, r)
}
