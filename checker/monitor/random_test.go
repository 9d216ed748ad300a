package monitor

import (
	"pgregory.net/rapid"

	"fencepost/sim"
	"fencepost/sim/history"
)

// world draws histories in which executors do what programs do: they try, get in or
// give up, believe, send requests, release and crash. What the service does is drawn
// without regard to anything.
type world struct {
	t       *rapid.T
	now     sim.Time
	records []history.Record
	state   map[history.Executor]history.Kind // what an executor did last; 0 is nothing
	hold    map[history.Executor]history.HoldID
	holds   history.HoldID
	endless bool
}

const executors = 4

func drawHistory(t *rapid.T) []history.Record {
	w := &world{t: t, state: map[history.Executor]history.Kind{}, hold: map[history.Executor]history.HoldID{},
		endless: rapid.Bool().Draw(t, "promises without end")}
	for range rapid.IntRange(0, 60).Draw(t, "steps") {
		w.now += sim.Time(rapid.SampledFrom([]int{0, 0, 1, 2, 5}).Draw(t, "seconds")) * s
		if w.holds > 0 && rapid.Bool().Draw(t, "service") {
			w.service()
		} else {
			w.client(history.Executor(rapid.IntRange(1, executors).Draw(t, "executor")))
		}
	}
	return w.records
}

func (w *world) add(r history.Record) {
	r.At, r.Sequence = w.now, uint64(len(w.records)+1)
	w.records = append(w.records, r)
}

// next are the things that an executor may do after what it did last.
var next = map[history.Kind][]history.Kind{
	0:                    {history.Attempt},
	history.GiveUp:       {history.Attempt, history.ReleaseBegin},
	history.ReleaseEnd:   {history.Attempt},
	history.Attempt:      {history.BeliefBegin, history.GiveUp, history.Pause, history.ReleaseBegin, history.Crash},
	history.BeliefBegin:  {history.BeliefEnd, history.Request, history.Pause, history.Crash},
	history.BeliefEnd:    {history.ReleaseBegin, history.BeliefBegin, history.Crash},
	history.ReleaseBegin: {history.ReleaseEnd, history.ReleaseEnd, history.Crash},
}

func (w *world) client(e history.Executor) {
	may := next[w.state[e]]
	if len(may) == 0 {
		return // it has crashed
	}
	kind := rapid.SampledFrom(may).Draw(w.t, "client does")
	r := history.Record{Kind: kind, Executor: e, Hold: w.hold[e]}
	trying := w.state[e] == history.Attempt
	switch kind {
	case history.Attempt:
		w.holds++
		w.hold[e], r.Hold = w.holds, w.holds
	case history.Pause, history.Crash:
		r.Hold, r.Until = 0, w.now+sec(rapid.IntRange(0, 8).Draw(w.t, "pause"))
	}
	switch {
	case kind == history.Crash:
		w.state[e] = kind
	case kind == history.Pause, kind == history.Request:
	case kind == history.ReleaseBegin && trying: // it takes back what it may have got
	default:
		w.state[e] = kind
	}
	w.add(r)
}

func (w *world) service() {
	hold := history.HoldID(rapid.IntRange(1, int(w.holds)).Draw(w.t, "hold"))
	r := history.Record{Hold: hold, Kind: rapid.SampledFrom([]history.Kind{history.Grant, history.Grant,
		history.Promise, history.ServiceEnd}).Draw(w.t, "service does")}
	for i := range w.records {
		if w.records[i].Hold == hold {
			r.Executor = w.records[i].Executor
			break
		}
	}
	if last(w.records, hold, history.Grant) < 0 {
		r.Kind = history.Grant // before that there is nothing to renew or to end
	}
	switch {
	case r.Kind == history.ServiceEnd:
	case w.endless:
		r.Until = sim.Forever
	default:
		r.Until = w.now + sec(rapid.IntRange(0, 8).Draw(w.t, "promise"))
	}
	w.add(r)
}

// last returns the position of the last record of a kind for a hold, or -1.
func last(records []history.Record, hold history.HoldID, kinds ...history.Kind) int {
	for i := len(records) - 1; i >= 0; i-- {
		for _, k := range kinds {
			if records[i].Hold == hold && records[i].Kind == k {
				return i
			}
		}
	}
	return -1
}

// crashed returns the position of an executor's crash, or -1.
func crashed(records []history.Record, e history.Executor) int {
	for i := range records {
		if records[i].Kind == history.Crash && records[i].Executor == e {
			return i
		}
	}
	return -1
}

// holdsOf returns the holds of a history and their executors.
func holdsOf(records []history.Record) map[history.HoldID]history.Executor {
	m := map[history.HoldID]history.Executor{}
	for _, r := range records {
		if r.Hold != 0 {
			m[r.Hold] = r.Executor
		}
	}
	return m
}
