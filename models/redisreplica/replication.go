package redisreplica

import (
	"time"

	"fencepost/sim/clock"
	"fencepost/sim/network"
)

// Messages between servers.
var (
	opReplicaOf      = network.NewOp("redis.replicaof") // from a Sentinel; Key is the master, or nobody
	opSync           = network.NewOp("redis.psync")
	opDataset        = network.NewOp("redis.fullresync")
	opStream         = network.NewOp("redis.stream") // one write
	opAck            = network.NewOp("redis.replconf.ack")
	opGetAck         = network.NewOp("redis.replconf.getack")
	opUnknownReplica = network.NewOp("redis.noreplica") // the end of a connection that the server does not know
	opHeartbeat      = network.NewUpkeep("redis.repl.ping")
	opWait           = network.NewOp("redis.wait")
	opWaited         = network.NewOp("redis.wait.reply") // Key: how many have acknowledged; Revision: how many were connected
)

// Times of src/replication.c and redis.conf.
const (
	ackPeriod       = time.Second      // replicationCron
	heartbeatPeriod = 10 * time.Second // repl-ping-replica-period
	linkTimeout     = 60_000           // repl-timeout, in milliseconds
)

// node is what a server knows of replication.
type node struct {
	master int    // whom it follows, nobody if it is a master
	offset int64  // of the last write that it has
	runID  uint64 // of this start of the process

	// A replica's.
	linked bool  // it has its master's data
	heard  int64 // when it last heard from its master

	// A master's.
	replicas  []replica // by number
	waits     []wait
	heartbeat int // seconds until the next
}

// replica is a replica as its master knows it.
type replica struct {
	connected bool
	offset    int64
	at        int64 // when it last acknowledged
}

// wait is a client's WAIT that has not been answered.
type wait struct {
	message   network.Message
	offset    int64
	deadline  clock.Mono
	connected int // replicas, when it came
}

// startReplication is the start of a process that follows a master, or is it.
func (b *box) startReplication(master int) {
	n := &b.node
	*n = node{master: master, replicas: n.replicas[:0], waits: n.waits[:0], runID: b.random.Uint64(), heard: b.wall()}
	for range b.system.boxes {
		n.replicas = append(n.replicas, replica{})
	}
	if master == b.index {
		n.master = nobody
	}
	if n.master == nobody {
		b.server.Lead()
	} else {
		b.server.Follow()
		b.send(n.master, network.Body{Op: opSync})
	}
	b.host.After(ackPeriod, tagReplication)
}

func (b *box) receiveReplication(m *network.Message) {
	n, from := &b.node, b.from(m)
	switch m.Op {
	case opReplicaOf:
		b.replicaOf(int(m.Key))
		return
	case opWait:
		b.wait(m)
		return
	case opSync, opAck:
		if n.master == nobody {
			b.serveReplica(m, from)
		}
		return
	}
	if from != n.master {
		return // of a master that it followed before
	}
	n.heard = b.wall()
	switch m.Op {
	case opDataset:
		n.linked = true
		b.load(m)
	case opStream:
		if n.linked && m.Revision > n.offset {
			b.load(m)
		}
	case opGetAck:
		b.acknowledge()
	case opUnknownReplica:
		n.linked = false
		b.send(n.master, network.Body{Op: opSync})
	}
}

// load takes in what the master has.
func (b *box) load(m *network.Message) {
	b.node.offset = m.Revision
	b.server.Load(m)
}

// serveReplica gives a replica the data that it asks for, and counts what it acknowledges. A
// stream whose messages were lost is sent again by TCP; here it is the whole data.
func (b *box) serveReplica(m *network.Message, from int) {
	r := &b.node.replicas[from]
	if m.Op == opAck && !r.connected {
		b.send(from, network.Body{Op: opUnknownReplica})
		return
	}
	if m.Op == opSync {
		*r = replica{connected: true, offset: -1}
	} else {
		r.offset = m.Revision
	}
	if r.at = b.wall(); r.offset < b.node.offset || m.Op == opSync {
		b.dataset(from)
	}
	b.answerWaits()
}

func (b *box) dataset(to int) {
	body := network.Body{Op: opDataset}
	b.server.Save(&body)
	body.Revision = b.node.offset
	b.send(to, body)
}

// Changed implements [redis.Replication]: the write goes to the replicas, and nobody waits.
func (b *box) Changed() {
	b.node.offset++
	body := network.Body{Op: opStream}
	b.server.Save(&body)
	body.Revision = b.node.offset
	for i := range b.node.replicas {
		if b.node.replicas[i].connected {
			b.send(i, body)
		}
	}
}

func (b *box) acknowledge() { b.send(b.node.master, network.Body{Op: opAck, Revision: b.node.offset}) }

// replicationCron runs once a second.
func (b *box) replicationCron() {
	n := &b.node
	b.host.After(ackPeriod, tagReplication)
	if n.master != nobody {
		if n.linked && b.linkDown() > 0 {
			n.linked = false
		}
		if n.linked {
			b.acknowledge()
		} else {
			b.send(n.master, network.Body{Op: opSync})
		}
		return
	}
	if n.heartbeat--; n.heartbeat <= 0 {
		n.heartbeat = int(heartbeatPeriod / ackPeriod)
		for i := range n.replicas {
			if n.replicas[i].connected {
				b.send(i, network.Body{Op: opHeartbeat})
			}
		}
	}
}

// linkDown is for how long, in milliseconds, a replica has had no link to its master; 0 is
// that it has one.
func (b *box) linkDown() int64 {
	n := &b.node
	silent := b.wall() - n.heard
	if n.master == nobody || n.linked && silent <= linkTimeout {
		return 0
	}
	return max(silent, 1)
}

// replicaOf is REPLICAOF, by a Sentinel. A promoted replica has what it has; a master that
// becomes a replica will be given another's data.
func (b *box) replicaOf(master int) {
	n := &b.node
	if master == n.master || master == b.index {
		return
	}
	wasMaster := n.master == nobody
	n.master, n.linked, n.heard, n.waits = master, false, b.wall(), n.waits[:0]
	clear(n.replicas)
	if master == nobody {
		b.server.Lead()
		b.system.promoted(b.index)
		return
	}
	if wasMaster {
		b.server.Follow()
		b.system.demoted(b.index)
	}
	b.send(master, network.Body{Op: opSync})
}

// LacksReplicas implements [redis.Replication]: a replica counts if its last acknowledgement
// is not older than the lag, in whole seconds (refreshGoodSlavesCount).
func (b *box) LacksReplicas() bool {
	least := b.system.minReplicas
	if least == 0 {
		return false
	}
	now, good := b.wall()/1000, 0
	for i := range b.node.replicas {
		if r := &b.node.replicas[i]; r.connected && now-r.at/1000 <= b.system.maxLag {
			good++
		}
	}
	return good < least
}
