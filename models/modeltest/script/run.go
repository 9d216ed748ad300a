package script

import "time"

// run lets time pass: run for=1s, or run until=5s.
func run(s *story, c *command) error {
	until := c.duration("until", s.until(c.duration("for", 0)))
	if now := time.Duration(s.rig.World.Now()); until < now {
		c.fail("it is %v already", now)
		return nil
	}
	s.rig.At(until, func() {}) // time passes also where nothing else happens
	s.rig.Run(until)
	return nil
}
