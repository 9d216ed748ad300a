package checker

import (
	"testing"

	"pgregory.net/rapid"

	"fencepost/sim/history"
)

// drawnSections are sections of holds on several objects: each object is read, now and then more than
// once, and may be written after that, now and then by a copy, too. Requests arrive as they want.
type drawnSections struct {
	*run
	t      *rapid.T
	change history.Change
	value  []int64 // by object
	states []state // by hold and object
}

type state struct {
	read    bool
	written int64 // 0 if it was not
}

// request serves the next request of a hold for an object.
func (d *drawnSections) request(hold history.HoldID, object int) {
	is := &d.states[(int(hold)-1)*len(d.value)+object]
	r := history.Record{Kind: history.Request, Effect: history.ReadEffect, Object: uint8(object), Hold: hold, Value: d.value[object]}
	served := history.Read
	if is.written != 0 || is.read && rapid.IntRange(0, 2).Draw(d.t, "reads again") > 0 {
		r.Effect, served = history.WriteEffect, history.Write
		if is.written == 0 {
			is.written = d.r.NextValue()
		}
		r.Change, r.Value, r.Base = d.change, is.written, d.value[object]
		d.value[object] = is.written
	}
	is.read = true
	d.add(d.now+s, r)
	r.Kind = served
	d.add(d.now, r)
}

// Porcupine finds no order of the sections exactly if the monitor finds that an update of one of the
// objects was lost.
func TestSectionsOnSeveralObjectsAgree(t *testing.T) {
	seen := map[Status]int{}
	rapid.Check(t, func(t *rapid.T) {
		objects := rapid.IntRange(1, 3).Draw(t, "objects")
		d := &drawnSections{run: newRun(), t: t, value: make([]int64, objects), states: make([]state, 3*objects),
			change: rapid.SampledFrom([]history.Change{history.Replaces, history.Counts, history.Appends}).Draw(t, "change")}
		for range rapid.IntRange(0, 30).Draw(t, "steps") {
			d.request(history.HoldID(rapid.IntRange(1, 3).Draw(t, "hold")), rapid.IntRange(0, objects-1).Draw(t, "object"))
		}
		v, err := d.Verdict(d.r, d.now, d.value, "")
		if err != nil {
			t.Fatalf("%v in %+v", err, d.r.Records)
		}
		lost := OK
		if d.Resource.LostUpdates > 0 {
			lost = Violated
		}
		if v.LinearResource != lost {
			t.Fatalf("updates are lost: %s, the resource history: %s", lost, v.LinearResource)
		}
		seen[lost]++
	})
	if seen[OK] == 0 || seen[Violated] == 0 {
		t.Errorf("the histories are of one kind: %v", seen)
	}
}

// What was lost of one object leaves the other's sections in order.
func TestSectionsOfObjectsAreApart(t *testing.T) {
	const w = history.WriteEffect
	section := func(x *run, hold history.HoldID, object int, seen, value int64) *run {
		read := on(object, history.Record{Kind: history.Read, Effect: history.ReadEffect, Hold: hold, Value: seen})
		x.add(x.now, on(object, history.Record{Kind: history.Request, Effect: history.ReadEffect, Hold: hold})).add(x.now, read)
		x.add(x.now, on(object, history.Record{Kind: history.Request, Effect: w, Hold: hold}))
		return x.add(x.now, on(object, history.Record{Kind: history.Write, Effect: w, Hold: hold, Value: value, Base: seen}))
	}
	good := newRun()
	section(section(section(section(good, 1, 1, 0, 1), 1, 2, 0, 2), 2, 1, 1, 3), 2, 2, 2, 4)
	if v, err := good.Verdict(good.r, good.now, []int64{3, 4}, ""); err != nil || v.LinearResource != OK || v.Resource != OK {
		t.Errorf("%+v, %v", v, err)
	}
	good.SkipSections = true // and with one object's value for the other's, nobody would be asked
	if v, err := good.Verdict(good.r, good.now, []int64{4, 3}, ""); err != nil || v.LinearResource != NotApplicable {
		t.Errorf("%+v, %v", v, err)
	}
	good.SkipSections = false
	if _, err := good.Verdict(good.r, good.now, []int64{4, 3}, ""); err == nil {
		t.Error("the audit of one object stands for another's")
	}
}
