package redisreplica

import (
	"fencepost/models/redis"
	"fencepost/sim/network"
)

// wait is WAIT: it is answered when enough replicas have acknowledged what the master has
// done so far, or after its timeout, with how many have (src/replication.c, waitCommand). A
// replica refuses it. What INFO would say of connected replicas is part of it (Redisson asks for
// that first).
func (b *box) wait(m *network.Message) {
	if b.node.master != nobody {
		b.host.Reply(m, network.Body{Op: redis.OpRefused})
		return
	}
	w := wait{*m, b.node.offset, b.host.Mono().Add(m.TTL), b.connected()}
	if waiting(m.Key) == forAny {
		w.message.Key = int64(w.connected)
	}
	b.node.waits = append(b.node.waits, w)
	if b.answerWaits(); len(b.node.waits) == 0 {
		return
	}
	b.host.After(m.TTL, tagWait)
	for i := range b.node.replicas {
		if b.node.replicas[i].connected {
			b.send(i, network.Body{Op: opGetAck})
		}
	}
}

// connected is how many replicas a master has whose links have not timed out.
func (b *box) connected() (n int) {
	for i := range b.node.replicas {
		if r := &b.node.replicas[i]; r.connected && b.wall()-r.at <= linkTimeout {
			n++
		}
	}
	return n
}

// answerWaits answers those that have enough, and those whose time is over.
func (b *box) answerWaits() {
	kept := b.node.waits[:0]
	for _, w := range b.node.waits {
		acknowledged := 0
		for i := range b.node.replicas {
			if r := &b.node.replicas[i]; r.connected && r.offset >= w.offset {
				acknowledged++
			}
		}
		if acknowledged < int(w.message.Key) && b.host.Mono() < w.deadline {
			kept = append(kept, w)
			continue
		}
		b.host.Reply(&w.message, network.Body{Op: opWaited, Key: int64(acknowledged), Revision: int64(w.connected)})
	}
	b.node.waits = kept
}
