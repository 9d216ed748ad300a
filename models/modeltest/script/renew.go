package script

import "fencepost/models"

// renew makes a client that holds renew now: renew client=1.
func renew(s *story, c *command) error {
	client := c.count("client", 1)
	if !s.hasClient(c, client) {
		return nil
	}
	if _, ok := s.rig.Lockers[client-1].(models.Renewer); !ok {
		c.fail("this lock has no renewal")
		return nil
	}
	s.rig.Renew(client-1, 0)
	s.rig.Run(s.until(0))
	return nil
}
