package reports

import (
	"fmt"
	"io"
	"strings"
	"time"

	"fencepost/checker"
	"fencepost/reports/timeline"
	"fencepost/scenarios"
	"fencepost/sim"
	"fencepost/sim/fault"
	"fencepost/sim/history"
	"fencepost/sim/network"
)

// TimelineFile is the name of a run's picture.
func TimelineFile(p *scenarios.Plan) string { return timelineFile(p.Describe.Name, p.Guard.Name) }

func timelineFile(lock, guard string) string { return fmt.Sprintf("timeline-%s-%s.svg", lock, guard) }

// ChartFile is the name of the picture of a case's violation rates.
const ChartFile = "rates.svg"

// WriteTimeline runs a seed once more and draws it to scale: a lane for each client,
// server and the resource.
func WriteTimeline(w io.Writer, p *scenarios.Plan, seed uint64) error {
	t := scenarios.NewTrial(p)
	defer t.Close()
	messages := newMessages(t)
	t.Tap(messages)
	r, err := t.RunSafely(seed)
	if err != nil {
		return err
	}
	d := newDrawing(t, p, r.End)
	d.several = checker.Several(t.Recorder)
	d.lanes()
	for i := range t.Recorder.Records {
		d.record(&t.Recorder.Records[i])
	}
	d.messages(messages)
	d.round()
	d.picture.Title = fmt.Sprintf("%s: %s with guard %s", p.Instance.Scenario.Name, p.Describe.Name, p.Guard.Name)
	d.picture.Subtitle = strings.TrimPrefix(fmt.Sprintf("%s; seed %d", p.Instance.Scenario.Title, seed), "; ")
	return d.picture.Write(w)
}

// drawing fills a timeline from a record.
type drawing struct {
	picture timeline.Timeline
	trial   *scenarios.Trial
	plan    *scenarios.Plan
	end     sim.Time
	laneOf  map[network.NodeID]int
	clients int  // client lanes come first
	several bool // objects are protected
	// open bars by what they belong to: index into the lane's bars, plus one.
	belief, promise map[history.HoldID]int
	endless         map[history.HoldID]bool // promises to a living process
}

func newDrawing(t *scenarios.Trial, p *scenarios.Plan, end sim.Time) *drawing {
	margin := end / 40
	return &drawing{trial: t, plan: p, end: end + margin, laneOf: map[network.NodeID]int{},
		belief: map[history.HoldID]int{}, promise: map[history.HoldID]int{}, endless: map[history.HoldID]bool{},
		picture: timeline.Timeline{Start: 0, End: time.Duration(end + margin)}}
}

// lanes lays out clients, servers and the resource from top to bottom.
func (d *drawing) lanes() {
	for i, h := range d.trial.ClientHosts() {
		d.laneOf[h.ID] = i
		d.picture.Lanes = append(d.picture.Lanes, timeline.Lane{Name: fmt.Sprintf("client %d", i+1), Kind: "client"})
	}
	d.clients = len(d.picture.Lanes)
	for _, h := range d.trial.ServiceHosts() {
		d.laneOf[h.ID] = len(d.picture.Lanes)
		d.picture.Lanes = append(d.picture.Lanes, timeline.Lane{Name: h.Name, Kind: "service"})
	}
	d.laneOf[d.trial.ResourceHost().ID] = len(d.picture.Lanes)
	d.picture.Lanes = append(d.picture.Lanes, timeline.Lane{Name: "resource", Kind: "resource"})
}

func (d *drawing) client(h history.HoldID) *timeline.Lane {
	return &d.picture.Lanes[d.trial.Recorder.Hold(h).Client]
}

func (d *drawing) resource() *timeline.Lane { return &d.picture.Lanes[len(d.picture.Lanes)-1] }

