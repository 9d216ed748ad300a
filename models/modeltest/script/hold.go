package script

import (
	"fmt"

	"fencepost/sim/network"
)

// hold keeps the next message of a class back for so long from now: hold from=client/1
// to=redis/1 message=set for=5s.
func hold(s *story, c *command) error {
	from, to, err := s.ends(c, "", "")
	if err != nil {
		return err
	}
	op := network.FindOp(c.text("message", ""))
	if op == nil {
		return fmt.Errorf("there is no such message")
	}
	s.rig.Net.Hold(&network.Hold{From: from.ID, To: to.ID, Op: op, Until: s.rig.World.Now().Add(c.duration("for", 0))})
	return nil
}
