package linear

import (
	"math/rand/v2"
	"testing"

	"fencepost/sim/history"
)

// sections draws a record of what a resource serves to holds. Each of them reads every object,
// once or twice, and may write it once after that; a write may be served again at any time, and
// other requests come whenever they want.
type sections struct {
	script
	pick    chooser
	objects int
	stale   bool      // reads may see a value that was replaced
	were    [][]int64 // by object: the values that it has had
}

// draw makes a record, in the place of the last one, and returns what the objects hold at its end.
func (d *sections) draw(holds, steps int) (audit []int64) {
	d.Reset()
	d.were = make([][]int64, d.objects)
	programs := make([]program, holds*d.objects)
	for i := range programs {
		programs[i] = program{hold: history.HoldID(1 + i%holds), object: uint8(i / holds), reads: 1 + d.pick(2)}
	}
	for range holds {
		d.NewHold(0, 0)
	}
	for i := range d.were {
		d.were[i] = []int64{0}
	}
	for range steps {
		d.serve(&programs[d.pick(len(programs))])
	}
	for _, were := range d.were {
		audit = append(audit, were[len(were)-1])
	}
	return audit
}

// program is what a hold does with an object: it sends and is served, in turns.
type program struct {
	hold    history.HoldID
	object  uint8
	reads   int
	sent    bool
	written int64
}

func (d *sections) serve(p *program) {
	were := &d.were[p.object]
	newest := (*were)[len(*were)-1]
	r := history.Record{Hold: p.hold, Object: p.object}
	switch {
	case p.written == 0 && !p.sent:
		p.sent, r.Kind = true, history.Request
	case p.reads > 0:
		p.reads, p.sent = p.reads-1, false
		r.Kind, r.Effect, r.Value = history.Read, history.ReadEffect, newest
		if d.stale && d.pick(2) == 0 {
			r.Value = (*were)[d.pick(len(*were))]
		}
	default:
		if p.written == 0 {
			p.written = d.NextValue()
		}
		r.Kind, r.Effect, r.Value, r.Base = history.Write, history.WriteEffect, p.written, newest
		*were = append(*were, p.written)
	}
	d.Add(r)
}

// updateLost asks of each write whether its hold has not seen, or made, what it replaces.
func updateLost(records []history.Record) bool {
	for k, w := range records {
		if w.Kind != history.Write {
			continue
		}
		j := k - 1
		for ; records[j].Kind == history.Request || records[j].Hold != w.Hold || records[j].Object != w.Object; j-- {
		}
		if records[j].Value != w.Base {
			return true
		}
	}
	return false
}

// readStale asks of each read whether it saw something else than the last write before it left.
func readStale(records []history.Record) bool {
	var newest [history.MaxObjects]int64
	for _, r := range records {
		switch {
		case r.Kind == history.Write:
			newest[r.Object] = r.Value
		case r.Kind == history.Read && r.Value != newest[r.Object]:
			return true
		}
	}
	return false
}

// An update is lost exactly if the history of the sections is not linearizable, on one object as
// on several, and whatever is served twice. Where reads may be stale, a lost update still leaves
// no order, and without one and the other there is one.
func TestUpdateLostIfNotLinearizable(t *testing.T) {
	count := manyHistories()
	var l Checker
	random := rand.New(rand.NewPCG(1, 1))
	d := sections{script: newScript(0), pick: random.IntN}
	type kind struct {
		objects     int
		lost, stale bool
		answer      Answer
	}
	seen := map[kind]int{}
	for range count {
		d.objects, d.stale = 1+random.IntN(2), random.IntN(2) == 0
		audit := d.draw(2+random.IntN(2), d.objects*(4+random.IntN(12)))
		k := kind{d.objects, updateLost(d.Records), readStale(d.Records), l.Resource(d.Recorder, audit...)}
		seen[k]++
		if bad := k.answer == NotLinearizable; k.answer == Unknown || k.lost && !bad || !k.lost && !k.stale && bad {
			t.Fatalf("%+v: %+v", k, d.Records)
		}
	}
	for objects := 1; objects <= 2; objects++ {
		for _, k := range []kind{
			{objects, true, false, NotLinearizable}, {objects, false, false, Linearizable},
			{objects, true, true, NotLinearizable}, {objects, false, true, Linearizable}, {objects, false, true, NotLinearizable},
		} {
			if seen[k] < count/2000 {
				t.Errorf("%d histories are of the kind %+v: %v", seen[k], k, seen)
			}
		}
	}
}