func (d *drawing) record(r *history.Record) {
	switch r.Kind {
	case history.Grant, history.Promise:
		d.drawPromise(r)
	case history.ReleaseBegin: // a promise that the service breaks runs on
		d.endBar(d.promise, r.Hold, r.At)
	case history.BeliefBegin:
		d.open(d.belief, r.Hold, timeline.Bar{Kind: timeline.Belief, From: r.At.Duration(), To: -1, Label: "believes" + token(r.Token)})
	case history.BeliefEnd:
		d.endBar(d.belief, r.Hold, r.At)
		if r.Text != history.Suspended {
			d.reason(r, "gives up: ")
		}
	case history.GiveUp:
		d.reason(r, "gives up acquiring: ")
	case history.Refuse:
		d.reason(r, "refuses: ")
	case history.Pause:
		lane := &d.picture.Lanes[r.Executor.Client()]
		lane.Bars = append(lane.Bars, timeline.Bar{Kind: timeline.Pause, From: r.At.Duration(), To: r.Until.Duration(),
			Label: pausedFor(r)})
	case history.Crash:
		d.crash(r)
	case history.Restart:
		d.restart(&d.picture.Lanes[r.Executor.Client()], r.At)
	case history.Read, history.Write, history.Mark, history.Perform, history.Reject:
		d.effect(r)
	case history.Fault:
		d.fault(r)
	}
}

// pausedFor says how long a client is stopped, unless it is for good.
func pausedFor(r *history.Record) string {
	if r.Until >= sim.Forever {
		return "paused"
	}
	return "paused " + r.Until.Sub(r.At).String()
}

// drawPromise draws the service's promise in the lane of the client that has it. A renewal
// lengthens the bar of a promise that still runs. One that was over, and is renewed late,
// begins a new bar: in between the service owed its holder nothing.
func (d *drawing) drawPromise(r *history.Record) {
	until := d.until(max(r.Until, r.At)) // a lease may be over when its hold is let in
	d.endless[r.Hold] = r.Until >= sim.Forever
	label := "promise" + token(r.Token)
	if at := d.promise[r.Hold]; at > 0 && r.Kind == history.Promise {
		b := &d.client(r.Hold).Bars[at-1]
		if b.To < 0 || b.To >= r.At.Duration() {
			b.To = until
			return
		}
		label = b.Label // a renewal says no token
	}
	d.open(d.promise, r.Hold, timeline.Bar{Kind: timeline.Promise, From: r.At.Duration(), To: until, Label: label})
}

func (d *drawing) open(bars map[history.HoldID]int, h history.HoldID, b timeline.Bar) {
	lane := d.client(h)
	lane.Bars = append(lane.Bars, b)
	bars[h] = len(lane.Bars)
}

// endBar ends a bar, unless it ended earlier by itself.
func (d *drawing) endBar(bars map[history.HoldID]int, h history.HoldID, at sim.Time) {
	if i := bars[h]; i > 0 {
		if b := &d.client(h).Bars[i-1]; b.To < 0 || b.To > at.Duration() {
			b.To = at.Duration()
		}
		delete(bars, h)
	}
}

// reason marks why a client gave up, or did not take what it got.
func (d *drawing) reason(r *history.Record, what string) {
	if r.Text != "" {
		lane := d.client(r.Hold)
		lane.Marks = append(lane.Marks, timeline.Mark{At: r.At.Duration(), Kind: timeline.Rejected, Label: what + r.Text})
	}
}

// crash ends what the executor believed, and a promise that was to a living process.
func (d *drawing) crash(r *history.Record) {
	for hold := range d.trial.Recorder.Holds {
		id := history.HoldID(hold + 1)
		if d.trial.Recorder.Hold(id).Executor != r.Executor {
			continue
		}
		d.endBar(d.belief, id, r.At)
		if d.endless[id] {
			d.endBar(d.promise, id, r.At)
		}
	}
	lane := &d.picture.Lanes[r.Executor.Client()]
	lane.Bars = append(lane.Bars, timeline.Bar{Kind: timeline.Crash, From: r.At.Duration(), To: -1, Label: "crashed"})
}

// restart ends the crash that a lane shows.
func (d *drawing) restart(lane *timeline.Lane, at sim.Time) {
	for i := range lane.Bars {
		if b := &lane.Bars[i]; b.Kind == timeline.Crash && b.To < 0 {
			b.To = at.Duration()
		}
	}
}

