package script

// restart begins a crashed host's next incarnation: restart host=redis/1 [empty].
func restart(s *story, c *command) error {
	h, err := s.host(c.text("host", ""))
	if err != nil {
		return err
	}
	h.Restart(c.given("empty"))
	return nil
}
