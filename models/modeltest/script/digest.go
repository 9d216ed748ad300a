package script

// digest shows the fingerprint of all that has happened: digest.
func digest(s *story, _ *command) error {
	s.say("%016x after %d events", s.rig.World.Digest().Sum(), s.rig.World.Fired())
	return nil
}