func (d *drawing) effect(r *history.Record) {
	mark := timeline.Mark{At: r.At.Duration()}
	who := fmt.Sprintf("client %d", d.trial.Recorder.Hold(r.Hold).Client+1)
	switch r.Kind {
	case history.Read:
		mark.Kind, mark.Label = timeline.Read, fmt.Sprintf("%s %s%s", who, checker.Did(r, d.several), token(r.Token))
	case history.Write:
		mark.Kind, mark.Label = timeline.Accepted, fmt.Sprintf("%s %s%s: accepted", who, checker.Did(r, d.several), token(r.Token))
	case history.Perform:
		mark.Kind, mark.Label = timeline.Done, fmt.Sprintf("%s %s%s", who, checker.Did(r, d.several), token(r.Token))
		d.job(r)
	case history.Mark:
		mark.Kind, mark.Label = timeline.Left, fmt.Sprintf("%s leaves its mark%s%s", who, d.at(r), token(r.Token))
	case history.Reject:
		mark.Kind, mark.Label = timeline.Rejected, fmt.Sprintf("%s %ss%s%s: rejected", who, r.Effect, d.at(r), token(r.Token))
		if r.Text == "" {
			mark.Label += fmt.Sprintf(", %d seen", r.Base)
		}
	}
	lane := d.resource()
	lane.Marks = append(lane.Marks, mark)
}

// at names the object of a request, if there are several.
func (d *drawing) at(r *history.Record) string {
	if !d.several {
		return ""
	}
	return fmt.Sprintf(" at object %d", r.Object+1)
}

// job draws how long what was begun goes on.
func (d *drawing) job(r *history.Record) {
	if r.Until > r.At {
		lane := d.resource()
		lane.Bars = append(lane.Bars, timeline.Bar{Kind: timeline.Job, From: r.At.Duration(), To: d.until(r.Until),
			Label: fmt.Sprintf("job %d of client %d", r.Content, d.trial.Recorder.Hold(r.Hold).Client+1)})
	}
}

// fault draws what struck a host: what lasts and stops it or its links as a bar, all else
// as a mark. A client's pause or crash has a record of its own, and a held message is one of
// the messages.
func (d *drawing) fault(r *history.Record) {
	lane := d.struck(r)
	if lane == nil {
		return
	}
	switch kind := fault.Kind(r.Fault); {
	case r.Executor != 0 && (kind == fault.Pause || kind == fault.Suspend || kind == fault.Crash || kind == fault.Hold):
	case kind == fault.Pause || kind == fault.Suspend:
		d.window(lane, timeline.Pause, r)
	case cutsLinks(r):
		d.window(lane, timeline.Cut, r)
	case kind == fault.Crash:
		d.window(lane, timeline.Crash, r)
	default:
		lane.Marks = append(lane.Marks, timeline.Mark{At: r.At.Duration(), Kind: timeline.Fault, Label: r.Text})
	}
}

// struck is the lane of the host that a fault struck.
func (d *drawing) struck(r *history.Record) *timeline.Lane {
	if r.Executor != 0 {
		return &d.picture.Lanes[r.Executor.Client()]
	}
	for i := d.clients; i < len(d.picture.Lanes); i++ {
		if d.picture.Lanes[i].Name == r.Host {
			return &d.picture.Lanes[i]
		}
	}
	return nil
}

// cutsLinks reports whether a fault makes links carry nothing.
func cutsLinks(r *history.Record) bool {
	switch fault.Kind(r.Fault) {
	case fault.Cut, fault.Isolate, fault.Split, fault.Hang:
		return true
	}
	return false
}

// until is the end of a bar: -1 is that of the picture.
func (d *drawing) until(t sim.Time) time.Duration {
	if t >= d.end {
		return -1
	}
	return t.Duration()
}

// window draws a fault that lasts.
func (d *drawing) window(lane *timeline.Lane, kind timeline.BarKind, r *history.Record) {
	lane.Bars = append(lane.Bars, timeline.Bar{Kind: kind, From: r.At.Duration(), To: d.until(r.Until), Label: r.Text})
}

// round shortens the durations in all labels. The lengths of bars and their tooltips stay
// exact.
func (d *drawing) round() {
	for i := range d.picture.Lanes {
		lane := &d.picture.Lanes[i]
		for k := range lane.Bars {
			lane.Bars[k].Label = rounded(lane.Bars[k].Label)
		}
		for k := range lane.Marks {
			lane.Marks[k].Label = rounded(lane.Marks[k].Label)
		}
	}
}
