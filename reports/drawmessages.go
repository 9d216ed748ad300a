package reports

import (
	"fmt"
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

// kindOfMessage is a class of messages from one lane to another.
type kindOfMessage struct {
	from, to int
	op       string
}

// mostOfAKind is how many messages of a kind are drawn: more make a grey area, and a large file.
const mostOfAKind = 200

// messages draws the messages. Only what a client sends is labelled, and of several of
// one kind at one time the first: replies and the servers' own traffic speak through
// their lines and tooltips. Of very many of a kind only some are drawn, but for those that are
// held back or lost.
func (d *drawing) messages(m *messages) {
	said := map[kindOfMessage]sim.Time{}
	total, nth := d.kindsOf(m), map[kindOfMessage]int{}
	left := 0
	for _, s := range m.list {
		kind, ok := d.kind(s)
		if !ok {
			continue
		}
		key := kindOfMessage{from: kind.from, op: kind.op}
		last, repeated := said[key]
		quiet := kind.from >= d.clients || (repeated && s.at.Sub(last) < time.Duration(d.end)/20)
		said[key] = s.at
		step := (total[kind] + mostOfAKind - 1) / mostOfAKind
		nth[kind]++
		if quiet && !s.held && !s.lost && nth[kind]%step != 0 {
			left++
			continue
		}
		d.picture.Messages = append(d.picture.Messages, timeline.Message{
			FromLane: kind.from, ToLane: kind.to, Sent: s.at.Duration(), Arrived: s.arrival.Duration(),
			Label: s.message.Op.Name, Held: s.held, Lost: s.lost, Quiet: quiet})
	}
	if left > 0 {
		d.picture.Notes = append(d.picture.Notes, fmt.Sprintf("%d messages of kinds that were sent more than %d times are not drawn.", left, mostOfAKind))
	}
}

// kind is that of a message between two lanes.
func (d *drawing) kind(s sentMessage) (k kindOfMessage, ok bool) {
	from, okFrom := d.lane(s.message.From.Node, s.message.Hold)
	to, okTo := d.lane(s.message.To.Node, s.message.Hold)
	return kindOfMessage{from, to, s.message.Op.Name}, okFrom && okTo && from != to
}

// kindsOf counts the messages of each kind.
func (d *drawing) kindsOf(m *messages) map[kindOfMessage]int {
	total := map[kindOfMessage]int{}
	for _, s := range m.list {
		if kind, ok := d.kind(s); ok {
			total[kind]++
		}
	}
	return total
}
