package redisreplica

import (
	"fencepost/models/redis"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
	"fencepost/sim/rng"
)

// box is one host with a server and a Sentinel. It is the [redis.Watcher] of its server.
type box struct {
	system   *system
	index    int
	host     *host.Host
	server   *redis.Server
	node     node
	sentinel sentinel
	random   rng.Stream
}

// Tags of timers, beside those of the server.
const (
	tagSentinel = 100 + iota
	tagReplication
	tagWait
)

func newBox(s *system, index int, h *host.Host) *box {
	b := &box{system: s, index: index, host: h}
	b.server = redis.NewServer(s.env, h, b)
	b.server.Replicate(b)
	h.Server = b
	return b
}

// reset is the first start: what redis.conf and sentinel.conf say.
func (b *box) reset() {
	b.random = b.system.env.Stream("redisreplica", b.index)
	b.server.Reset()
	b.startReplication(0)
	b.sentinel = sentinel{servers: b.sentinel.servers[:0], peers: b.sentinel.peers[:0]}
	b.startSentinel()
}

// Receive implements [host.Server].
func (b *box) Receive(m *network.Message) {
	switch m.Op {
	case opReplicaOf, opSync, opDataset, opStream, opAck, opGetAck, opUnknownReplica, opHeartbeat, opWait:
		b.receiveReplication(m)
	case opPing, opInfo:
		b.answerSentinel(m)
	case opPong, opInfoReply, opIsDown, opIsDownReply, opHello, opGetMaster, opSubscribe:
		b.receiveSentinel(m)
	default:
		b.server.Receive(m)
	}
}

// Timer implements [host.Server].
func (b *box) Timer(tag int) {
	switch tag {
	case tagSentinel:
		b.tick()
	case tagReplication:
		b.replicationCron()
	case tagWait:
		b.answerWaits()
	default:
		b.server.Timer(tag)
	}
}

// Restart implements [host.Restarter]. Whom a server follows, and what a Sentinel has voted
// and knows of the master, is in their configuration files, which they write before they go
// on (CONFIG REWRITE; sentinel.c, sentinelFlushConfig); who loses them starts from the first.
func (b *box) Restart(lost host.Lost) {
	b.server.Restart(lost)
	master, s := b.node.master, &b.sentinel
	if lost == host.LoseEverything {
		master, *s = 0, sentinel{servers: s.servers, peers: s.peers}
	}
	b.startReplication(master)
	b.startSentinel()
}

// send sends a message to the host of a number.
func (b *box) send(to int, body network.Body) { b.host.Send(b.system.boxes[to].host.Addr(), 0, body) }

// from is the number of the host that a message came from, or nobody.
func (b *box) from(m *network.Message) int {
	for i, other := range b.system.boxes {
		if other.host.ID == m.From.Node {
			return i
		}
	}
	return nobody
}

func (b *box) wall() int64 { return b.host.Wall().Milli() }

// KeySet implements [redis.Watcher].
func (b *box) KeySet(k redis.Key) { b.system.keySet(b.index, k) }

// KeyExtended implements [redis.Watcher].
func (b *box) KeyExtended(k redis.Key) { b.system.clients.KeyExtended(k) }

// KeyGone implements [redis.Watcher].
func (b *box) KeyGone(k redis.Key, why string) { b.system.keyGone(b.index, k.Hold, why) }

func (b *box) note(hold history.HoldID, text string) {
	b.system.env.Recorder.Add(history.Record{Kind: history.Note, Hold: hold, Text: b.host.Name + ": " + text})
}
