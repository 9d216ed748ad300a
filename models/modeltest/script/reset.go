package script

// reset breaks the connections between two hosts: reset from=client/1 to=redis/1.
func reset(s *story, c *command) error {
	from, to, err := s.ends(c, "", "")
	if err != nil {
		return err
	}
	s.say("broken: %d", s.rig.Net.Break(from.ID, to.ID, 0))
	return nil
}
