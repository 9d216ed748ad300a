package fault

import (
	"fmt"
	"slices"
	"strings"

	"fencepost/sim/history"
	"fencepost/sim/network"
	"fencepost/sim/trace"
)

// record tells the history what strikes whom.
func (i *Injector) record(s *strike) {
	r := history.Record{Kind: history.Fault, Value: int64(s.line), Until: s.until, Fault: string(s.action.Kind),
		Host: s.host.Name, Struck: i.struck(s), Apart: i.apart(s), Parties: i.parties(s),
		Ahead: s.ahead(), Base: s.amount(), Effect: i.held(s), Text: i.describe(s)}
	if s.client >= 0 {
		r.Executor = executor(s.client, s.host)
	}
	i.recorder.Add(r)
	i.trace(s, "fault", r.Text)
}

// trace tells of the beginning and of the end of a strike.
func (i *Injector) trace(s *strike, what, text string) {
	if i.fleet.World.Tracing() {
		i.fleet.World.Trace(trace.Record{Who: s.host.Name, What: what, Text: text})
	}
}

// ahead reports whether a strike makes a clock read more than it would. Jitter does so now
// and then.
func (s *strike) ahead() bool {
	switch s.action.Kind {
	case ClockStep, ClockSlew:
		return s.by > 0
	case ClockRate:
		return s.action.RatePPB > 0
	}
	return s.action.Kind == ClockJitter
}

// amount is by how much a strike moves a clock, or how much faster that runs.
func (s *strike) amount() int64 {
	switch s.action.Kind {
	case ClockStep, ClockSlew:
		return int64(s.by)
	case ClockRate:
		return s.action.RatePPB
	}
	return 0
}

// struck is the clients that a strike reaches: those on the host that it is aimed at and,
// if it disturbs links, those at their other ends. Clients have nothing to say to each
// other, so a link between two of them is no matter.
func (i *Injector) struck(s *strike) (clients history.Clients) {
	links := s.action.Kind.disturbsLinks()
	beyond := links && slices.ContainsFunc(s.side, func(id network.NodeID) bool { return !slices.Contains(i.clients, i.fleet.Hosts[id]) })
	for client, on := range i.clients {
		if on == s.host || links && slices.Contains(s.side, on.ID) || beyond && slices.Contains(s.peers, on.ID) {
			clients.Add(client)
		}
	}
	return clients
}

// whom names the host that had the role of a strike's target and, of links, the other ends
// that had theirs, if the label does not.
func (i *Injector) whom(s *strike) string {
	label, names := s.action.Label, []string{s.host.Name}
	if s.action.Service {
		return "" // it is the service that is struck
	}
	if k := s.action.Kind; k.disturbsLinks() && k != Hold && len(s.action.Peers) > 0 && s.action.Rest == "" {
		ends := s.peers
		if k == Split { // the peers are on the target's side
			ends = s.side[1:]
		}
		for _, peer := range ends[:min(len(ends), len(s.action.Peers))] {
			names = append(names, i.fleet.Hosts[peer].Name)
		}
	}
	for _, name := range names {
		if !strings.Contains(label, name) && !strings.Contains(label, strings.Replace(name, "/", " ", 1)) {
			return " (" + strings.Join(names, ", ") + ")"
		}
	}
	return ""
}

func (k Kind) disturbsLinks() bool {
	switch k {
	case Cut, Isolate, Split, Hang, Reset, Loss, Duplicate, Slow, Bandwidth, Hold:
		return true
	}
	return false
}

// describe tells what a strike does, to which host, and on which step it was placed.
func (i *Injector) describe(s *strike) string {
	a, on := s.action, s.host.Name
	text := strings.TrimSuffix(a.Label, a.Rest) + i.whom(s) + a.Rest
	switch a.Kind {
	case ClockStep:
		text = fmt.Sprintf("%s %s by %v", a.Kind, on, s.by)
	case ClockSlew:
		text = fmt.Sprintf("%s %s by %v over %v", a.Kind, on, s.by, s.length)
	case ClockRate:
		text = fmt.Sprintf("%s %s by %+d ppb", a.Kind, on, a.RatePPB)
	case Hold:
		text += " " + a.Op.String()
	}
	switch {
	case a.Forever || a.Kind == ClockStep || a.Kind == ClockSlew || a.Kind == Reset || a.Kind == Remove:
	case a.Kind == Crash:
		text += fmt.Sprintf(", back after %v", s.length)
	default:
		text += fmt.Sprintf(" for %v", s.length)
	}
	if step := i.plan[s.fault].Trigger.Step; step != "" {
		text += " at " + step
	}
	return text
}
