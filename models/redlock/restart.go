package redlock

import (
	"time"

	"fencepost/models/redis"
	"fencepost/sim/clock"
	"fencepost/sim/host"
	"fencepost/sim/network"
)

// late is a server that answers nothing for a while after a restart, so that the keys that
// it may have forgotten have expired everywhere before it votes again. Its operator measures
// that on the server's own clock, and a clock that is fast makes it too short.
type late struct {
	*redis.Server
	host  *host.Host
	delay time.Duration
	opens clock.Mono
}

// Receive implements [host.Server].
func (l *late) Receive(m *network.Message) {
	if l.host.Mono() >= l.opens {
		l.Server.Receive(m)
	}
}

// Restart implements [host.Restarter].
func (l *late) Restart(lost host.Lost) {
	l.opens = l.host.Mono().Add(l.delay)
	l.Server.Restart(lost)
}
