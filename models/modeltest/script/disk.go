package script

// disk makes a host's disk stall: disk host=etcd/1 stall=5s.
func disk(s *story, c *command) error {
	h, err := s.host(c.text("host", ""))
	if err != nil {
		return err
	}
	h.Disk.Stall(s.rig.World.Now().Add(c.duration("stall", 0)))
	return nil
}
