package redlock

import (
	"time"

	"fencepost/models"
	"fencepost/models/redis"
	"fencepost/sim/clock"
	"fencepost/sim/host"
	"fencepost/sim/network"
)

// delayedServer is a server that answers nothing for a while after a restart, so that the keys that
// it may have forgotten have expired everywhere before it votes again. Its operator measures
// that on the server's own clock, and a clock that is fast makes it too short.
type delayedServer struct {
	*redis.Server
	host  *host.Host
	delay time.Duration
	opens clock.Mono
}

// Receive implements [host.Server].
func (d *delayedServer) Receive(m *network.Message) {
	if d.host.Mono() >= d.opens {
		d.Server.Receive(m)
	}
}

// Timer implements [host.Server]: who cannot reach it can remove nothing there.
func (d *delayedServer) Timer(tag int) {
	if _, order := models.OrderOf(tag); !order || d.host.Mono() >= d.opens {
		d.Server.Timer(tag)
	}
}

// Restart implements [host.Restarter].
func (d *delayedServer) Restart(lost host.Lost) {
	d.opens = d.host.Mono().Add(d.delay)
	d.Server.Restart(lost)
}
