//go:build linux

package live

import (
	"context"
	"time"
)

// outcome is what a run came to.
type outcome struct {
	exclusion, resource string        // violated or ok
	second              time.Duration // from the first client's grant to the second's
}

// between is where client 1's late write falls.
type between int

const (
	afterWrite between = iota // of client 2
	afterRead
)

// table is where a run is played.
type table struct {
	ctx      context.Context
	one, two *player
	resource *resource
	steps    error
}

// step has a worker take a step, unless an earlier one has failed.
func (t *table) step(p *player, what string, value int64) (a order) {
	if t.steps == nil {
		a, t.steps = p.must(t.ctx, order{Do: what, Value: value})
	}
	return a
}

// note keeps an error.
func (t *table) note(err error) {
	if t.steps == nil {
		t.steps = err
	}
}

// pause is Kleppmann's case: client 1 passes its check and is stopped before its write; client 2 gets the
// lock, reads and writes; client 1 goes on.
func (t *table) pause(at between) (outcome, error) {
	first := t.step(t.one, "acquire", 0)
	t.step(t.one, "read", 0)
	t.step(t.one, "check", 0)
	t.note(t.one.freeze())
	second := t.step(t.two, "acquire", 0)
	t.step(t.two, "read", 0)
	if at == afterWrite {
		t.step(t.two, "write", 2)
	}
	t.note(t.one.thaw())
	late, err := t.one.do(t.ctx, order{Do: "write", Value: 1}) // refused, maybe
	t.note(err)
	if at == afterRead {
		if a, err := t.two.do(t.ctx, order{Do: "write", Value: 2}); err != nil || !a.OK {
			t.note(err)
		}
	}
	if t.steps != nil {
		return outcome{}, t.steps
	}
	o := outcome{exclusion: "ok", resource: "ok", second: time.Duration(second.Returned - first.Returned)}
	if second.Returned < late.Called {
		o.exclusion = "violated" // client 1 has not been told otherwise and goes on
	}
	if t.resource.lostUpdate() {
		o.resource = "violated"
	}
	t.finish()
	return o, t.steps
}

// finish gives the locks back; who has lost it may be told so.
func (t *table) finish() {
	for _, p := range []*player{t.one, t.two} {
		_, err := p.do(t.ctx, order{Do: "release"})
		t.note(err)
	}
}
