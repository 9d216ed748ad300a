package network

import (
	"testing"

	"fencepost/sim"
	"fencepost/sim/rng"
)

// pong answers every message.
type pong struct {
	net *Network
	id  NodeID
}

func (*pong) Incarnation() uint32 { return 0 }

func (p *pong) Deliver(m *Message) {
	p.net.Send(m.To, m.From, m.Call, &Body{Op: m.Op, Value: m.Value + 1})
}

// BenchmarkSend is one message from Send to its delivery, on links between six hosts of
// which each pair plays ping-pong.
func BenchmarkSend(b *testing.B) {
	for _, c := range []struct {
		name  string
		delay rng.Dist
	}{{"constant", rng.Constant(ms)}, {"uniform", rng.Uniform(ms, 2*ms)}, {"lognormal", rng.LogNormal(ms, 0.3)}} {
		b.Run(c.name, func(b *testing.B) {
			w := &sim.World{MaxEvents: uint64(b.N)}
			n := New(w)
			for i := range NodeID(6) {
				p := &pong{net: n}
				p.id = n.Attach(string(rune('a'+i)), p)
			}
			w.Reset(1)
			n.Reset(1)
			for i := range NodeID(6) {
				for j := range NodeID(6) {
					n.SetDelay(i, j, c.delay)
				}
			}
			for i := range NodeID(6) {
				for j := range i {
					n.Send(Addr{Node: i, Port: 1}, Addr{Node: j}, 1, &Body{Op: opA})
				}
			}
			b.ReportAllocs()
			b.ResetTimer()
			w.Run(sim.Forever)
		})
	}
}
