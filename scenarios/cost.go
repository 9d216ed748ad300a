package scenarios

import (
	"fencepost/sim/host"
	"fencepost/sim/network"
)

// Cost is how many messages clients and servers of the lock have sent each other in the last run, but
// for the heartbeats of servers that go on without any client, and how many fsyncs the servers have
// begun.
func (t *Trial) Cost() (messages, fsyncs uint64) {
	for _, from := range t.servers {
		fsyncs += from.Disk.Syncs()
		for _, to := range t.servers {
			messages += t.sent(from, to, notUpkeep)
		}
		for i, client := range t.env.Clients {
			if i == 0 || client != t.env.Clients[i-1] { // threads of one process share a host
				messages += t.sent(from, client, every) + t.sent(client, from, every)
			}
		}
	}
	return messages, fsyncs
}

func (t *Trial) sent(from, to *host.Host, of func(*network.Op) bool) uint64 {
	if from == to {
		return 0
	}
	return t.net.Sent(from.ID, to.ID, of)
}

func every(*network.Op) bool { return true }

func notUpkeep(op *network.Op) bool { return !op.Upkeep }
