package script

import (
	"fmt"

	"fencepost/sim/host"
)

// crash ends a host's incarnation: crash host=redis/1 lose=memory|unsynced|disk.
func crash(s *story, c *command) error {
	h, err := s.host(c.text("host", ""))
	if err != nil {
		return err
	}
	lost, ok := map[string]host.Lost{"memory": host.LoseMemory, "unsynced": host.LoseUnsynced, "disk": host.LoseEverything}[c.text("lose", "memory")]
	if !ok {
		return fmt.Errorf("lose is memory, unsynced or disk")
	}
	h.Crash(lost)
	return nil
}
