package resource

import (
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
)

// Ask asks the lock service whether a token is still that of the holder; it may take its time.
type Ask func(p *host.Process, hold history.HoldID, token int64) (valid bool)

// AskWith gives the resource what it asks with. A guard that asks needs it.
func (s *Register) AskWith(ask Ask) { s.ask = ask }

// askFirst asks about the token of a request, and serves it if the answer is yes (M. Burrows,
// Chubby, OSDI 2006, 2.4). Meanwhile other requests are served: what becomes of the lock after
// the answer was given, the resource does not learn.
func (s *Register) askFirst(m *network.Message) {
	request := *m
	s.host.Go("asking", func(p *host.Process) {
		if s.ask(p, request.Hold, request.Token) {
			s.serve(&request)
		} else {
			s.reject(&request, history.NotHolder)
		}
	})
}
