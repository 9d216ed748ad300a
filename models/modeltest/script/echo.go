package script

import (
	"time"

	"fencepost/models"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
	"fencepost/sim/trace"
)

var (
	opEcho  = network.NewOp("echo")
	opReply = network.NewOp("echo.reply")
)

const defaultTimeout = time.Second

// echo is no lock: its servers answer what they are sent, for stories about the kernel.
// Each ticks every 100 ms of its own clock once it has been asked to with value 1.
type echo struct{}

// Describe implements [models.Lock].
func (echo) Describe() models.Description {
	return models.Description{Name: "echo", Role: "echo", Servers: 2,
		Params:   []models.Param{{Name: "servers", Doc: "number of servers", Unit: models.Count, Default: 2, Min: 1, Max: 9}},
		Takeover: func(models.Params) time.Duration { return 0 }}
}

// Build implements [models.Lock].
func (echo) Build(e *models.Env) models.System {
	s := &echoes{}
	for _, h := range e.Servers("echo", e.Params.Int("servers")) {
		server := &echoServer{host: h}
		h.Server = server
		s.servers = append(s.servers, server)
	}
	return s
}

type echoes struct{ servers []*echoServer }

// Reset implements [models.System].
func (*echoes) Reset() {}

// Locker implements [models.System].
func (*echoes) Locker(int) models.Locker { return noLocker{} }

type noLocker struct{}

func (noLocker) Acquire(*host.Process, history.HoldID) (models.Grant, error) {
	return models.Grant{}, models.ErrNotAcquired
}
func (noLocker) Valid(*host.Process) bool    { return false }
func (noLocker) Release(*host.Process) error { return models.ErrNotHeld }

// ticking is the value that makes a server tick.
const ticking = 1

type echoServer struct{ host *host.Host }

// Receive implements [host.Server].
func (s *echoServer) Receive(m *network.Message) {
	if m.Value == ticking {
		s.host.After(100*time.Millisecond, 0)
	}
	s.host.Reply(m, network.Body{Op: opReply, Value: m.Value})
}

// Timer implements [host.Server].
func (s *echoServer) Timer(tag int) {
	s.host.World().Trace(trace.Record{Who: s.host.Name, What: "tick", Text: "at " + time.Duration(s.host.Mono()).String()})
	s.host.After(100*time.Millisecond, tag)
}
