package script

// pause stops a host: pause host=client/1 for=5s.
func pause(s *story, c *command) error {
	h, err := s.host(c.text("host", ""))
	if err != nil {
		return err
	}
	h.Pause(s.rig.World.Now().Add(c.duration("for", 0)))
	return nil
}
