package script

// suspend puts a machine to sleep: suspend host=client/1 for=5s.
func suspend(s *story, c *command) error {
	h, err := s.host(c.text("host", ""))
	if err != nil {
		return err
	}
	h.Suspend(s.rig.World.Now().Add(c.duration("for", 0)))
	return nil
}
