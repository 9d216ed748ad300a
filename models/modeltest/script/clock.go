package script

import "time"

// clockCommand changes a host's clocks, or shows them: clock host=redis/1 [step=1s]
// [rate=100000] [slew=1s over=10s] [freeze] [thaw]. Rates are parts per billion.
func clockCommand(s *story, c *command) error {
	h, err := s.host(c.text("host", ""))
	if err != nil {
		return err
	}
	if c.given("step") {
		h.Clock.Step(c.duration("step", 0))
	}
	if c.given("rate") {
		h.SetRate(int64(c.count("rate", 0)))
	}
	if c.given("slew") {
		h.Slew(c.duration("slew", 0), c.duration("over", time.Second))
	}
	if c.given("freeze") {
		h.Freeze()
	}
	if c.given("thaw") {
		h.Thaw()
	}
	now := s.rig.World.Now()
	s.say("true %v, monotonic %v, wall %v", now.Duration(), time.Duration(h.Clock.Mono(now)), time.Duration(h.Clock.Wall(now)))
	return nil
}
