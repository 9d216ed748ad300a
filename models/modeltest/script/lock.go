package script

// lock makes a client acquire now, or at an instant, and release after a while, if that
// is given: lock client=1 at=1s for=5s.
func lock(s *story, c *command) error {
	client, at := c.count("client", 1), c.duration("at", s.until(0))
	while := c.duration("for", 0)
	if !s.hasClient(c, client) {
		return nil
	}
	s.rig.Lock(client-1, at-s.until(0), while)
	s.rig.Run(s.until(0))
	return nil
}
