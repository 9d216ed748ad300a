package script

import (
	"fmt"

	"fencepost/models"
	"fencepost/models/modeltest"
	"fencepost/sim/host"
)

// world builds a world: world lock=redlock clients=2 seed=1 wake=due-order hide=(raft.)
// and the lock's parameters by name. A message takes 1 ms, and local code no time.
func world(s *story, c *command) error {
	name := c.text("lock", "echo")
	var chosen models.Lock
	for _, l := range s.locks {
		if l.Describe().Name == name {
			chosen = l
		}
	}
	if chosen == nil {
		return fmt.Errorf("this story has no lock %q", name)
	}
	params := map[string]int64{}
	for _, p := range chosen.Describe().Params {
		if text := c.text(p.Name, ""); text != "" {
			v, err := p.Parse(text)
			if err != nil {
				return fmt.Errorf("%s: %w", p.Name, err)
			}
			params[p.Name] = v
		}
	}
	wake, ok := map[string]host.Wake{"due-order": host.DueOrder, "timers-first": host.TimersFirst,
		"messages-first": host.MessagesFirst}[c.text("wake", "due-order")]
	if !ok {
		return fmt.Errorf("wake is due-order, timers-first or messages-first")
	}
	s.hide = c.list("hide")
	s.rig = modeltest.New(s.t, chosen, c.count("clients", 1), params)
	s.rig.Env.EveryMessage = true // a story tells of all of them
	s.rig.Fleet.Wake = wake
	s.rig.World.Sink = s
	s.rig.Recorder.Observers = append(s.rig.Recorder.Observers, s)
	s.rig.Reset(uint64(c.count("seed", 1)))
	for _, h := range s.rig.Fleet.Hosts {
		s.say("host %s", h.Name)
	}
	return nil
}
