package reports

import (
	"slices"
	"time"

	"fencepost/reports/timeline"
	"fencepost/scenarios"
	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
)

// messages is a tap that keeps what it sees.
type messages struct {
	list  []sentMessage
	hosts map[network.NodeID]*host.Host
}

func newMessages(t *scenarios.Trial) *messages {
	m := &messages{hosts: map[network.NodeID]*host.Host{}}
	for _, h := range slices.Concat(t.ClientHosts(), t.ServiceHosts(), []*host.Host{t.ResourceHost()}) {
		m.hosts[h.ID] = h
	}
	return m
}

type sentMessage struct {
	message     network.Message
	at, arrival sim.Time
	held, lost  bool
}

// Sent implements [network.Tap]. The network carries a message to a host that is down like
// any other, and nobody is there to take it: whatever starts there later had no connection.
func (m *messages) Sent(msg network.Message, at, arrival sim.Time, held bool) int {
	h := m.hosts[msg.To.Node]
	down := h != nil && h.State() == host.Crashed
	m.list = append(m.list, sentMessage{message: msg, at: at, arrival: arrival, held: held, lost: down})
	return len(m.list) - 1
}

// Lost implements [network.Tap].
func (m *messages) Lost(number int) { m.list[number].lost = true }

// lane finds the lane of a host; threads of one process share a host, and there the hold
// tells which of them speaks.
func (d *drawing) lane(host network.NodeID, hold history.HoldID) (int, bool) {
	i, ok := d.laneOf[host]
	if ok && i < d.clients && hold != 0 {
		i = d.trial.Recorder.Hold(hold).Client
	}
	return i, ok
}

// messages draws every message. Only what a client sends is labelled, and of several of
// one kind at one time the first: replies and the servers' own traffic speak through
// their lines and tooltips.
func (d *drawing) messages(m *messages) {
	type speech struct {
		lane int
		op   string
	}
	said := map[speech]sim.Time{}
	for _, s := range m.list {
		from, okFrom := d.lane(s.message.From.Node, s.message.Hold)
		to, okTo := d.lane(s.message.To.Node, s.message.Hold)
		if !okFrom || !okTo || from == to {
			continue
		}
		key := speech{from, s.message.Op.Name}
		last, repeated := said[key]
		quiet := from >= d.clients || (repeated && s.at.Sub(last) < time.Duration(d.end)/20)
		said[key] = s.at
		d.picture.Messages = append(d.picture.Messages, timeline.Message{
			FromLane: from, ToLane: to, Sent: s.at.Duration(), Arrived: s.arrival.Duration(),
			Label: s.message.Op.Name, Held: s.held, Lost: s.lost, Quiet: quiet})
	}
}
