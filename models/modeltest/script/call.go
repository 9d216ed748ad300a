package script

import (
	"fmt"

	"fencepost/sim/host"
	"fencepost/sim/network"
	"fencepost/sim/trace"
)

// call makes a process of a host send a request to a server of the lock echo and wait for
// the reply: call from=client/1 to=echo/1 value=7 timeout=1s.
func call(s *story, c *command) error {
	from, to, err := s.ends(c, "client/1", "echo/1")
	if err != nil {
		return err
	}
	value, timeout := c.count("value", 0), c.duration("timeout", defaultTimeout)
	from.Go("caller", func(p *host.Process) {
		text := "answered"
		reply, err := p.Call(to.Addr(), network.Body{Op: opEcho, Value: int64(value)}, timeout)
		if err != nil {
			text = err.Error()
		} else if reply.Value != int64(value) {
			text = fmt.Sprintf("answered with %d", reply.Value)
		}
		s.rig.World.Trace(trace.Record{Who: from.Name, What: "called", Text: text})
	})
	s.rig.Run(s.until(0))
	return nil
}
