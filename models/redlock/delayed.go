package redlock

import (
	"time"

	"fencepost/models"
	"fencepost/models/redis"
	"fencepost/sim/host"
	"fencepost/sim/network"
)

// delayedServer is a server that answers nothing for a while after a restart, so that the keys that
// it may have forgotten have expired everywhere before it votes again. Its operator measures
// that on one of the server's own clocks: one that is fast, or a wall clock that is set forward, makes
// it too short.
type delayedServer struct {
	*redis.Server
	host  *host.Host
	delay time.Duration
	wall  bool // the wall clock counts
	opens time.Duration
}

// now is what the clock reads that counts.
func (d *delayedServer) now() time.Duration {
	if d.wall {
		return time.Duration(d.host.Wall())
	}
	return time.Duration(d.host.Mono())
}

// Receive implements [host.Server].
func (d *delayedServer) Receive(m *network.Message) {
	if d.now() >= d.opens {
		d.Server.Receive(m)
	}
}

// Timer implements [host.Server]: who cannot reach it can remove nothing there.
func (d *delayedServer) Timer(tag int) {
	if _, order := models.OrderOf(tag); !order || d.now() >= d.opens {
		d.Server.Timer(tag)
	}
}

// Restart implements [host.Restarter].
func (d *delayedServer) Restart(lost host.Lost) {
	d.opens = d.now() + d.delay
	d.Server.Restart(lost)
}
